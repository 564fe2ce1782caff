import { enableCompileCache } from "node:module";

// Before anything else is loaded: what was compiled once is not compiled again.
enableCompileCache?.();

const { runCli } = await import("./run-cli.ts");
const { processTerminal } = await import("./terminal.ts");
const terminal = processTerminal();

// What a tool's code leaves behind must not take its result away; what breaks the program ends it in words.
process.on("unhandledRejection", (error) => void report(error));
process.on("uncaughtException", (error) => void endWith(error));

const code = await runCli(process.argv.slice(2), terminal);
await terminal.drained();
// Whatever a tool left running ends here.
process.exit(code);

async function endWith(error: unknown): Promise<void> {
  await report(error);
  await terminal.drained();
  process.exit(1);
}

async function report(error: unknown): Promise<void> {
  const { reportUnexpected } = await import("./report-error.ts");
  reportUnexpected(error, terminal);
}
