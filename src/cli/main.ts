import { enableCompileCache } from "node:module";

// Before anything else is loaded: what was compiled once is not compiled again.
enableCompileCache?.();

const { runCli, wantsJson } = await import("./run-cli.ts");
const { endProcess, onForeignEnd } = await import("./end-process.ts");
const { processTerminal } = await import("./terminal.ts");
const words = process.argv.slice(2);
const terminal = processTerminal();

// What a tool's code leaves behind must not take its result away; what breaks the program ends it in words.
process.on("unhandledRejection", (error) => void report(error));
process.on("uncaughtException", (error) => void endWith(error));
onForeignEnd((message) => {
  terminal.tell(`${terminal.tint("red", "error:")} ${message}`);
  const result = { success: false, error: { code: "execution_error", message } };
  if (wantsJson(words) && !terminal.printed) terminal.print(JSON.stringify(result, undefined, 2));
});

const code = await runCli(words, terminal);
await terminal.drained();
// Whatever a tool left running ends here.
endProcess(code);

async function endWith(error: unknown): Promise<void> {
  await report(error, wantsJson(words));
  await terminal.drained();
  endProcess(1);
}

async function report(error: unknown, json = false): Promise<void> {
  const { reportUnexpected } = await import("./report-error.ts");
  reportUnexpected(error, terminal, json);
}
