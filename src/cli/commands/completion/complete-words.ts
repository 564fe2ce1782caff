import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from "../../program/command-spec.ts";
import { commandGroups, dirOption, trustOption } from "../command-table.ts";

/** A possible completion of a word. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Result of a completion, for the shell. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Additional action of the shell: offer files or folders, or add no space. */
  readonly also?: "files" | "folders" | "nospace";
}

/** Sources for candidates that are not in the command table; each is called only if needed. */
export interface CompletionSources {
  tools(): Promise<readonly Candidate[]>;
  /** Parameters of a tool, each followed by `=`, or the values of the one that is being typed. */
  parameters(tool: string, typed: string): Promise<readonly Candidate[]>;
  chains(): Promise<readonly Candidate[]>;
  /** Inputs of a chain, each followed by `=`. */
  inputs(chain: string): Promise<readonly Candidate[]>;
  /** Steps of the chain of a run. */
  steps(run: string): Promise<readonly Candidate[]>;
  runs(): Promise<readonly Candidate[]>;
  approvals(): Promise<readonly Candidate[]>;
}

/** Returns the completions of the last word, given the words before it. */
export async function completeWords(words: readonly string[], sources: CompletionSources): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const { command, operands, option } = readLine(words.slice(0, -1));
  const offered =
    option !== undefined ? option : current.startsWith("-") ? undefined : argumentAt(command, operands.length);
  const found =
    offered === undefined
      ? optionsOrCommands(command, { current, operands })
      : await valuesFor(offered, { current, operands, sources });
  const candidates = found.candidates.filter(({ word }) => word.startsWith(current));
  return { ...found, candidates };
}

interface Line {
  /** Undefined before a command is named. */
  readonly command: CommandSpec | undefined;
  /** Words that are neither commands nor options. */
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly option: OptionSpec | undefined;
}

function readLine(words: readonly string[]): Line {
  let command: CommandSpec | undefined;
  let option: OptionSpec | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
    } else if (word.startsWith("-")) {
      option = takesValue(optionsOf(command).find(({ flags }) => namesOf(flags).includes(word)));
    } else {
      const child = operands.length === 0 ? commandsOf(command).find(({ name }) => name === word) : undefined;
      if (child !== undefined) command = child;
      else if (command !== undefined || word !== "help") operands.push(word);
    }
  }
  return { command, operands, option };
}

function takesValue(option: OptionSpec | undefined): OptionSpec | undefined {
  return option !== undefined && / [A-Z=]+$/.test(option.flags) ? option : undefined;
}

/** `-C, --dir DIR` has the names `-C` and `--dir`. */
function namesOf(flags: string): string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith("-"));
}

function optionsOf(command: CommandSpec | undefined): readonly OptionSpec[] {
  // Without a subcommand the first one runs, so its options apply too.
  const [first] = command?.commands ?? [];
  const own = [...(command?.options ?? []), ...(first?.options ?? []), dirOption, trustOption, help];
  return command === undefined ? [...own, version] : own;
}

const help: OptionSpec = { flags: "-h, --help", about: "show help" };
const version: OptionSpec = { flags: "-V, --version", about: "print the version" };

function commandsOf(command: CommandSpec | undefined): readonly CommandSpec[] {
  return command === undefined ? commandGroups.flatMap(({ commands }) => commands) : (command.commands ?? []);
}

function argumentAt(command: CommandSpec | undefined, index: number): ArgumentSpec | undefined {
  const args = command?.args ?? [];
  const last = args.at(-1);
  return args[index] ?? (last?.several === true ? last : undefined);
}

function optionsOrCommands(
  command: CommandSpec | undefined,
  { current, operands }: { current: string; operands: readonly string[] },
): Completion {
  if (current.startsWith("-")) {
    const candidates = optionsOf(command).flatMap(({ flags, about }) =>
      namesOf(flags)
        .filter((name) => name.startsWith("--"))
        .map((word) => ({ word, about })),
    );
    return { candidates };
  }
  const commands = operands.length === 0 ? commandsOf(command).filter(({ hidden }) => hidden !== true) : [];
  return { candidates: commands.map(({ name, summary }) => ({ word: name, about: summary })) };
}

interface CompletionRequestWord {
  readonly current: string;
  readonly operands: readonly string[];
  readonly sources: CompletionSources;
}

async function valuesFor(spec: ArgumentSpec | OptionSpec, request: CompletionRequestWord): Promise<Completion> {
  if (spec.choices !== undefined) return { candidates: spec.choices.map((word) => ({ word, about: "" })) };
  return spec.completes === undefined ? { candidates: [] } : await valuesOfKind(spec.completes, request);
}

async function valuesOfKind(kind: Completes, request: CompletionRequestWord): Promise<Completion> {
  const { sources } = request;
  switch (kind) {
    case "parameter":
    case "input":
    case "step":
      return await valuesOfOperand(kind, request);
    case "tool":
      return { candidates: await sources.tools() };
    case "chain":
      // A path can be used instead of a name.
      return { candidates: await sources.chains(), also: "files" };
    case "run":
      return { candidates: await sources.runs() };
    case "approval":
      return { candidates: await sources.approvals() };
    case "file":
    case "folder":
      return { candidates: [], also: kind === "file" ? "files" : "folders" };
    default:
      return kind satisfies never;
  }
}

/** Candidates that depend on the first operand: a tool, a chain or a run. */
async function valuesOfOperand(
  kind: "parameter" | "input" | "step",
  { current, operands: [first = ""], sources }: CompletionRequestWord,
): Promise<Completion> {
  if (kind === "step") return { candidates: await sources.steps(first) };
  const isValue = current.includes("=");
  const inputs = (): Promise<readonly Candidate[]> => (isValue ? Promise.resolve([]) : sources.inputs(first));
  const candidates = await (kind === "input" ? inputs() : sources.parameters(first, current));
  return { candidates, ...(!isValue && { also: "nospace" as const }) };
}
