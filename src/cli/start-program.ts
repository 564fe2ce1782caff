import { typedIn } from "./called-as.ts";
import { endProcess, onForeignEnd } from "./end-process.ts";
import type { JsonForm } from "./report-error.ts";
import { runCli, wantedJson } from "./run-cli.ts";
import { type Terminal, processTerminal } from "./terminal.ts";

/** Runs the program with the words of this process, and ends the process. */
export async function startProgram(): Promise<void> {
  const words = process.argv.slice(2);
  const terminal = processTerminal();
  // What a tool's code leaves behind must not take its result away; what breaks the program ends it in words.
  process.on("unhandledRejection", (error) => void report(error, terminal));
  process.on("uncaughtException", (error) => void endWith(error, terminal, words));
  onForeignEnd((message) => {
    terminal.tell(`${terminal.tint("red", "error:")} ${message}`);
    const result = { success: false, error: { code: "execution_error", message } };
    const json = wantedJson(words);
    if (json === "line") terminal.print(JSON.stringify(result));
    else if (json === "document" && !terminal.printed) terminal.print(JSON.stringify(result, undefined, 2));
  });
  enterTypedFolder();
  const code = await runCli(words, terminal);
  await terminal.drained();
  // Whatever a tool left running ends here.
  endProcess(code);
}

/** Paths mean what they mean where they were typed. */
function enterTypedFolder(): void {
  const dir = typedIn(process.env);
  if (dir === undefined) return;
  process.chdir(dir);
  // For programs that this one starts, the folder is the one in which they are started.
  delete process.env["INIT_CWD"];
}

async function endWith(error: unknown, terminal: Terminal, words: readonly string[]): Promise<void> {
  await report(error, terminal, wantedJson(words));
  await terminal.drained();
  endProcess(1);
}

async function report(error: unknown, terminal: Terminal, json?: JsonForm): Promise<void> {
  const { reportUnexpected } = await import("./report-error.ts");
  reportUnexpected(error, terminal, json);
}
