import type { Workspace } from "../../app/index.ts";
import { type JsonSchema, isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { contractOf, howUsed } from "../describe-capability.ts";
import { defaultOf, describeLimits, describeType, descriptionOf, exampleOf } from "../describe-parameter.ts";
import { formatDuration } from "../format-figures.ts";
import { formatTable, oneLine } from "../format-table.ts";
import { type Invocation, commandLine, shellPair, shellWord } from "../invocation.ts";
import { findTool, withTools } from "../open-tools.ts";
import { type Parameter, fieldsOf, itemOf, parametersOf } from "../parameters-of.ts";
import { prepareForCall } from "../prepare-servers.ts";
import { safeJson } from "../safe-json.ts";
import { destructiveOf, effectOf, toWireTool } from "../wire-tool.ts";
import { wrapText } from "../wrap-text.ts";

/** `windlass tools show`. */
export const showTool: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, async (workspace) => {
    const [name = ""] = invocation.words;
    await prepareForCall(name, { workspace, terminal: invocation.terminal });
    const registration = findTool(workspace, name, invocation);
    const { terminal } = invocation;
    if (invocation.flag("json")) {
      const { input, output } = registration.tool;
      const schemas = { input_schema: input.json, ...(output !== undefined && { output_schema: output.json }) };
      terminal.print(safeJson({ ...toWireTool(registration, workspace), ...schemas }));
      return;
    }
    for (const line of await describeTool(registration, workspace, invocation)) terminal.print(line);
  });
};

async function describeTool(
  registration: Registration,
  workspace: Workspace,
  invocation: Invocation,
): Promise<string[]> {
  const { tool } = registration;
  const { terminal } = invocation;
  const rows = parameterRows(tool.input.json);
  const title = tool.displayName === tool.name ? "" : `  ${terminal.paint("dim", oneLine(tool.displayName))}`;
  return [
    `${terminal.paint("bold", tool.name)}${title}`,
    "",
    ...wrapText(stripUnsafe(tool.description), terminal.columns ?? 100),
    "",
    ...formatTable(factsOf(registration, { workspace, typed: invocation.words[0] ?? "" }), {
      width: terminal.columns,
      columns: [
        { title: "", paint: (cell) => terminal.paint("dim", cell) },
        { title: "", long: "wrap" },
      ],
    }),
    "",
    // What cannot be called has no arguments that anybody could try.
    ...(tool.broken === undefined ? await howToCall(tool, rows, invocation) : []),
  ];
}

async function howToCall(
  tool: AnyTool,
  rows: ReturnType<typeof parameterRows>,
  invocation: Invocation,
): Promise<string[]> {
  return [
    ...(rows.length === 0 ? ["It takes no arguments."] : parameterTable(rows, invocation)),
    "",
    `${invocation.terminal.paint("dim", "Try:")} ${await exampleCall(tool, invocation)}`,
  ];
}

/** A tool of a workspace, by the name that was typed. */
interface Showing {
  readonly workspace: Workspace;
  readonly typed: string;
}

// oxlint-disable-next-line complexity -- one list of facts, each there or not
function factsOf(registration: Registration, { workspace, typed }: Showing): string[][] {
  const { tool, source } = registration;
  const file = workspace.sources.fileOf(tool.name);
  const facts: (readonly [string, string | undefined])[] = [
    ["version", tool.version],
    ["category", tool.category],
    ["tags", tool.tags.join(", ")],
    ["also called", tool.aliases.join(", ")],
    ["capabilities", workspace.hub.capabilitiesOf(registration).join(", ")],
    ...choiceFacts(registration, { workspace, typed }),
    ["effect", effectWords[effectOf(tool)]],
    ["destructive", { true: "yes", false: "no", varies: "depends on the arguments" }[String(destructiveOf(tool))]],
    ["timeout", timeoutOf(tool)],
    ["cached for", tool.cache === undefined ? undefined : formatDuration(tool.cache.ttlMs)],
    ["status", tool.status === "active" ? undefined : tool.status],
    ["gated", tool.gated ? "yes; works where enabled_tools names it" : undefined],
    ["broken", tool.broken?.message],
    ["from", file ?? (source === "tools" ? "built in" : source)],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));
}

