import { enableCompileCache } from "node:module";

// Before anything else is loaded: what was compiled once is not compiled again.
enableCompileCache?.();

const { startProgram } = await import("./start-program.ts");
await startProgram();
