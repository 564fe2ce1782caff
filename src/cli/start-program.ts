/**
 * The program `windlass`. `startProgram` parses the words, loads one command and exits with its code.
 *
 * Belongs here: commands (`commands/specs/` describes them, `commands/NAME/run.ts` executes one), the terminal, JSON
 * outputs. Anything that a user of the library needs, too, belongs to a layer above.
 *
 * Must stay true: a command loads only the code that it executes. Results are on stdout, everything else on stderr.
 * Text of tools, models and files never controls the terminal. The exit code names the kind of failure
 * (`program/exit-codes.ts`). The structure of `--json` is pinned in `test/pins/json-outputs.slow.test.ts`.
 *
 * Test: `node scripts/build.ts && npm run vitest -- run src/cli test/cli`
 */

import { npmInvocationFolder, commandPrefix, programCommand } from "./program/command-prefix.ts";
import { endProcess, onUnexpectedExit } from "./program/watch-interrupts.ts";
import type { JsonForm } from "./program/report-error.ts";
import { type Terminal, processTerminal } from "./terminal/terminal.ts";
import { CommanderError } from "commander";
import { buildProgram } from "./build-program.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "./program/command-spec.ts";
import { commandGroups } from "./commands/command-table.ts";
import { type ExitCode, exitCodes } from "./program/exit-codes.ts";
import type { Invocation } from "./program/invocation.ts";

/** Runs the program with the arguments of this process, and exits. */
export async function startProgram(): Promise<void> {
  const words = process.argv.slice(2);
  const terminal = processTerminal();
  // A rejection that a tool left unhandled must not discard its result; an error that breaks the program ends it with a
  // message.
  process.on("unhandledRejection", (error) => void report(error, terminal));
  process.on("uncaughtException", (error) => void endWith(error, terminal, words));
  onUnexpectedExit((message) => {
    terminal.log(`${terminal.tint("red", "error:")} ${message}`);
    const result = { success: false, error: { code: "execution_error", message } };
    const json = requestedJsonForm(words);
    if (json === "line") terminal.print(JSON.stringify(result));
    else if (json === "document" && !terminal.printed) terminal.print(JSON.stringify(result, undefined, 2));
  });
  dropModuleWarnings();
  enterTypedFolder();
  const code = await runCli(words, terminal);
  await terminal.drained();
  // Ends anything that a tool left running.
  endProcess(code);
}

/** Node's own warnings about the module type of a tool's file: its error, if there is one, says what to do. */
function dropModuleWarnings(): void {
  const listeners = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    const code = "code" in warning ? warning.code : undefined;
    if (code === "MODULE_TYPELESS_PACKAGE_JSON" || warning.message.startsWith("Failed to load the ES module:")) return;
    for (const listener of listeners) listener(warning);
  });
}

/** Paths are relative to the folder in which they were typed. */
function enterTypedFolder(): void {
  const dir = npmInvocationFolder(process.env);
  if (dir === undefined) return;
  process.chdir(dir);
  // Programs started by this one use the folder in which they are started.
  delete process.env["INIT_CWD"];
}

async function endWith(error: unknown, terminal: Terminal, words: readonly string[]): Promise<void> {
  await report(error, terminal, requestedJsonForm(words));
  await terminal.drained();
  endProcess(1);
}

async function report(error: unknown, terminal: Terminal, json?: JsonForm): Promise<void> {
  try {
    const { reportUnexpected } = await import("./program/report-error.ts");
    reportUnexpected(error, terminal, json);
  } catch {
    // The package was replaced or removed while the program runs: a failure here would report itself forever.
    terminal.log(`${terminal.tint("red", "error:")} ${String(error)}`);
    terminal.log("  files of windlass are missing, perhaps because the package was updated; start the command again");
    await terminal.drained();
    endProcess(1);
  }
}

/** Stands for the newest run. */
const lastRunWord = "last";

