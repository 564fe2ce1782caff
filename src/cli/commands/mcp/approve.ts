import type { McpReview, McpSource, ReviewedTool } from "../../../hub/index.ts";
import { toWireMcpReview } from "../../../app/index.ts";
import { isFailureError } from "../../../base/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { orUsageError } from "../../program/usage-error.ts";
import { withStopSignal } from "../../program/watch-interrupts.ts";
import { type OpenedMcpServers, withMcp } from "../../open/open-mcp-servers.ts";
import { discardTypedInput } from "../../terminal/discard-typed-input.ts";
import { readTerminalLine } from "../../terminal/prompt-yes-no.ts";
import { formatTable, toOneLine } from "../../terminal/format-table.ts";

/** `windlass mcp approve`. */
export const approveServer: RunCommand = (invocation) =>
  withMcp({ terminal: invocation.terminal }, async ({ source, redactor }) => {
    const { terminal } = invocation;
    const [name = ""] = invocation.words;
    const print = (review: McpReview, lines: readonly string[]): void => {
      if (invocation.flag("json")) terminal.print(safeJson(redactor.value(toWireMcpReview(review))));
      else for (const line of lines) terminal.print(redactor.text(line));
    };
    const before = reviewed(source, name);
    if (before.address !== undefined) {
      if (!invocation.flag("json") || !invocation.flag("yes")) print(before, addressLines(before, terminal));
      // Shown before the server is started: starting it is enough for it to run any code.
      const answer = await promptServerApproval("Connect to it?", invocation);
      if (answer !== exitCodes.ok) return answer;
    }
    await refresh(source, name, invocation);
    const review = reviewed(source, name);
    print(review, reviewLines(review, terminal));
    return decide(source, review, invocation);
  });

/** Shows the tools of a server that was just added, and approves them, so that its hints count. */
export function approveAdded(name: string, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const later = commandLine(invocation, "mcp approve", name);
  return withMcp({ terminal }, async (here) => {
    const { source } = here;
    try {
      await refresh(source, name, invocation);
    } catch (error) {
      if (!isFailureError(error)) throw error;
      terminal.log(`${terminal.tint("yellow", "warning:")} ${toOneLine(here.redactor.text(error.message))}`);
      terminal.log(`When it can be reached, approve its tools with: ${later}`);
      return exitCodes.ok;
    }
    for (const line of toolLines(name, here, terminal)) terminal.log(here.redactor.text(line));
    const review = reviewed(source, name);
    if (review.tools.length === 0) return exitCodes.ok;
    if (!invocation.flag("yes") && !(await isConfirmed("Approve these tools?"))) {
      terminal.log(`Not approved: calls of them by a model need approval. Approve them later with: ${later}`);
      return exitCodes.ok;
    }
    source.approve(review);
    terminal.log(`Approved: ${name}, ${formatCount(review.tools.length, "tool")}.`);
    return exitCodes.ok;
  });
}

/** Every tool with the claim of its server. */
function toolLines(name: string, { source, registry }: OpenedMcpServers, terminal: Terminal): string[] {
  const { tools = [], refused = [] } = source.status().find((server) => server.name === name) ?? {};
  const claims = new Map(reviewed(source, name).tools.map((tool) => [tool.name, claimOf(tool)]));
  const rows = tools.map((tool) => [
    tool,
    claims.get(tool) ?? "may change something",
    registry.get(tool)?.description ?? "",
  ]);
  const columns = [{ title: "TOOL" }, { title: "CLAIMS THAT IT" }, { title: "DESCRIPTION", long: "cut" }] as const;
  const table = formatTable(rows, { columns, width: terminal.sideColumns });
  return [...table, ...refused.map((tool) => `${tool.name} is refused: ${toOneLine(tool.message)}`)];
}

/** The claims of a server in the words of its hints. */
function claimOf({ definition: { annotations = {} } }: ReviewedTool): string {
  if (annotations["readOnlyHint"] === true) return "only reads";
  const claims = [
    ...(annotations["idempotentHint"] === true ? ["may run twice"] : []),
    ...(annotations["destructiveHint"] === false ? ["destroys nothing"] : []),
  ];
  return claims.length === 0 ? "may change something" : claims.join(", ");
}

/** Prompts for confirmation at the terminal; anything but a yes is a no, and what was typed before does not count. */
export async function isConfirmed(message: string): Promise<boolean> {
  await discardTypedInput();
  const answer = await readTerminalLine(`${message} [y/N] `, new AbortController().signal);
  return /^y(?:es)?$/i.test(answer.trim());
}

async function decide(source: McpSource, review: McpReview, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const { server, tools, gone, address } = review;
  if (tools.length + gone.length === 0 && address === undefined) {
    terminal.log(`No tool of ${server} needs approval.`);
    return exitCodes.ok;
  }
  const answer = await promptServerApproval("Approve this?", invocation);
  if (answer !== exitCodes.ok) return answer;
  source.approve(review);
  const changes = tools.length === 0 ? "" : `, ${formatCount(tools.length, "tool")} changed or new`;
  terminal.log(`Approved: ${server}${changes}.`);
  return exitCodes.ok;
}

function reviewed(source: McpSource, name: string): McpReview {
  return orUsageError("unknown_server", () => source.review(name));
}

async function refresh(source: McpSource, name: string, { terminal }: Invocation): Promise<void> {
  const [server = ""] = name.split("/", 1);
  terminal.status(`connecting to ${server}…`);
  await withStopSignal((signal) => source.refresh(server, { signal })).finally(() => terminal.status());
}

/** Prompts for approval; `ok` means yes. */
async function promptServerApproval(message: string, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  if (invocation.flag("yes")) return exitCodes.ok;
  if (!terminal.interactive) {
    const line = commandLine(invocation, "mcp approve", ...invocation.words, "--yes");
    terminal.log(`Nothing was approved; approve with: ${line}`);
    return exitCodes.waiting;
  }
  if (await isConfirmed(message)) return exitCodes.ok;
  terminal.log("Nothing was approved.");
  return exitCodes.failed;
}

/** Everything that identifies the server: unchanged parts are shown between the changes. */
function addressLines({ server, address }: McpReview, terminal: Terminal): string[] {
  const lines = (address?.parts ?? []).flatMap(({ part, before, after, isChanged }) => {
    if (!isChanged) return [`    ${part}: ${after}`];
    const other = before === after ? " (changed)" : "";
    return [
      ...(before === undefined ? [] : [terminal.paint("red", `  - ${part}: ${before}`)]),
      ...(after === undefined ? [] : [terminal.paint("green", `  + ${part}: ${after}${other}`)]),
    ];
  });
  return [terminal.paint("bold", `${server} has a new command, address or trust setting`), ...lines];
}

function reviewLines({ server, tools, gone, refused }: McpReview, terminal: Terminal): string[] {
  return [
    ...tools.flatMap(({ name, isNew, changes }) => [
      terminal.paint("bold", `${name} ${isNew ? "is new" : "has a new description"}`),
      ...changes.flatMap(({ path, before, after }) => [
        ...(before === undefined ? [] : [terminal.paint("red", `  - ${path}: ${before}`)]),
        ...(after === undefined ? [] : [terminal.paint("green", `  + ${path}: ${after}`)]),
      ]),
    ]),
    ...gone.map((name) => `${server} no longer offers ${name}`),
    ...refused.map(({ name, message }) => `${name} cannot be approved: ${message}`),
  ];
}
