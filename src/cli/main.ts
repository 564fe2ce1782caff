import { enableCompileCache } from "node:module";

// Before anything else is loaded: it halves the time that the rest takes to load.
enableCompileCache?.();

const { runCli } = await import("./run-cli.ts");
const { processTerminal } = await import("./terminal.ts");
const terminal = processTerminal();

// What a tool's code leaves behind must not take its result away; what breaks the program ends it in words.
process.on("unhandledRejection", (error) => void report(error));
process.on("uncaughtException", (error) => void report(error).then(() => process.exit(1)));

const code = await runCli(process.argv.slice(2), terminal);
await terminal.drained();
// Whatever a tool left running ends here.
process.exit(code);

async function report(error: unknown): Promise<void> {
  const { reportUnexpected } = await import("./report-error.ts");
  reportUnexpected(error, terminal);
}
