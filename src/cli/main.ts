import { enableCompileCache } from "node:module";

// Before anything else is loaded, so that compiled code is reused.
enableCompileCache?.();

const { startProgram } = await import("./start-program.ts");
await startProgram();
