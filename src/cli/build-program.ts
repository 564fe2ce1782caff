import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { programCommand } from "./program/command-prefix.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./program/command-spec.ts";
import { commandGroups, dirOption, trustOption } from "./commands/command-table.ts";
import { exitCodes } from "./program/exit-codes.ts";
import { formatCommandHelp, formatProgramHelp, namesOf } from "./format-help.ts";
import { type Invocation, createInvocation } from "./program/invocation.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { windlassVersion } from "./program/version.ts";

/** Terminal of the program, and the function that runs the requested command. */
export interface ProgramOptions {
  readonly terminal: Terminal;
  readonly dispatch: (spec: CommandSpec, invocation: Invocation) => Promise<void>;
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
  if (spec.raw !== true) command.addOption(toOption(dirOption)).addOption(toOption(trustOption));
  command.showHelpAfterError(`run "${programCommand(`${namesOf(command).join(" ")} --help`)}" for usage`);
  for (const [index, child] of (spec.commands ?? []).entries()) addCommand(command, child, options, index === 0);
  if (spec.load === undefined) return;
  command.action(() => {
    const { terminal, dispatch } = options;
    const input = {
      terminal,
      words: command.args,
      options: command.opts(),
      dir: dirOf(command),
      trust: isTrusted(command),
    };
    return dispatch(spec, createInvocation(input));
  });
}

/** The innermost `-C` takes precedence. */
function dirOf(command: Command | null): string | undefined {
  if (command === null) return undefined;
  const { dir } = command.opts<{ dir?: string }>();
  return dir ?? dirOf(command.parent);
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
  if (min !== undefined) option.argParser((text) => readNumber(text, { min, max, whole: whole === true }));
  if (several === true) option.argParser((text, before?: readonly string[]) => [...(before ?? []), text]);
  return option;
}

interface NumberRange {
  readonly min: number;
  readonly max: number | undefined;
  readonly whole: boolean;
}

function readNumber(text: string, { min, max, whole }: NumberRange): number {
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
