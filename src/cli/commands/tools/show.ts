import { textOrJson } from "../../../base/index.ts";
import { type Workspace, destructiveOf, toWireTool } from "../../../app/index.ts";
import { type JsonSchema, isRecord } from "../../../schema/index.ts";
import { stripUnsafe, formatDuration } from "../../../text/index.ts";
import {
  type AnyTool,
  type Registration,
  effectLabel,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAITools,
} from "../../../tool/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { contractOf, howUsed } from "./list.ts";
import { defaultOf, describeLimits, describeType, descriptionOf, exampleOf } from "./describe-parameter.ts";
import { tableFor, toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine, shellPair, shellWord } from "../../program/invocation.ts";
import { requireTool, withTools, reportBrokenFiles } from "../../open/open-tools.ts";
import { type Parameter, fieldsOf, itemOf, parametersOf } from "./tool-parameters.ts";
import { prepareForCall } from "../../open/prepare-servers.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

/** `windlass tools show`. */
export const showTool: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, async (workspace) => {
    const [name = ""] = invocation.words;
    await prepareForCall(name, { workspace, terminal: invocation.terminal });
    const registration = requireTool(workspace, name, invocation);
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
  const title = tool.displayName === tool.name ? "" : `  ${terminal.paint("dim", toOneLine(tool.displayName))}`;
  return [
    `${terminal.paint("bold", tool.name)}${title}`,
    "",
    ...wrapText(stripUnsafe(tool.description), terminal.columns ?? 100),
    "",
    ...tableFor(
      terminal,
      [
        { title: "", style: "dim" },
        { title: "", long: "wrap" },
      ],
      factsOf(registration, workspace, invocation.words[0] ?? ""),
    ),
    "",
    // A tool that cannot be called needs no example.
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

// oxlint-disable-next-line complexity -- one list of facts, each there or not
function factsOf(registration: Registration, workspace: Workspace, typed: string): string[][] {
  const { tool, source } = registration;
  const file = workspace.sources.fileOf(tool.name);
  const facts: (readonly [string, string | undefined])[] = [
    ["version", tool.version],
    ["category", tool.category],
    ["tags", tool.tags.join(", ")],
    ["aliases", tool.aliases.join(", ")],
    ["capabilities", workspace.hub.capabilitiesOf(registration).join(", ")],
    ...choiceFacts(registration, workspace, typed),
    ["effect", effectTexts[effectLabel(tool)]],
    ["destructive", { true: "yes", false: "no", varies: "depends on the arguments" }[String(destructiveOf(tool))]],
    ["timeout", timeoutOf(tool)],
    ["cached for", tool.cache === undefined ? undefined : formatDuration(tool.cache.ttlMs)],
    ["status", tool.status === "active" ? undefined : tool.status],
    ["gated", tool.gated ? "yes; only available if listed in enabled_tools" : undefined],
    ["broken", tool.broken?.message],
    ["from", file ?? (source === "tools" ? "built in" : source)],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));
}

/** Candidates of a name or capability, the strategy, and the tools that are excluded. */
function choiceFacts(
  { tool, isChoice }: Registration,
  { hub }: Workspace,
  typed: string,
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
  if (isChoice !== true) return [];
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

const effectTexts: Readonly<Record<string, string>> = {
  pure: "pure (depends only on its arguments)",
  read: "read (reads external state, changes nothing)",
  idempotent: "idempotent (changes state; repeating it has no further effect)",
  once: "once (must not be repeated)",
  varies: "depends on the arguments",
};

function timeoutOf({ timeoutMs }: AnyTool): string | undefined {
  if (timeoutMs === undefined) return undefined;
  return typeof timeoutMs === "function" ? "depends on the arguments" : formatDuration(timeoutMs);
}

/** Maximum depth and number of rows for fields of lists and objects; `--json` prints all of them. */
const levels = 3;
const maxRows = 100;

function parameterRows(json: JsonSchema): string[][] {
  const rows = parametersOf(json).flatMap((parameter) => rowsOf(parameter, json, 1));
  if (rows.length <= maxRows) return rows;
  return [...rows.slice(0, maxRows), ["…", "", "", `${rows.length - maxRows} more; --json shows them`]];
}

/** A parameter and, below it, its nested fields: `edits`, `edits[].old_text`. */
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
  const columns = [
    { title: "PARAMETER", style: "bold" },
    { title: "TYPE", long: "cut" },
    { title: "", style: "yellow" },
    { title: "ABOUT", long: "wrap" },
  ] as const;
  const side = { columns: terminal.columns ?? 100, paint: terminal.paint.bind(terminal) };
  return tableFor(side, columns, rows);
}

/** A longer example is not shown. */
const maxLineLength = 200;

/** An example command: with an example of the schema, or with the required arguments. */
async function exampleCall(tool: AnyTool, invocation: Invocation): Promise<string> {
  const { json } = tool.input;
  const needed = parametersOf(json).filter(({ required }) => required);
  const made = Object.fromEntries(needed.map((parameter) => [parameter.name, exampleOf(parameter, json)]));
  const parsedInput: unknown[] = Array.isArray(json["examples"]) ? json["examples"] : [];
  const lineOf = (args: object): string => commandLine(invocation, "call", shellWord(tool.name), ...pairsOf(args));
  const lines: string[] = [];
  for (const args of [...parsedInput.filter(isRecord), made]) {
    if (!("issues" in (await tool.input.validate(args)))) lines.push(lineOf(args));
  }
  return lines.find((line) => line.length <= maxLineLength) ?? lineOf(made);
}

function pairsOf(args: object): string[] {
  return Object.entries(args).map(([name, value]: [string, unknown]) => shellPair(name, textOrJson(value)));
}

type Format = "openai" | "anthropic" | "gemini" | "mcp";

const formats: Readonly<Record<Format, (tools: readonly AnyTool[]) => readonly unknown[]>> = {
  openai: toOpenAITools,
  anthropic: toAnthropicTools,
  gemini: toGeminiTools,
  mcp: toMcpTools,
};

/** `windlass tools schema`. */
export const printToolSchema: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal, words } = invocation;
    const [name] = words;
    // The command table restricts the values.
    const convert = formats[(invocation.text("format") ?? "openai") as Format];
    if (name !== undefined)
      return terminal.print(safeJson(convert([requireTool(workspace, name, invocation).tool])[0]));
    const offered = workspace.engine.tools
      .list()
      .map(({ tool }) => tool)
      .filter(({ status, broken }) => broken === undefined && (status === "active" || status === "deprecated"));
    terminal.print(safeJson(convert(offered)));
    reportBrokenFiles(workspace, invocation);
  });
};