/** Runs the program with these words; returns the exit code, and never throws. */
async function runCli(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const dispatch = async (spec: CommandSpec, invocation: Invocation, serverUrl: string | undefined): Promise<void> => {
    if (spec.load === undefined) return;
    await enter(invocation.dir);
    // Like the folder, it applies to everything that follows.
    if (invocation.trust) process.env["WINDLASS_TRUST"] = "1";
    const server = await serverFor(spec, serverUrl, terminal);
    const entered = server === undefined ? await atChainFile(spec, invocation) : { ...invocation, server };
    const [{ setCliPrefix }, { shellWord }] = await Promise.all([
      import("../base/index.ts"),
      import("./program/invocation.ts"),
    ]);
    setCliPrefix(commandPrefix(process.env, process.argv[1]), entered.dir && shellWord(entered.dir));
    const run = await spec.load();
    code = (await run(await withLastRun(spec, entered))) ?? exitCodes.ok;
  };
  try {
    const line = requestedHelp(words);
    await buildProgram({ terminal, dispatch, only: commandIn(line) }).parseAsync(line, { from: "user" });
  } catch (error) {
    code = await codeOf(error, terminal, words);
  }
  await terminal.drained();
  if (terminal.fault === undefined) return code;
  terminal.log(`${terminal.tint("red", "error:")} cannot write the output: ${terminal.fault}`);
  return code === exitCodes.ok ? exitCodes.failed : code;
}

/** The server that the command works on. Most commands load no code for it. */
async function serverFor(
  spec: CommandSpec,
  typed: string | undefined,
  terminal: Terminal,
): Promise<Invocation["server"]> {
  const { env } = process;
  if (typed === undefined && (env["WINDLASS_SERVER"] ?? "") === "") return undefined;
  const { serverAddress } = await import("./remote/server-address.ts");
  return serverAddress({ spec, typed, env, terminal });
}

/** Enters the workspace of a chain file that the command names. */
async function atChainFile({ args = [] }: CommandSpec, invocation: Invocation): Promise<Invocation> {
  const at = args.findIndex(({ completes }) => completes === "chain");
  if (at === -1 || !/\.ya?ml$/i.test(invocation.words[at] ?? "")) return invocation;
  return (await import("./open/open-here.ts")).enterChainWorkspace(invocation, at);
}

/** Replaces `last` by the id of the newest run, wherever a command names a run. */
async function withLastRun(spec: CommandSpec, invocation: Invocation): Promise<Invocation> {
  const isRun = ({ completes, namesRun }: ArgumentSpec): boolean => completes === "run" || namesRun === true;
  const at = (spec.args ?? []).findIndex(isRun);
  const isNamed = at !== -1 && invocation.words[at] === lastRunWord;
  const options = (spec.options ?? []).filter(({ completes }) => completes === "run").map(optionName);
  if (!isNamed && !options.some((name) => invocation.text(name) === lastRunWord)) return invocation;
  const { findLastRun } = await import("./run-kinds/run-kind.ts");
  const id = await findLastRun(invocation);
  return {
    ...invocation,
    words: isNamed ? invocation.words.with(at, id) : invocation.words,
    text: (name) => {
      const value = invocation.text(name);
      return value === lastRunWord && options.includes(name) ? id : value;
    },
  };
}

