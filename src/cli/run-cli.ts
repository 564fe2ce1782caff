import { CommanderError } from "commander";
import { buildProgram } from "./build-program.ts";
import type { CommandSpec } from "./command-spec.ts";
import { commandGroups } from "./command-table.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import type { JsonForm } from "./report-error.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the program with these words; gives the exit code, and never throws. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const dispatch = async (spec: CommandSpec, invocation: Invocation): Promise<void> => {
    if (spec.load === undefined) return;
    await enter(invocation.dir);
    const run = await spec.load();
    code = (await run(invocation)) ?? exitCodes.ok;
  };
  try {
    const line = asked(words);
    await buildProgram({ terminal, dispatch, only: commandIn(line) }).parseAsync(line, { from: "user" });
  } catch (error) {
    code = await codeOf(error, terminal, words);
  }
  await terminal.drained();
  if (terminal.fault === undefined) return code;
  terminal.tell(`${terminal.tint("red", "error:")} the output could not be written: ${terminal.fault}`);
  return code === exitCodes.ok ? exitCodes.failed : code;
}

/** How a command line asks for JSON, if it does. It is looked at as it is, since it may be one that cannot be read. */
export function wantedJson(words: readonly string[]): JsonForm {
  if (words.includes("--events")) return "line";
  return words.includes("--json") ? "document" : undefined;
}

/** No words ask for help, and so does `help COMMAND`. */
function asked(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return ["--help"];
  if (first === "help") return asked([...rest.filter((word) => !word.startsWith("-")), "--help"]);
  // Commander would answer with the help of the whole program, as if the word were not there.
  const known = first.startsWith("-") || commandIn(words) !== undefined;
  return known ? words : [first];
}

/** The command with which a line begins; undefined where it begins otherwise. */
function commandIn([first]: readonly string[]): string | undefined {
  return commandGroups.flatMap(({ commands }) => commands).find(({ name }) => name === first)?.name;
}

async function codeOf(error: unknown, terminal: Terminal, words: readonly string[]): Promise<ExitCode> {
  if (error instanceof CommanderError) {
    // Commander has told what is wrong by now.
    if (error.code === "commander.unknownCommand") await suggestCall(words[0] ?? "", terminal);
    if (error.code === "commander.invalidArgument") await suggestChoice(error.message, terminal);
    if (error.exitCode === 0) return exitCodes.ok;
    await printMistake(error, terminal, wantedJson(words));
    return exitCodes.usage;
  }
  const { reportError } = await import("./report-error.ts");
  return reportError(error, terminal, wantedJson(words));
}

async function printMistake({ message }: CommanderError, terminal: Terminal, json: JsonForm): Promise<void> {
  if (json === undefined) return;
  const { printFailure, usageCode } = await import("./report-error.ts");
  printFailure(terminal, { code: usageCode, message: message.replace(/^error: /, "") }, json);
}

/** The name of a tool is no command, but easily taken for one. */
async function suggestCall(word: string, terminal: Terminal): Promise<void> {
  const { knownTools } = await import("./known-tools.ts");
  const tools = await knownTools(".").catch(() => []);
  if (!tools.some(({ name }) => name === word)) return;
  terminal.tell(terminal.tint("cyan", `${word} is a tool: windlass call ${word} [key=value…]`));
}

/** A word that is none of those that an option takes, but nearly one. */
async function suggestChoice(message: string, terminal: Terminal): Promise<void> {
  const { given = "", choices = "" } =
    /argument '(?<given>[^']*)' is invalid\. Allowed choices are (?<choices>.*)\.$/s.exec(message)?.groups ?? {};
  if (choices === "") return;
  const { suggest } = await import("../text/index.ts");
  const near = suggest(given, choices.split(", "));
  if (near !== undefined) terminal.tell(terminal.tint("cyan", `did you mean ${near}?`));
}

/** `-C DIR` holds for everything that follows, so that every relative path means what it would mean there. */
async function enter(dir: string | undefined): Promise<void> {
  if (dir === undefined) return;
  try {
    process.chdir(dir);
  } catch {
    const { UsageError } = await import("./usage-error.ts");
    throw new UsageError(`-C: there is no folder ${JSON.stringify(dir)} that can be entered`);
  }
}
