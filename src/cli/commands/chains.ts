import type { RunCommand } from "../command-spec.ts";
import { type ListedChain, listChains } from "../list-chains.ts";
import { formatTable } from "../format-table.ts";
import { commandLine } from "../invocation.ts";
import { withTools } from "../open-tools.ts";
import { portablePath } from "../check-files.ts";
import { safeJson } from "../safe-json.ts";
import type { Terminal } from "../terminal.ts";

/** `windlass chains`. */
export const showChains: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  await withTools(terminal, (workspace) => {
    const chains = listChains(workspace);
    if (invocation.flag("json")) {
      terminal.print(safeJson(chains.map(toWire)));
      return;
    }
    for (const line of chainTable(chains, terminal)) terminal.print(line);
    const files = [...new Set(workspace.chainFolder.problems().map(({ file }) => file))];
    if (files.length > 0) {
      const what = `${files.slice(0, 3).join(", ")}${files.length > 3 ? ", …" : ""}`;
      const how = `${commandLine(invocation, "validate")} shows what is wrong with ${files.length === 1 ? "it" : "them"}`;
      terminal.tell(`${terminal.tint("yellow", "warning:")} ${what}: ${how}`);
    }
    const hint = `${commandLine(invocation, "run", "NAME")} runs a chain, ${commandLine(invocation, "graph", "NAME")} draws it`;
    if (terminal.columns !== undefined) terminal.tell(terminal.tint("dim", hint));
  });
};

function chainTable(chains: readonly ListedChain[], terminal: Terminal): string[] {
  const rows = chains.map(({ name, effect, inputs, description, why }) => [
    name,
    effect ?? "-",
    inputs.map((input) => (input.required ? input.name : `[${input.name}]`)).join(" ") || "-",
    [...(why === undefined ? [] : [`[${why}]`]), description].join(" "),
  ]);
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "NAME", paint: (cell) => terminal.paint("bold", cell) },
      { title: "EFFECT" },
      { title: "INPUTS", long: "cut" },
      { title: "WHAT IT DOES", long: "cut" },
    ],
  });
}

function toWire(chain: ListedChain): Record<string, unknown> {
  return {
    name: chain.name,
    description: chain.description,
    version: chain.version,
    source: chain.file === undefined ? "built-in" : "workspace",
    ...(chain.file !== undefined && { file: portablePath(chain.file) }),
    steps: chain.steps,
    inputs: chain.inputs,
    ...(chain.schema !== undefined && { input_schema: chain.schema }),
    ...(chain.effect !== undefined && { effect: chain.effect, destructive: chain.destructive }),
    valid: chain.why === undefined,
    problems: chain.problems.map((problem) => ({ ...problem, file: portablePath(problem.file) })),
  };
}
