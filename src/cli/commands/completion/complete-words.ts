import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from "./command-spec.ts";
import { commandGroups, dirOption } from "./command-table.ts";

/** Something a word can become. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What a shell is told. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** What the shell does besides: offer files or folders, or put no space behind. */
  readonly also?: "files" | "folders" | "nospace";
}

/** Finds what is not in the table of commands; each is asked only when it is needed. */
export interface CompletionSources {
  tools(): Promise<readonly Candidate[]>;
  /** The parameters of a tool, each with `=` behind, or the values of one that is being typed. */
  parameters(tool: string, typed: string): Promise<readonly Candidate[]>;
  chains(): Promise<readonly Candidate[]>;
  runs(): Promise<readonly Candidate[]>;
  approvals(): Promise<readonly Candidate[]>;
}

/** What the last word could become, after those before it. */
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
  /** Undefined while no command is named. */
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
  // Without a command beneath, the first one runs: its options count too.
  const [first] = command?.commands ?? [];
  const own = [...(command?.options ?? []), ...(first?.options ?? []), dirOption, help];
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

interface Asked {
  readonly current: string;
  readonly operands: readonly string[];
  readonly sources: CompletionSources;
}

async function valuesFor(spec: ArgumentSpec | OptionSpec, asked: Asked): Promise<Completion> {
  if (spec.choices !== undefined) return { candidates: spec.choices.map((word) => ({ word, about: "" })) };
  return spec.completes === undefined ? { candidates: [] } : await valuesOfKind(spec.completes, asked);
}

async function valuesOfKind(kind: Completes, { current, operands, sources }: Asked): Promise<Completion> {
  switch (kind) {
    case "tool":
      return { candidates: await sources.tools() };
    case "parameter": {
      const candidates = await sources.parameters(operands[0] ?? "", current);
      return { candidates, ...(current.includes("=") ? {} : { also: "nospace" as const }) };
    }
    case "chain":
      // A file is as good as a name.
      return { candidates: await sources.chains(), also: "files" };
    case "run":
      return { candidates: await sources.runs() };
    case "approval":
      return { candidates: await sources.approvals() };
    case "file":
      return { candidates: [], also: "files" };
    case "folder":
      return { candidates: [], also: "folders" };
    default:
      return kind satisfies never;
  }
}
