import type { McpReview, McpSource } from "../../hub/index.ts";
import { isFailureError } from "../../base/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { withMcp } from "../open-mcp.ts";
import { safeJson } from "../safe-json.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { watchInterrupts } from "../watch-interrupts.ts";
import { isConfirmed } from "./mcp-add.ts";

/** `windlass mcp approve`. */
export const approveServer: RunCommand = (invocation) =>
  withMcp({ terminal: invocation.terminal }, async ({ source, redactor }) => {
    const { terminal } = invocation;
    const [name = ""] = invocation.words;
    const print = (review: McpReview, lines: readonly string[]): void => {
      if (invocation.flag("json")) terminal.print(safeJson(redactor.value(toWire(review))));
      else for (const line of lines) terminal.print(redactor.text(line));
    };
    const before = reviewed(source, name);
    if (before.address !== undefined) {
      if (!invocation.flag("json") || !invocation.flag("yes")) print(before, addressLines(before, terminal));
      // Seen before it is started: starting it is what it takes to do harm.
      const answer = await ask("Connect to it?", invocation);
      if (answer !== exitCodes.ok) return answer;
    }
    await refresh(source, name, invocation);
    const review = reviewed(source, name);
    print(review, reviewLines(review, terminal));
    return decide(source, review, invocation);
  });

async function decide(source: McpSource, review: McpReview, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const { server, tools, gone, address } = review;
  if (tools.length + gone.length === 0 && address === undefined) {
    terminal.tell(`Nothing of ${server} waits for approval.`);
    return exitCodes.ok;
  }
  const answer = await ask("Approve this?", invocation);
  if (answer !== exitCodes.ok) return answer;
  source.approve(review);
  const what = tools.length === 0 ? "" : `, ${formatCount(tools.length, "tool")} changed or new`;
  terminal.tell(`Approved: ${server}${what}.`);
  return exitCodes.ok;
}

function reviewed(source: McpSource, name: string): McpReview {
  try {
    return source.review(name);
  } catch (error) {
    if (isFailureError(error) && error.reason === "unknown_server") throw new UsageError(error.message);
    throw error;
  }
}

async function refresh(source: McpSource, name: string, { terminal }: Invocation): Promise<void> {
  const [server = ""] = name.split("/", 1);
  const interrupts = watchInterrupts();
  interrupts.arm({ onStop: () => {} });
  terminal.status(`connecting to ${server}…`);
  try {
    await source.refresh(server, { signal: interrupts.signal });
  } finally {
    terminal.status();
    interrupts.dispose();
  }
}

/** What somebody says to it: `ok` is a yes. */
async function ask(question: string, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  if (invocation.flag("yes")) return exitCodes.ok;
  if (!terminal.interactive) {
    const line = commandLine(invocation, "mcp approve", ...invocation.words, "--yes");
    terminal.tell(`Nothing was approved; ${line} approves it.`);
    return exitCodes.waiting;
  }
  if (await isConfirmed(question)) return exitCodes.ok;
  terminal.tell("Nothing was approved.");
  return exitCodes.failed;
}

/** All that decides which server it is; what is as it was stands between the changes. */
function addressLines({ server, address }: McpReview, terminal: Terminal): string[] {
  const lines = (address?.parts ?? []).flatMap(({ part, before, after, isChanged }) => {
    if (!isChanged) return [`    ${part}: ${after}`];
    const other = before === after ? " (another one)" : "";
    return [
      ...(before === undefined ? [] : [terminal.paint("red", `  - ${part}: ${before}`)]),
      ...(after === undefined ? [] : [terminal.paint("green", `  + ${part}: ${after}${other}`)]),
    ];
  });
  return [terminal.paint("bold", `${server} is started, reached or trusted otherwise`), ...lines];
}

function reviewLines({ server, tools, gone, refused }: McpReview, terminal: Terminal): string[] {
  return [
    ...tools.flatMap(({ name, isNew, changes }) => [
      terminal.paint("bold", `${name} is ${isNew ? "new" : "described otherwise"}`),
      ...changes.flatMap(({ path, before, after }) => [
        ...(before === undefined ? [] : [terminal.paint("red", `  - ${path}: ${before}`)]),
        ...(after === undefined ? [] : [terminal.paint("green", `  + ${path}: ${after}`)]),
      ]),
    ]),
    ...gone.map((name) => `${server} offers no ${name} any more`),
    ...refused.map(({ name, message }) => `${name} cannot be approved: ${message}`),
  ];
}

function toWireAddress({ before, after, parts }: NonNullable<McpReview["address"]>): unknown {
  return { before, after, parts: parts.map(({ isChanged, ...part }) => ({ ...part, is_changed: isChanged })) };
}

function toWire({ server, address, tools, gone, refused }: McpReview): unknown {
  return {
    server,
    ...(address !== undefined && { address: toWireAddress(address) }),
    tools: tools.map(({ name, isNew, changes }) => ({ name, is_new: isNew, changes })),
    gone,
    refused,
  };
}