/** Whom a name or a capability chooses from, how, and who is left out. */
function choiceFacts(
  { tool, chooses }: Registration,
  { workspace: { hub }, typed }: Showing,
): (readonly [string, string | undefined])[] {
  const capability = typed.startsWith("capability:") ? hub.canonical(typed.slice("capability:".length)) : undefined;
  const served = hub.capabilities().find(({ name }) => name === capability);
  if (served !== undefined) {
    return [
      ["served by", served.tools.join(", ")],
      ["used", howUsed(served)],
      ["not by", served.unfit.join("; ")],
      ["contract", contractOf(served)],
    ];
  }
  if (chooses !== true) return [];
  return [
    [
      "served by",
      hub
        .candidates(tool.name)
        .map((one) => `${one.source}/${one.tool.name}`)
        .join(", "),
    ],
  ];
}

const effectWords: Readonly<Record<string, string>> = {
  pure: "pure (depends only on its arguments)",
  read: "read (reads the world, changes nothing)",
  idempotent: "idempotent (writes; twice is once)",
  once: "once (a second run may do harm)",
  varies: "depends on the arguments",
};

function timeoutOf({ timeoutMs }: AnyTool): string | undefined {
  if (timeoutMs === undefined) return undefined;
  return typeof timeoutMs === "function" ? "depends on the arguments" : formatDuration(timeoutMs);
}

/** What is inside lists and objects is shown so many levels deep, and so many rows in all; `--json` has everything. */
const levels = 3;
const mostRows = 100;

function parameterRows(json: JsonSchema): string[][] {
  const rows = parametersOf(json).flatMap((parameter) => rowsOf(parameter, json, 1));
  if (rows.length <= mostRows) return rows;
  return [...rows.slice(0, mostRows), ["…", "", "", `${rows.length - mostRows} more; --json shows them`]];
}

/** A parameter and, below it, the fields of what it holds: `edits`, `edits[].old_text`. */
function rowsOf(parameter: Parameter, json: JsonSchema, level: number): string[][] {
  const preset = defaultOf(parameter);
  const notes = [...describeLimits(parameter), ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`])];
  const about = [descriptionOf(parameter), notes.length === 0 ? "" : `(${notes.join("; ")})`].join(" ");
  const own = [parameter.name, describeType(parameter, json), parameter.required ? "required" : "", about];
  const holders = level === levels ? [] : [parameter, itemOf(json, parameter)].filter((one) => one !== undefined);
  const below = holders.flatMap((holder) =>
    fieldsOf(json, holder).map((field) => ({ ...field, name: `${holder.name}.${field.name}` })),
  );
  return [own, ...below.flatMap((field) => rowsOf(field, json, level + 1))];
}

function parameterTable(rows: readonly string[][], { terminal }: Invocation): string[] {
  return formatTable(rows, {
    width: terminal.columns ?? 100,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "PARAMETER", paint: (cell) => terminal.paint("bold", cell) },
      { title: "TYPE", long: "cut" },
      { title: "", paint: (cell) => terminal.paint("yellow", cell) },
      { title: "ABOUT", long: "wrap" },
    ],
  });
}

/** A longer example is no line to try. */
const longestLine = 200;

/** A command line that the tool takes: an example of its schema, or one with the arguments that it needs. */
async function exampleCall(tool: AnyTool, invocation: Invocation): Promise<string> {
  const { json } = tool.input;
  const needed = parametersOf(json).filter(({ required }) => required);
  const made = Object.fromEntries(needed.map((parameter) => [parameter.name, exampleOf(parameter, json)]));
  const given: unknown[] = Array.isArray(json["examples"]) ? json["examples"] : [];
  const lineOf = (args: object): string => commandLine(invocation, "call", shellWord(tool.name), ...pairsOf(args));
  const lines: string[] = [];
  for (const args of [...given.filter(isRecord), made]) {
    if (!("issues" in (await tool.input.validate(args)))) lines.push(lineOf(args));
  }
  return lines.find((line) => line.length <= longestLine) ?? lineOf(made);
}

function pairsOf(args: object): string[] {
  return Object.entries(args).map(([name, value]: [string, unknown]) =>
    shellPair(name, typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
  );
}
