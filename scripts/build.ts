/** Builds what `bin` and `exports` point at: bundles, the threads beside them, the packages they load, and the types. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CodeSplittingGroup, type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { plainMethods } from "./plain-methods.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Bundled apart: chunks that they shared would make each of them start slower. What they share at run time (tools,
 * failures, outputs) is recognised by brand, so that several copies of a class do no harm.
 */
const libraries: readonly Readonly<Record<string, string>>[] = [
  { index: "src/index.ts" },
  { app: "src/app/index.ts" },
  { agent: "src/agent.ts" },
  { "ai-sdk": "src/ai-sdk.ts" },
  { chain: "src/chain.ts" },
  { hub: "src/hub.ts" },
  { langchain: "src/langchain.ts" },
  { mcp: "src/mcp.ts" },
  { otel: "src/otel.ts" },
  { testing: "src/testing.ts" },
  { tools: "src/tools.ts" },
];

/** What runs in threads of its own. */
const threads: readonly Readonly<Record<string, string>>[] = [
  { "sqlite-writer": "src/adapters/sqlite/writer.ts", "sqlite-reader": "src/adapters/sqlite/reader.ts" },
  {
    "sqlite-text-index-worker": "src/adapters/sqlite/text-index-worker.ts",
    "sqlite-memory-worker": "src/adapters/sqlite/memory-worker.ts",
    "sqlite-page-cache-worker": "src/adapters/sqlite/page-cache-worker.ts",
  },
  { "extract-worker": "src/builtin/extract/page-worker.ts" },
  { "data-worker": "src/builtin/data/data-worker.ts" },
];

/** What `loadPackage` loads, and the file that it becomes. */
const packages = {
  yaml: "yaml",
  re2js: "re2js",
  ajv: "ajv",
  "ajv/dist/2020.js": "ajv-2020",
  "json-p3": "json-p3",
} as const;

/** Stands in for src/base/load-package.ts. */
const loadPackage = `const files = ${JSON.stringify(packages)};
export const loadPackage = (name) => require("./" + files[name] + ".cjs");
`;

/** Stands in for src/base/import-module.ts, in files that are loaded by src/cli/compiled-files.ts. */
const importModule = "export const importModule = (url) => require.import(url);";

const standIns = (format: Format["format"]): Plugin => ({
  name: "stand-ins",
  load: (id) => {
    if (id.endsWith("src/base/load-package.ts")) return { code: loadPackage, moduleType: "js" };
    const isImport = format === "cjs" && id.endsWith("src/base/import-module.ts");
    return isImport ? { code: importModule, moduleType: "js" } : undefined;
  },
});

/** `openWorkspace` of the library loads the bundle of the workspace when it is used. */
const appApart: Plugin = {
  name: "app-apart",
  resolveId: (id, importer) =>
    id === "./app/index.ts" && importer?.endsWith("src/index.ts") === true
      ? { id: "./app.js", external: true }
      : undefined,
};

/** Commander can start other programs as commands, which ours never do; what it needs for that takes a while to load. */
const noOtherPrograms: Plugin = {
  name: "no-other-programs",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("node_modules/commander/") === true ? "\0nothing" : undefined,
  load: (id) => (id === "\0nothing" ? { code: "export default {};", moduleType: "js" } : undefined),
};

/**
 * What our own files import from Node is taken from its modules as they are: an import would read everything that they
 * export, and so load what hides behind exports that nobody uses.
 */
const nodeAsItIs: Plugin = {
  name: "node-as-it-is",
  resolveId: (id, importer) =>
    id.startsWith("node:") && importer?.startsWith(join(root, "src/")) === true ? `\0as-it-is ${id}` : undefined,
  load: (id) =>
    id.startsWith("\0as-it-is ")
      ? { code: `module.exports = process.getBuiltinModule(${JSON.stringify(id.split(" ")[1])});`, moduleType: "js" }
      : undefined,
};

/**
 * Writes what is not ASCII as escapes: one such character makes the engine keep the whole file in two bytes per
 * character, and reading it takes twice as long.
 */
const asciiOnly: Plugin = {
  name: "ascii-only",
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = toAscii(file.code, file.fileName);
  },
};

