import { Argument, Command, CommanderError, InvalidArgumentError, Option, type Help } from "commander";
import { programCommand } from "./program/command-prefix.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec, CommandGroup } from "./program/command-spec.ts";
import { commandGroups, dirOption, serverOption, trustOption } from "./commands/command-table.ts";
import { exitCodes, exitCodeTexts } from "./program/exit-codes.ts";
import { type Invocation, createInvocation } from "./program/invocation.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { windlassVersion } from "../base/index.ts";

/** Terminal of the program, and the function that runs the requested command. */
export interface ProgramOptions {
  readonly terminal: Terminal;
  /** `server` is the value of `--server`. */
  readonly dispatch: (spec: CommandSpec, invocation: Invocation, server: string | undefined) => Promise<void>;
  /** The requested command, if it is certain: the others need not be built then. */
  readonly only?: string | undefined;
}

/** Builds the commander program from the command table. It throws where commander would exit. */
export function buildProgram(options: ProgramOptions): Command {
  const { terminal } = options;
  const program = new Command("windlass")
    .exitOverride()
    .enablePositionalOptions()
    .helpOption("-h, --help", "show help, also after a command")
    .helpCommand(false)
    .configureHelp({ formatHelp: formatProgramHelp })
    .configureOutput({
      // Commander writes whole lines, each with its line end.
      writeOut: (text) => terminal.print(text.replace(/\n$/, "")),
      outputError: (text, write) => write(paintError(text, terminal)),
    })
    .showHelpAfterError(`run "${programCommand("--help")}" for a list of commands`)
    .addOption(new Option("-V, --version", "print the version"))
    .addOption(toOption(dirOption))
    .addOption(toOption(trustOption));
  program.on("option:version", () => {
    terminal.print(windlassVersion());
    throw new CommanderError(exitCodes.ok, "commander.version", "");
  });
  for (const spec of commandGroups.flatMap(({ commands }) => commands)) {
    if (options.only === undefined || options.only === spec.name) addCommand(program, spec, options);
  }
  return program;
}

function addCommand(parent: Command, spec: CommandSpec, options: ProgramOptions, isDefault = false): void {
  const command = parent
    .command(spec.name, { hidden: spec.hidden ?? false, isDefault })
    .configureHelp({ formatHelp: (shown, help) => formatCommandHelp(shown, help, spec) });
  if (spec.raw === true) command.passThroughOptions().allowUnknownOption().helpOption(false);
  else command.enablePositionalOptions();
  for (const argument of spec.args ?? []) command.addArgument(toArgument(argument));
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  if (spec.raw !== true) addCommonOptions(command, spec);
  command.showHelpAfterError(`run "${programCommand(`${namesOf(command).join(" ")} --help`)}" for usage`);
  for (const [index, child] of (spec.commands ?? []).entries()) addCommand(command, child, options, index === 0);
  if (spec.load === undefined) return;
  command.action(() => {
    const input = {
      terminal: options.terminal,
      words: command.args,
      options: command.opts(),
      dir: dirOf(command),
      trust: isTrusted(command),
    };
    return options.dispatch(spec, createInvocation(input), serverOf(command));
  });
}

function addCommonOptions(command: Command, { remote }: CommandSpec): void {
  command.addOption(toOption(dirOption)).addOption(toOption(trustOption));
  command.addOption(toOption(serverOption).hideHelp(remote !== true));
}

/** The innermost `-C` takes precedence. */
function dirOf(command: Command | null): string | undefined {
  if (command === null) return undefined;
  const { dir } = command.opts<{ dir?: string }>();
  return dir ?? dirOf(command.parent);
}

/** The innermost `--server` takes precedence. */
function serverOf(command: Command | null): string | undefined {
  if (command === null) return undefined;
  const { server } = command.opts<{ server?: string }>();
  return server ?? serverOf(command.parent);
}

/** True if the command or one before it has `--trust`. */
function isTrusted(command: Command | null): boolean {
  return command !== null && (command.opts<{ trust?: boolean }>().trust === true || isTrusted(command.parent));
}

function toArgument({ name, about, optional, several, choices }: ArgumentSpec): Argument {
  const word = several === true ? `${name}...` : name;
  const argument = new Argument(optional === true ? `[${word}]` : `<${word}>`, about);
  return choices === undefined ? argument : argument.choices(choices);
}

function toOption({ flags, about, choices, min, max, whole, several }: OptionSpec): Option {
  const option = new Option(flags.replace(/ ([A-Z=]+)$/, " <$1>"), about);
  if (choices !== undefined) option.choices(choices);
  if (min !== undefined) option.argParser((text) => readNumber(text, min, max, whole === true));
  if (several === true) option.argParser((text, before?: readonly string[]) => [...(before ?? []), text]);
  return option;
}

function readNumber(text: string, min: number, max: number | undefined, whole: boolean): number {
  const number = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number > (max ?? Infinity)) throw new InvalidArgumentError(`Write a number of at most ${max}.`);
  if (number >= min && (!whole || Number.isSafeInteger(number))) return number;
  const kind = whole ? "a whole number" : "a number";
  throw new InvalidArgumentError(min < 1 && min > 0 ? `Write ${kind} above 0.` : `Write ${kind} of at least ${min}.`);
}

/** Formats commander's message like our own: `error: …`, then the hint. */
function paintError(text: string, terminal: Terminal): string {
  // It repeats words of the command line, which a script may have got from anywhere.
  // oxlint-disable-next-line no-control-regex
  const plain = text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "");
  return plain.replace(/^error:/, terminal.tint("red", "error:")).replace(/<([A-Z=]+)>/, "$1");
}

/** Help of the program: its purpose, its commands in groups, and examples. */
function formatProgramHelp(program: Command, help: Help): string {
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
function formatCommandHelp(command: Command, help: Help, spec: CommandSpec): string {
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
function usageText(spec: CommandSpec): string {
  const words = (spec.args ?? [])
    .filter(({ about }) => about !== "")
    .map(({ name, several, optional }) => {
      const word = several === true ? `${name}…` : name;
      return optional === true ? `[${word}]` : word;
    });
  return [...(spec.commands === undefined ? [] : ["[COMMAND]"]), ...words, "[options]"].join(" ");
}

/** Full name of a command, without the program: `tools`, `show`. */
function namesOf(command: Command): string[] {
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