/** `--replay RUN` is read as `replay`. */
function optionName({ flags }: OptionSpec): string {
  const name = /--([a-z-]+)/.exec(flags)?.[1] ?? "";
  return name.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** The JSON form that a command line requests, if any. Reads the raw words, since the line may be invalid. */
function requestedJsonForm(words: readonly string[]): JsonForm {
  if (words.includes("--events")) return "line";
  return words.includes("--json") ? "document" : undefined;
}

/** An empty command line and `help COMMAND` request help. */
function requestedHelp(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return ["--help"];
  if (first === "help") return requestedHelp([...rest.filter((word) => !word.startsWith("-")), "--help"]);
  // Commander would print the help of the whole program, as if the word were missing.
  const known = first.startsWith("-") || commandIn(words) !== undefined;
  return known ? words : [first];
}

/** The command at the beginning of a line; undefined if there is none. */
function commandIn([first]: readonly string[]): string | undefined {
  return commandGroups.flatMap(({ commands }) => commands).find(({ name }) => name === first)?.name;
}

async function codeOf(error: unknown, terminal: Terminal, words: readonly string[]): Promise<ExitCode> {
  if (error instanceof CommanderError) {
    // Commander has already reported the error.
    if (error.code === "commander.unknownCommand") await suggestCall(words[0] ?? "", terminal);
    if (error.code === "commander.unknownOption") await suggestArgument(words, terminal);
    if (error.code === "commander.invalidArgument") await suggestChoice(error.message, terminal);
    if (error.exitCode === 0) return exitCodes.ok;
    await printMistake(error, terminal, requestedJsonForm(words));
    return exitCodes.usage;
  }
  const { reportError } = await import("./program/report-error.ts");
  return reportError(error, terminal, requestedJsonForm(words));
}

async function printMistake({ message }: CommanderError, terminal: Terminal, json: JsonForm): Promise<void> {
  if (json === undefined) return;
  const { printFailure, usageCode } = await import("./program/report-error.ts");
  printFailure(terminal, { code: usageCode, message: message.replace(/^error: /, "") }, json);
}

/** A tool's name is not a command, but easily mistaken for one. */
async function suggestCall(word: string, terminal: Terminal): Promise<void> {
  const { knownTools } = await import("./commands/completion/known-tools.ts");
  const tools = await knownTools(".").catch(() => []);
  if (!tools.some(({ name }) => name === word)) return;
  terminal.log(terminal.tint("cyan", `${word} is a tool: ${programCommand(`call ${word}`)} [key=value…]`));
}

/** `call price_of --item apple`: arguments are not options. */
async function suggestArgument(
  [command = "", target = "", ...rest]: readonly string[],
  terminal: Terminal,
): Promise<void> {
  if ((command !== "call" && command !== "run") || target.startsWith("-")) return;
  const options = commandGroups.flatMap(({ commands }) => commands).find(({ name }) => name === command)?.options ?? [];
  const pair = dashedArgument(rest, new Set(options.flatMap(({ flags }) => flags.split(/[ ,]+/))));
  if (pair === undefined) return;
  const { shellPair, shellWord } = await import("./program/invocation.ts");
  const line = programCommand(`${command} ${shellWord(target)} ${shellPair(pair.key, pair.value)}`);
  terminal.log(terminal.tint("cyan", `write arguments as key=value, without dashes: ${line}`));
}

/** The first word with dashes that is not an option, as an argument. */
function dashedArgument(
  words: readonly string[],
  known: ReadonlySet<string>,
): { readonly key: string; readonly value: string } | undefined {
  const at = words.findIndex((word) => word.startsWith("--") && !known.has(word.replace(/=.*/su, "")));
  const [, key, inline] = /^--([\p{L}_][^=]*)(?:=(.*))?$/su.exec(words[at] ?? "") ?? [];
  if (key === undefined) return undefined;
  const next = words[at + 1] ?? "";
  const value = inline ?? (/^-|=/.test(next) ? "" : next);
  return { key, value: value === "" ? "…" : value };
}

/** Suggests the closest allowed value for a mistyped option value. */
async function suggestChoice(message: string, terminal: Terminal): Promise<void> {
  const { given: input = "", choices = "" } =
    /argument '(?<given>[^']*)' is invalid\. Allowed choices are (?<choices>.*)\.$/s.exec(message)?.groups ?? {};
  if (choices === "") return;
  const { suggest } = await import("../text/index.ts");
  const near = suggest(input, choices.split(", "));
  if (near !== undefined) terminal.log(terminal.tint("cyan", `did you mean ${near}?`));
}

/** `-C DIR` applies to everything that follows, so that relative paths resolve as they would there. */
async function enter(dir: string | undefined): Promise<void> {
  if (dir === undefined) return;
  try {
    process.chdir(dir);
  } catch {
    const { UsageError } = await import("./program/usage-error.ts");
    throw new UsageError(`-C: cannot enter folder ${JSON.stringify(dir)}`);
  }
}
