import { npmInvocationFolder } from "./program/command-prefix.ts";
import { endProcess, onUnexpectedExit } from "./program/end-process.ts";
import type { JsonForm } from "./program/report-error.ts";
import { runCli, requestedJsonForm } from "./run-cli.ts";
import { type Terminal, processTerminal } from "./terminal/terminal.ts";

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
