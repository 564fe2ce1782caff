// Entry point of the installed program, made of the files of the build; main.ts runs it from source.
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { CompiledFiles } from "./program/compiled-files.ts";
import type * as Program from "./start-program.ts";

/** Inserted by the build; changes whenever any file of the program changes. */
declare const buildId: string;

// Node's own compile cache serves the code of tools. The program's own code is cached beside it, per command.
enableCompileCache();
const dir = getCompileCacheDir();
const [command] = /^[a-z]{1,20}$/.exec(process.argv[2] ?? "") ?? ["other"];
const files = new CompiledFiles({
  dir: import.meta.dirname,
  cache: dir === undefined ? undefined : join(dir, `windlass-${buildId}-${command}`),
});
process.on("exit", () => files.keep());

// The file that the build generates from start-program.ts.
const { startProgram } = files.load("cli.cjs") as typeof Program;
await startProgram();
