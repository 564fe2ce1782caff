import type { Command, Help } from "commander";
import type { CommandGroup, CommandSpec } from "./command-spec.ts";
import { commandGroups } from "./command-table.ts";
import { exitCodeWords } from "./exit-codes.ts";

/** The help of the program: what it is for, its commands in groups, how to begin. */
export function formatProgramHelp(program: Command, help: Help): string {
  const width = longest(commandGroups.flatMap(({ commands }) => visible(commands).map(({ name }) => name)));
  const wrap = (text: string): string => help.boxWrap(text, help.helpWidth ?? 80);
  const codes = exitCodeWords.map(([code, means]) => `${code} ${means}`).join(", ");
  return [
    wrap("Windlass calls tools, for you and for your agents: one policy, one record, one set of limits."),
    "",
    `${title("Usage:")} windlass COMMAND [options]`,
    "",
    ...commandGroups.flatMap((group) => [...formatGroup(group, width, help), ""]),
    ...formatOptions(program, help),
    "",
    title("Examples:"),
    ...programExamples.map((line) => `  ${line}`),
    "",
    wrap(`${title("Exit codes:")} ${codes}`),
    "",
    "windlass help COMMAND tells more about a command.",
    "",
  ].join("\n");
}

const programExamples = [
  'windlass call calculator expression="2*(3+4)"',
  "windlass tools search http",
  "windlass init my-tools",
];

/** The help of one command. */
export function formatCommandHelp(command: Command, help: Help, spec: CommandSpec): string {
  const name = pathOf(command);
  const about = `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`;
  const args = (spec.args ?? []).filter(({ about }) => about !== "");
  const children = spec.commands ?? [];
  const width = longest([...args, ...children].map((item) => item.name));
  const items = (list: readonly { name: string; about?: string; summary?: string }[]): string[] =>
    list.map((item) => help.formatItem(item.name, width, item.about ?? item.summary ?? "", help));
  const details = spec.details === undefined ? [] : ["", help.boxWrap(spec.details, help.helpWidth ?? 80)];
  return [
    about,
    ...details,
    "",
    `${title("Usage:")} ${name} ${usageOf(spec)}`,
    "",
    ...(args.length === 0 ? [] : [title("Arguments:"), ...items(args), ""]),
    ...(children.length === 0 ? [] : [title("Commands:"), ...items(children), ""]),
    ...formatOptions(command, help),
    ...(spec.examples === undefined ? [] : ["", title("Examples:"), ...spec.examples.map((line) => `  ${line}`)]),
    "",
  ].join("\n");
}

/** `TOOL [key=value…] [options]`. */
export function usageOf(spec: CommandSpec): string {
  const words = (spec.args ?? [])
    .filter(({ about }) => about !== "")
    .map(({ name, several, optional }) => {
      const word = several === true ? `${name}…` : name;
      return optional === true ? `[${word}]` : word;
    });
  return [...(spec.commands === undefined ? [] : ["[COMMAND]"]), ...words, "[options]"].join(" ");
}

/** The words that lead to a command: `windlass tools show`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function formatGroup(group: CommandGroup, width: number, help: Help): string[] {
  const lines = visible(group.commands).map(({ name, summary }) => help.formatItem(name, width, summary, help));
  return [title(`${group.title}:`), ...lines];
}

function formatOptions(command: Command, help: Help): string[] {
  const options = help.visibleOptions(command);
  const terms = options.map((option) => help.optionTerm(option).replaceAll(/[<>]/g, ""));
  const lines = options.map((option, at) =>
    help.formatItem(terms[at] ?? "", longest(terms), help.optionDescription(option), help),
  );
  return [title("Options:"), ...lines];
}

function visible(commands: readonly CommandSpec[]): CommandSpec[] {
  return commands.filter(({ hidden }) => hidden !== true);
}

function longest(words: readonly string[]): number {
  return Math.max(0, ...words.map((word) => word.length));
}

/** Commander takes the colours away where the terminal has none. */
function title(text: string): string {
  const { styleText } = process.getBuiltinModule("node:util");
  return styleText("bold", text, { validateStream: false });
}
