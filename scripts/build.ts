/** Builds the files that `bin` and `exports` name: bundles, their worker threads, the packages they load, and types. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, type OutputOptions, rolldown } from "rolldown";
import { parseYaml } from "../src/text/index.ts";
import { chunkPerModule, groupsOf } from "./build/groups-of.ts";
import { licensesOf } from "./build/licenses-of.ts";
import {
  asciiOnly,
  entryModules,
  lazyRequires,
  minifyUnseen,
  noOtherPrograms,
  nodeAsItIs,
  packages,
  peers,
  peersFile,
  plainExports,
  standIns,
} from "./build/plugins.ts";
import { plainMethods } from "./build/plain-methods.ts";
import { documentSettings } from "./build/document-settings.ts";
import { shakeTypes } from "./build/shake-types.ts";
import { traceCommands } from "./build/trace-commands.ts";
import { type TracedImport, traceImports } from "./build/trace-imports.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/** The entries of the package. */
const libraries: Readonly<Record<string, string>> = {
  index: "index.ts",
  agent: "agent.ts",
  "ai-sdk": "ai-sdk.ts",
  chain: "chain.ts",
  hub: "hub.ts",
  langchain: "langchain.ts",
  mcp: "mcp.ts",
  otel: "otel.ts",
  server: "server.ts",
  testing: "testing.ts",
  tools: "tools.ts",
};

/** Entries that browsers load: ES modules of their own, without Node. */
const browserEntries: Readonly<Record<string, string>> = { client: "src/client.ts" };

/** Entries with peer dependencies. */
const needsPeers: ReadonlySet<string> = new Set(["ai-sdk", "langchain"]);

/** Entry points of worker threads. */
const threads: Readonly<Record<string, string>> = {
  "sqlite-writer": "adapters/sqlite/journal/writer.ts",
  "sqlite-reader": "adapters/sqlite/journal/reader.ts",
  "sqlite-text-index-worker": "adapters/sqlite/index/worker.ts",
  "sqlite-memory-worker": "adapters/sqlite/memory/memory-worker.ts",
  "sqlite-page-cache-worker": "adapters/sqlite/pages/page-cache-worker.ts",
  "extract-worker": "builtin/extract/page-worker.ts",
  "data-worker": "builtin/data/data-worker.ts",
};

/** Code that every version of Node can parse, so that an old one prints a clear message. */
const nodeCheck = `#!/usr/bin/env node
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error("windlass needs Node 24 or newer; this is " + process.version + ". Install a newer Node, or use npm run windlass in a checkout.");
  process.exit(2);
}
`;

/**
 * For an uncaught error, Node shows the line that threw it and the stack trace. So the files that users import have one
 * statement per line, and functions and classes keep their names. Local variables do not: long names would make every
 * import slower.
 */
const readable: NonNullable<OutputOptions["minify"]> = {
  compress: { sequences: false, joinVars: false, keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: false },
};

const common = { dir: join(root, "dist"), comments: { jsdoc: false } } as const;

/** Bundles the source once, as CommonJS: `windlass` loads these files with compiled code (src/cli/program). */
async function writeModules(): Promise<{ chunks: OutputChunk[]; imports: ReadonlyMap<string, TracedImport> }> {
  const entries = Object.entries(libraries).map(([name, file]) => [name, `entry:${file}`] as const);
  const others = Object.entries({ ...threads, cli: "cli/start-program.ts" });
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries([...entries, ...others.map(([name, file]) => [name, join(root, "src", file)] as const)]),
    plugins: [
      plainMethods,
      entryModules,
      standIns,
      peers,
      noOtherPrograms,
      nodeAsItIs,
      lazyRequires,
      plainExports,
      minifyUnseen(Object.keys(libraries)),
      asciiOnly,
    ],
    preserveEntrySignatures: "allow-extension",
    // It would move shared code into the files of worker threads, which must not run in the main thread.
    experimental: { chunkOptimization: false },
    // With custom chunk groups, rolldown loses constants that it has inlined.
    optimization: { inlineConst: false },
    logLevel: "warn",
    // Entries export modules that others load lazily, so lazy loading has no effect in them.
    checks: { ineffectiveDynamicImport: false },
  });
  const output: OutputOptions = {
    ...common,
    format: "cjs",
    minify: readable,
    // Everything in one folder: worker threads and packages are resolved next to the chunk that loads them.
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
  };
  const { output: tried } = await bundle.generate({ ...output, minify: false, codeSplitting: chunkPerModule() });
  const modules = tried.filter((file) => file.type === "chunk");
  const traced = Object.keys(libraries).filter((name) => !needsPeers.has(name));
  const entryChunks = modules.filter(({ fileName }) => traced.some((name) => fileName === `${name}.cjs`));
  const imports = await traceImports(entryChunks, modules);
  const commands = await traceCommands(common.dir, modules);
  const groups = groupsOf(modules, Object.keys(libraries), { imports, commands });
  const { output: written } = await bundle.write({
    ...output,
    codeSplitting: { includeDependenciesRecursively: false, groups },
  });
  await bundle.close();
  return { chunks: written.filter((file) => file.type === "chunk"), imports };
}

