// The program as it is installed, of files that the build has made; main.ts runs it from its source.
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { CompiledFiles } from "./compiled-files.ts";
import type * as Program from "./start-program.ts";

/** Put here by the build: another one whenever any file of the program is another. */
declare const buildId: string;

// Node's own cache serves the code of tools. What the program needs is kept beside it, for each command apart.
enableCompileCache();
const dir = getCompileCacheDir();
const [command] = /^[a-z]{1,20}$/.exec(process.argv[2] ?? "") ?? ["other"];
const files = new CompiledFiles({
  dir: import.meta.dirname,
  cache: dir === undefined ? undefined : join(dir, `windlass-${buildId}-${command}`),
});
process.on("exit", () => files.keep());

// What the build makes of that file.
const { startProgram } = files.load("cli.cjs") as typeof Program;
await startProgram();