function toAscii(code: string, file: string): string {
  // In these two places an escape would mean something else.
  const kept = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]|\braw`(?:[^`\\]|\\.)*[^\0-\x7f`]/su.exec(code);
  if (kept !== null) throw new Error(`${file}: write as an escape what is not ASCII in ${kept[0].slice(-60)}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Any Node can read this, so that an old one gets a sentence. */
const nodeCheck = `#!/usr/bin/env node
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error("windlass needs Node 24 or newer; this is " + process.version + ". Install a newer Node, or use npm run windlass in a checkout.");
  process.exit(2);
}
`;

/**
 * What the program needs before it knows its command, what a check needs besides, what tools need, and what a run
 * needs, as one file each: each of dozens of files takes its time to be found and read.
 */
function groupsOf(chunks: readonly OutputChunk[]): CodeSplittingGroup[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const modulesOf = (...files: readonly string[]): Set<string> => {
    const entries = new Set(files.map((file) => join(root, "src", file)));
    const reached = new Set(chunks.filter(({ moduleIds }) => moduleIds.some((id) => entries.has(id))));
    for (const { imports } of reached) {
      // What is no chunk belongs to Node.
      for (const chunk of imports.map((file) => byFile.get(file))) if (chunk !== undefined) reached.add(chunk);
    }
    return new Set([...reached].flatMap(({ moduleIds }) => moduleIds));
  };
  const taken = new Set<string>();
  const group = (name: string, ...files: readonly string[]): CodeSplittingGroup => {
    const modules = new Set([...modulesOf(...files)].filter((id) => !taken.has(id)));
    for (const id of modules) taken.add(id);
    return { name, test: (id) => modules.has(id) };
  };
  return [
    group("start", "cli/start-program.ts"),
    group("work", "cli/commands/validate.ts"),
    group("tools", "cli/check-tools.ts", "builtin/builtin-tools.ts"),
    group("run", "cli/commands/run.ts"),
  ];
}

/**
 * Of a mistake that nobody catches, Node shows the line on which it was thrown and the functions that led there. So
 * what users import has a statement a line, and its functions and classes keep their names. Variables inside of them
 * do not: long ones would make every import slower.
 */
const readable: OutputOptions["minify"] = {
  compress: { sequences: false, joinVars: false, keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: false },
};

interface Format {
  readonly format: "esm" | "cjs";
  /** As small as can be where nothing is said. */
  readonly minify?: OutputOptions["minify"];
  /** What the file begins with. */
  readonly banner?: string;
  /** Values that the build knows. */
  readonly define?: Record<string, string>;
}

async function write(input: Readonly<Record<string, string>>, how: Format): Promise<void> {
  const { format, minify = true, banner = "", define = {} } = how;
  const extension = format === "esm" ? "js" : "cjs";
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: { ...input },
    // What users bring along has to be theirs: two copies would not know each other's messages.
    external: [/^@langchain\//, "ai"],
    plugins: [plainMethods, standIns(format), appApart, noOtherPrograms, nodeAsItIs, asciiOnly],
    // Only our own files load the program's; what they take from it is theirs to know.
    preserveEntrySignatures: "allow-extension",
    transform: { define },
    // With chunks of our own making, rolldown loses constants that it has put in place of their names.
    optimization: { inlineConst: false },
    logLevel: "warn",
    // These export what others load when it is used, so that nothing is left to load.
    checks: { ineffectiveDynamicImport: input["tools"] === undefined && input["hub"] === undefined },
  });
  const output: OutputOptions = {
    dir: join(root, "dist"),
    format,
    minify,
    comments: { jsdoc: false },
    banner,
    // Everything in one folder: threads and packages are looked up beside the chunk that wants them.
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
  };
  if (input["cli"] !== undefined) {
    const { output: tried } = await bundle.generate(output);
    const groups = groupsOf(tried.filter((file) => file.type === "chunk"));
    output.codeSplitting = { includeDependenciesRecursively: false, groups };
  }
  await bundle.write(output);
  await bundle.close();
}

/** Tells the files of this kind from those of any other build. */
async function hashOf(extension: string): Promise<string> {
  const hash = createHash("sha256");
  const names = await readdir(join(root, "dist"));
  for (const name of names.filter((file) => file.endsWith(extension)).toSorted()) {
    hash.update(`${name}\n`).update(await readFile(join(root, "dist", name)));
  }
  return hash.digest("hex").slice(0, 16);
}

const licenseNames = ["LICENSE", "LICENSE.md", "LICENCE"];

/** The licences of everything that is bundled. */
async function notices(): Promise<string> {
  const names = [
    "@ai-sdk/openai-compatible",
    "@ai-sdk/provider",
    "@ai-sdk/provider-utils",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/core",
    "@modelcontextprotocol/server",
    "@mozilla/readability",
    "ajv",
    "boolbase",
    "chokidar",
    "commander",
    "css-select",
    "css-what",
    "cssom",
    "dom-serializer",
    "domelementtype",
    "domhandler",
    "domutils",
    "entities",
    "eventsource",
    "eventsource-parser",
    "fast-deep-equal",
    "fast-uri",
    "fastest-levenshtein",
    "html-escaper",
    "htmlparser2",
    "ignore",
    "jose",
    "json-p3",
    "json-schema-traverse",
    "linkedom",
    "nth-check",
    "pkce-challenge",
    "re2js",
    "readdirp",
    "uhyphen",
    "undici",
    "yaml",
    "zod",
  ];
  const texts = names.map(async (name) => {
    const dir = join(root, "node_modules", name);
    const license = await Promise.any(licenseNames.map((file) => readFile(join(dir, file), "utf8"))).catch(async () => {
      // Some packages only name it.
      const about = JSON.parse(await readFile(join(dir, "package.json"), "utf8")) as { license?: string };
      if (about.license === undefined) throw new Error(`${name} does not say under which licence it may be used`);
      return `Licence: ${about.license}`;
    });
    return `${name}\n${"=".repeat(name.length)}\n\n${license.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}

await rm(join(root, "dist"), { recursive: true, force: true });
for (const input of libraries) await write(input, { format: "esm", minify: readable });
for (const input of threads) await write(input, { format: "esm" });
for (const [name, file] of Object.entries(packages)) await write({ [file]: require.resolve(name) }, { format: "cjs" });
await write({ cli: "src/cli/start-program.ts" }, { format: "cjs" });
const define = { buildId: JSON.stringify(await hashOf(".cjs")) };
await write({ bin: "src/cli/bin.ts" }, { format: "esm", banner: nodeCheck, define });
await cp(join(root, "src/builtin/chains"), join(root, "dist/chains"), { recursive: true });
await cp(join(root, "src/builtin/writing/prompts"), join(root, "dist/prompts"), { recursive: true });
await writeFile(join(root, "dist/THIRD-PARTY-NOTICES.txt"), await notices());
await chmod(join(root, "dist/bin.js"), 0o755);

const tsc = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exitCode = tsc.status ?? 1;
