import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./command-spec.ts";
import { commandGroups, dirOption } from "./command-table.ts";
import { exitCodes } from "./exit-codes.ts";
import { formatCommandHelp, formatProgramHelp, pathOf } from "./format-help.ts";
import { type Invocation, createInvocation } from "./invocation.ts";
import type { Terminal } from "./terminal.ts";
import { windlassVersion } from "./version.ts";

/** What the program talks to, and what runs a command that was asked for. */
export interface ProgramOptions {
  readonly terminal: Terminal;
  readonly dispatch: (spec: CommandSpec, invocation: Invocation) => Promise<void>;
  /** The command that is asked for, where that is certain: the others need not be made then. */
  readonly only?: string | undefined;
}

/** The command line of the program, made from the table of commands. It throws where commander would exit. */
export function buildProgram(options: ProgramOptions): Command {
  const { terminal } = options;
  const program = new Command("windlass")
    .exitOverride()
    .enablePositionalOptions()
    .helpOption("-h, --help", "show help, also after a command")
    .helpCommand(false)
    .configureHelp({ formatHelp: formatProgramHelp })
    .configureOutput({
      // Whole lines come, each with its end.
      writeOut: (text) => terminal.print(text.replace(/\n$/, "")),
      outputError: (text, write) => write(paintError(text, terminal)),
    })
    .showHelpAfterError("windlass --help lists the commands")
    .addOption(new Option("-V, --version", "print the version"))
    .addOption(toOption(dirOption));
  program.on("option:version", () => {
    terminal.print(windlassVersion());
    throw new CommanderError(exitCodes.ok, "commander.version", "");
  });
  for (const spec of commandGroups.flatMap(({ commands }) => commands)) {
    if (options.only === undefined || options.only === spec.name) addCommand(program, spec, options);
  }
  return program;
}

// oxlint-disable-next-line max-params -- the last one only tells siblings apart
function addCommand(parent: Command, spec: CommandSpec, options: ProgramOptions, isDefault = false): void {
  const command = parent
    .command(spec.name, { hidden: spec.hidden ?? false, isDefault })
    .configureHelp({ formatHelp: (shown, help) => formatCommandHelp(shown, help, spec) });
  if (spec.raw === true) command.passThroughOptions().allowUnknownOption().helpOption(false);
  else command.enablePositionalOptions();
  for (const argument of spec.args ?? []) command.addArgument(toArgument(argument));
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  if (spec.raw !== true) command.addOption(toOption(dirOption));
  command.showHelpAfterError(`${pathOf(command)} --help shows how it is used`);
  for (const [index, child] of (spec.commands ?? []).entries()) addCommand(command, child, options, index === 0);
  if (spec.load === undefined) return;
  command.action(() => {
    const { terminal, dispatch } = options;
    const given = { terminal, words: command.args, options: command.opts(), dir: dirOf(command) };
    return dispatch(spec, createInvocation(given));
  });
}

/** The `-C` nearest to the command counts. */
function dirOf(command: Command | null): string | undefined {
  if (command === null) return undefined;
  const { dir } = command.opts<{ dir?: string }>();
  return dir ?? dirOf(command.parent);
}

function toArgument({ name, about, optional, several, choices }: ArgumentSpec): Argument {
  const word = several === true ? `${name}...` : name;
  const argument = new Argument(optional === true ? `[${word}]` : `<${word}>`, about);
  return choices === undefined ? argument : argument.choices(choices);
}

function toOption({ flags, about, choices, atLeast, whole, several }: OptionSpec): Option {
  const option = new Option(flags.replace(/ ([A-Z=]+)$/, " <$1>"), about);
  if (choices !== undefined) option.choices(choices);
  if (atLeast !== undefined) option.argParser((text) => readNumber(text, atLeast, whole === true));
  if (several === true) option.argParser((text, before?: readonly string[]) => [...(before ?? []), text]);
  return option;
}

function readNumber(text: string, atLeast: number, whole: boolean): number {
  const number = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= atLeast && (!whole || Number.isSafeInteger(number))) return number;
  const kind = whole ? "a whole number" : "a number";
  throw new InvalidArgumentError(
    atLeast < 1 && atLeast > 0 ? `Write ${kind} above 0.` : `Write ${kind} of at least ${atLeast}.`,
  );
}

/** Commander's words, in the manner of ours: `error: …`, then what to do. */
function paintError(text: string, terminal: Terminal): string {
  // It repeats words of the command line, which a script may have got from anywhere.
  // oxlint-disable-next-line no-control-regex
  const plain = text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "");
  return plain.replace(/^error:/, terminal.tint("red", "error:")).replace(/<([A-Z=]+)>/, "$1");
}
