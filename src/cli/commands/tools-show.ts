import type { Workspace } from "../../app/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { defaultOf, describeLimits, describeType, descriptionOf, exampleOf } from "../describe-parameter.ts";
import { formatDuration } from "../format-figures.ts";
import { formatTable, oneLine } from "../format-table.ts";
import { type Invocation, commandLine, shellPair, shellWord } from "../invocation.ts";
import { findTool, withTools } from "../open-tools.ts";
import { type Parameter, parametersOf } from "../parameters-of.ts";
import { safeJson } from "../safe-json.ts";
import { destructiveOf, effectOf, toWireTool } from "../wire-tool.ts";
import { wrapText } from "../wrap-text.ts";

/** `windlass tools show`. */
export const showTool: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, async (workspace) => {
    const [name = ""] = invocation.words;
    await workspace.sources.mcp?.prepare(name);
    const registration = findTool(workspace, name, invocation);
    const { terminal } = invocation;
    if (invocation.flag("json")) {
      const { input, output } = registration.tool;
      const schemas = { input_schema: input.json, ...(output !== undefined && { output_schema: output.json }) };
      terminal.print(safeJson({ ...toWireTool(registration, workspace), ...schemas }));
      return;
    }
    for (const line of describeTool(registration, workspace, invocation)) terminal.print(line);
  });
};

function describeTool(registration: Registration, workspace: Workspace, invocation: Invocation): string[] {
  const { tool } = registration;
  const { terminal } = invocation;
  const parameters = parametersOf(tool.input.json);
  const title = tool.displayName === tool.name ? "" : `  ${terminal.paint("dim", oneLine(tool.displayName))}`;
  return [
    `${terminal.paint("bold", tool.name)}${title}`,
    "",
    ...wrapText(stripUnsafe(tool.description), terminal.columns ?? 100),
    "",
    ...formatTable(factsOf(registration, workspace), {
      width: terminal.columns,
      columns: [
        { title: "", paint: (cell) => terminal.paint("dim", cell) },
        { title: "", long: "wrap" },
      ],
    }),
    "",
    ...(parameters.length === 0 ? ["It takes no arguments."] : parameterTable(parameters, invocation)),
    "",
    `${terminal.paint("dim", "Try:")} ${exampleCall(tool, parameters, invocation)}`,
  ];
}

// oxlint-disable-next-line complexity -- one list of facts, each there or not
function factsOf({ tool, source }: Registration, workspace: Workspace): string[][] {
  const file = workspace.sources.fileOf(tool.name);
  const facts: (readonly [string, string | undefined])[] = [
    ["version", tool.version],
    ["category", tool.category],
    ["tags", tool.tags.join(", ")],
    ["also called", tool.aliases.join(", ")],
    ["capabilities", tool.capabilities.join(", ")],
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

function parameterTable(parameters: readonly Parameter[], { terminal }: Invocation): string[] {
  const rows = parameters.map((parameter) => {
    const preset = defaultOf(parameter);
    const notes = [
      ...describeLimits(parameter),
      ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
    ];
    const about = [descriptionOf(parameter), notes.length === 0 ? "" : `(${notes.join("; ")})`].join(" ");
    return [parameter.name, describeType(parameter), parameter.required ? "required" : "", about];
  });
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

/** A command line with the arguments that the tool needs. */
function exampleCall(tool: AnyTool, parameters: readonly Parameter[], invocation: Invocation): string {
  const needed = parameters.filter(({ required }) => required);
  const pairs = needed.map((parameter) => {
    const value = exampleOf(parameter);
    return shellPair(parameter.name, typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  });
  return commandLine(invocation, "call", shellWord(tool.name), ...pairs);
}
