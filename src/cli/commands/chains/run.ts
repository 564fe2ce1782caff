import { requirementMessages } from "../../../chain/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ListedChain, type ListedInput, listChains } from "./list-chains.ts";
import { stripUnsafe, suggest } from "../../../text/index.ts";
import { tableFor, toOneLine } from "../../terminal/format-table.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { type Invocation, commandLine, shellPair, shellWord } from "../../program/invocation.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { UsageError } from "../../program/usage-error.ts";
import { withTools } from "../../open/open-tools.ts";
import { portablePath, portableProblem } from "../validate/check-files.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `windlass chains`. */
export const showChains: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  rejectSubcommandWord(invocation, {
    of: "chains",
    names: ["list", "show"],
    hints: (word) => [`show the chain of that name with: ${commandLine(invocation, "chains show", shellWord(word))}`],
  });
  await withTools(terminal, (workspace) => {
    const chains = listChains(workspace);
    if (invocation.flag("json")) return terminal.print(safeJson(chains.map(toWire)));
    for (const line of chainTable(chains, terminal)) terminal.print(line);
    const files = [...new Set(workspace.chainFolder.problems().map(({ file }) => file))];
    if (files.length > 0) {
      const list = `${files.slice(0, 3).join(", ")}${files.length > 3 ? ", …" : ""}`;
      const how = `${files.length === 1 ? "has" : "have"} problems; for details: ${commandLine(invocation, "validate")}`;
      terminal.log(`${terminal.tint("yellow", "warning:")} ${list}: ${how}`);
    }
    const hint = `show a chain with: ${commandLine(invocation, "chains show", "NAME")}; run it with: ${commandLine(invocation, "run", "NAME")}; draw it with: ${commandLine(invocation, "graph", "NAME")}`;
    if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
  });
};

function chainTable(chains: readonly ListedChain[], terminal: Terminal): string[] {
  const rows = chains.map((chain) => [
    chain.name,
    chain.effect ?? "-",
    chain.inputs.map(inputLabel).join(" ") || "-",
    [...whyNot(chain).map((why) => `[${why}]`), chain.description].join(" "),
  ]);
  const columns = [
    { title: "NAME", style: "bold" },
    "EFFECT",
    { title: "INPUTS", long: "cut" },
    { title: "DESCRIPTION", long: "cut" },
  ] as const;
  return tableFor(terminal, columns, rows);
}

/** Why the chain is not valid, or cannot run here, in a few words; empty if it can run. */
function whyNot({ why, missing }: ListedChain): string[] {
  if (why !== undefined) return [why];
  const reasons = new Set(missing.filter(({ required }) => required).map(({ reason }) => reason));
  return reasons.size === 0 ? [] : [`cannot run here: ${[...reasons].join("; ")}`];
}

/** `query:string`, in brackets if it is optional. */
function inputLabel({ name, type, required }: ListedInput): string {
  const label = type === undefined || type === "any" ? name : `${name}:${type.replaceAll(" ", "-")}`;
  return required ? label : `[${label}]`;
}

/** `windlass chains show`. */
export const showChain: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  await withTools(terminal, (workspace) => {
    const chains = listChains(workspace);
    const [name = ""] = words;
    const chain = chains.find((one) => one.name === name);
    if (chain === undefined) {
      const near = suggest(
        name,
        chains.map((one) => one.name),
      );
      const list = `list chains with: ${commandLine(invocation, "chains")}`;
      throw new UsageError(
        `there is no chain ${JSON.stringify(name)}`,
        near === undefined ? list : `did you mean ${near}?`,
      );
    }
    if (invocation.flag("json")) terminal.print(safeJson({ ...toWire(chain), calls: chain.calls }));
    else for (const line of describeChain(chain, invocation)) terminal.print(line);
  });
};

function describeChain(chain: ListedChain, invocation: Invocation): string[] {
  const { terminal } = invocation;
  const { name, description, inputs, calls, effect, file, why, missing } = chain;
  const warnings = why === undefined ? requirementMessages(missing) : [why];
  const callRows = calls.map(({ id, tool, depends_on: after = [] }) => {
    return [id, tool, after.length === 0 ? "" : `after ${after.join(", ")}`];
  });
  const facts = [`effect ${effect ?? "unknown"}`, `from ${file === undefined ? "built in" : portablePath(file)}`];
  const example = inputs.filter(({ required }) => required).map((input) => shellPair(input.name, exampleOf(input)));
  return [
    `${terminal.paint("bold", toOneLine(name))}  ${terminal.paint("dim", facts.join(", "))}`,
    ...warnings.map((message) => terminal.paint("yellow", stripUnsafe(message).replaceAll("\n", "\n  "))),
    ...(description === "" ? [] : ["", ...wrapText(stripUnsafe(description), terminal.columns ?? 100)]),
    "",
    ...(inputs.length === 0
      ? ["It takes no input."]
      : tableFor(
          terminal,
          [{ title: "INPUT", style: "bold" }, "TYPE", "", { title: "", long: "wrap" }],
          inputs.map(inputRow),
        )),
    "",
    ...tableFor(terminal, [{ title: "STEP", style: "bold" }, "CALLS", { title: "", long: "cut" }], callRows),
    "",
    `${terminal.paint("dim", "Try:")} ${commandLine(invocation, "run", shellWord(name), ...example)}`,
  ];
}

function inputRow({ name, type = "any", required, default: value, description = "" }: ListedInput): string[] {
  const optional = value === undefined ? "optional" : `default: ${safeJson(value, 0)}`;
  return [name, type, required ? "required" : optional, toOneLine(description)];
}

/** A value of the type of an input, as it is written on a command line. */
function exampleOf({ type = "string" }: ListedInput): string {
  if (type.startsWith("list")) return type.includes("string") || type === "list" ? '["…"]' : "[1]";
  return { object: "{}", integer: "1", number: "1", boolean: "true" }[type] ?? "…";
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
    ...(chain.missing.length > 0 && { missing: chain.missing }),
    problems: chain.problems.map(portableProblem),
  };
}
