import type { Command, Help } from "commander";
import { programCommand } from "./program/command-prefix.ts";
import type { CommandGroup, CommandSpec } from "./program/command-spec.ts";
import { commandGroups } from "./commands/command-table.ts";
import { exitCodeTexts } from "./program/exit-codes.ts";

/** Help of the program: its purpose, its commands in groups, and examples. */
export function formatProgramHelp(program: Command, help: Help): string {
  const width = maxLength(commandGroups.flatMap(({ commands }) => visible(commands).map(({ name }) => name)));
  const wrap = (text: string): string => help.boxWrap(text, help.helpWidth ?? 80);
  const codes = exitCodeTexts.map(([code, means]) => `${code} ${means}`).join(", ");
  return [
    wrap("Windlass runs tools for you and your agents: one permission policy, one journal, one set of limits."),
    "",
    `${title("Usage:")} ${programCommand("COMMAND [options]")}`,
    "",
    ...commandGroups.flatMap((group) => [...formatGroup(group, width, help), ""]),
    ...formatOptions(program, help),
    "",
    title("Examples:"),
    ...programExamples.map(formatExample),
    "",
    wrap(`${title("Exit codes:")} ${codes}`),
    "",
    `Run "${programCommand("help COMMAND")}" for details.`,
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
  const about = `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`;
  const args = (spec.args ?? []).filter(({ about }) => about !== "");
  const children = spec.commands ?? [];
  const width = maxLength([...args, ...children].map((item) => item.name));
  const items = (list: readonly { name: string; about?: string; summary?: string }[]): string[] =>
    list.map((item) => help.formatItem(item.name, width, item.about ?? item.summary ?? "", help));
  const details = spec.details === undefined ? [] : ["", help.boxWrap(typed(spec.details), help.helpWidth ?? 80)];
  return [
    about,
    ...details,
    "",
    `${title("Usage:")} ${programCommand([...namesOf(command), usageText(spec)].join(" "))}`,
    "",
    ...(args.length === 0 ? [] : [title("Arguments:"), ...items(args), ""]),
    ...(children.length === 0 ? [] : [title("Commands:"), ...items(children), ""]),
    ...formatOptions(command, help),
    ...(spec.examples === undefined ? [] : ["", title("Examples:"), ...spec.examples.map(formatExample)]),
    "",
  ].join("\n");
}

function formatExample(line: string): string {
  return `  ${typed(line)}`;
}

/** A text of the help, with commands as the user has to type them. */
function typed(text: string): string {
  return text.replaceAll(/(?<=^|\| |`)windlass (?=\S)/g, () => programCommand(""));
}

/** `TOOL [key=value…] [options]`. */
export function usageText(spec: CommandSpec): string {
  const words = (spec.args ?? [])
    .filter(({ about }) => about !== "")
    .map(({ name, several, optional }) => {
      const word = several === true ? `${name}…` : name;
      return optional === true ? `[${word}]` : word;
    });
  return [...(spec.commands === undefined ? [] : ["[COMMAND]"]), ...words, "[options]"].join(" ");
}

/** Full name of a command, without the program: `tools`, `show`. */
export function namesOf(command: Command): string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

function formatGroup(group: CommandGroup, width: number, help: Help): string[] {
  const lines = visible(group.commands).map(({ name, summary }) => help.formatItem(name, width, summary, help));
  return [title(`${group.title}:`), ...lines];
}

function formatOptions(command: Command, help: Help): string[] {
  const options = help.visibleOptions(command);
  const terms = options.map((option) => help.optionTerm(option).replaceAll(/[<>]/g, ""));
  const lines = options.map((option, at) =>
    help.formatItem(terms[at] ?? "", maxLength(terms), help.optionDescription(option), help),
  );
  return [title("Options:"), ...lines];
}

function visible(commands: readonly CommandSpec[]): CommandSpec[] {
  return commands.filter(({ hidden }) => hidden !== true);
}

function maxLength(words: readonly string[]): number {
  return Math.max(0, ...words.map((word) => word.length));
}

/** Commander strips the colors if the terminal has none. */
function title(text: string): string {
  const { styleText } = process.getBuiltinModule("node:util");
  return styleText("bold", text, { validateStream: false });
}