/** The ES module of each entry, with the same exports as its source. */
async function writeEntries(chunks: readonly OutputChunk[], imports: ReadonlyMap<string, TracedImport>): Promise<void> {
  for (const name of Object.keys(libraries)) {
    const chunk = chunks.find(({ fileName }) => fileName === `${name}.cjs`);
    if (chunk === undefined) throw new Error(`${name}.cjs was not built`);
    const needed = peersOf(chunk, chunks);
    const importedPeers = needed.map((peer, at) => `import * as peer${at} from ${JSON.stringify(peer)};\n`);
    const passed = needed.map((peer, at) => `require("${peersFile}")[${JSON.stringify(peer)}] = peer${at};\n`);
    // An import of a CommonJS file takes longer: Node first parses the file for the names of its exports.
    const require = 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);\n';
    const code = [...importedPeers, require, ...passed, `const entry = require("./${name}.cjs");\n`].join("");
    const lazy = imports.get(name)?.lazyFunctions ?? [];
    const loaded = chunk.exports.filter((exported) => !lazy.includes(exported)).toSorted();
    const values = `export const {\n${loaded.map((each) => `  ${each},\n`).join("")}} = entry;\n`;
    const functions = lazy
      .toSorted()
      .map((each) => `export function ${each}(...args) {\n  return entry.${each}(...args);\n}\n`);
    await writeFile(join(root, "dist", `${name}.js`), [code, values, ...functions].join(""));
  }
  await writeFile(join(root, "dist", peersFile), "");
}

/** The peer dependencies that the code of an entry requires. */
function peersOf(entry: OutputChunk, chunks: readonly OutputChunk[]): string[] {
  const reached = new Set([entry]);
  for (const { imports } of reached) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) reached.add(chunk);
  }
  const ids = [...reached].flatMap(({ moduleIds }) => moduleIds);
  return ids.filter((id) => id.startsWith("\0peer:")).map((id) => id.slice("\0peer:".length));
}

/** Writes the built-in tool files as JSON, which is YAML too, and is parsed faster. */
async function writeToolFiles(from: string, to: string): Promise<void> {
  await mkdir(join(root, to), { recursive: true });
  for (const file of await readdir(join(root, from))) {
    const { value, problems } = parseYaml(await readFile(join(root, from, file), "utf8"), { file });
    if (problems.length > 0) throw new Error(`${file}: ${problems[0]?.message}`);
    await writeFile(join(root, to, file), JSON.stringify(value));
  }
}

/** Bundles one file, fully minified. */
async function writeFileOf(input: Readonly<Record<string, string>>, output: OutputOptions): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: { ...input },
    plugins: [nodeAsItIs, asciiOnly],
    transform: { define: output.format === "esm" ? { buildId: JSON.stringify(await hashOf(".cjs")) } : {} },
    logLevel: "warn",
  });
  const { output: written } = await bundle.write({ ...common, minify: true, ...output });
  await bundle.close();
  return written.filter((file) => file.type === "chunk");
}

/** Returns a hash that identifies the files of this kind and this build. */
async function hashOf(extension: string): Promise<string> {
  const hash = createHash("sha256");
  const names = await readdir(join(root, "dist"));
  for (const name of names.filter((file) => file.endsWith(extension)).toSorted()) {
    hash.update(`${name}\n`).update(await readFile(join(root, "dist", name)));
  }
  return hash.digest("hex").slice(0, 16);
}

await rm(join(root, "dist"), { recursive: true, force: true });
await cp(join(root, "src/server/pages"), join(root, "dist/pages"), { recursive: true });
await cp(join(root, "src/builtin/chains"), join(root, "dist/chains"), { recursive: true });
await writeToolFiles("src/builtin/writing/tool-files", "dist/tool-files");
const packageChunks: OutputChunk[] = [];
for (const [name, file] of Object.entries(packages)) {
  const output = { format: "cjs", entryFileNames: "[name].cjs" } as const;
  // The UMD files of jsonc-parser load each other through a variable, so that they cannot be bundled.
  const path = require.resolve(name).replace("/lib/umd/", "/lib/esm/");
  packageChunks.push(...(await writeFileOf({ [file]: path }, output)));
}
const { chunks, imports } = await writeModules();
await writeEntries(chunks, imports);
await writeFileOf(browserEntries, { format: "esm", entryFileNames: "[name].js" });
await writeFileOf({ bin: "src/cli/bin.ts" }, { format: "esm", entryFileNames: "[name].js", banner: nodeCheck });
await writeFile(join(root, "dist/THIRD-PARTY-NOTICES.txt"), await licensesOf([...chunks, ...packageChunks]));
await chmod(join(root, "dist/bin.js"), 0o755);

const tsc = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
await documentSettings(join(root, "dist/types"));
await shakeTypes(
  join(root, "dist/types"),
  [...Object.keys(libraries), ...Object.keys(browserEntries)].map((name) => `${name}.d.ts`),
);
process.exitCode = tsc.status ?? 1;
