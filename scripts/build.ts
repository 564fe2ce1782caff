/** Builds what `bin` and `exports` point at: bundles, the threads beside them, the packages they load, and the types. */
import { spawnSync } from "node:child_process";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Bundled apart: chunks that they shared would make each of them start slower. What they share at run time (tools,
 * failures, outputs) is recognised by brand, so that several copies of a class do no harm.
 */
const bundles: readonly Readonly<Record<string, string>>[] = [
  { index: "src/index.ts" },
  { app: "src/app/index.ts" },
  { agent: "src/agent.ts" },
  { chain: "src/chain.ts" },
  { tools: "src/tools.ts" },
  { "sqlite-writer": "src/adapters/sqlite/writer.ts", "sqlite-reader": "src/adapters/sqlite/reader.ts" },
  { cli: "src/cli/main.ts" },
];

/** What `loadPackage` loads, and the file that it becomes. */
const packages = { yaml: "yaml", re2js: "re2js", ajv: "ajv", "ajv/dist/2020.js": "ajv-2020", "json-p3": "json-p3" } as const;

/** Stands in for src/base/load-package.ts. */
const loadPackage = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const files = ${JSON.stringify(packages)};
export const loadPackage = (name) => require("./" + files[name] + ".cjs");
`;

const fromOneFile: Plugin = {
  name: "packages-from-one-file",
  load: (id) => (id.endsWith("src/base/load-package.ts") ? { code: loadPackage, moduleType: "js" } : undefined),
};

/** `openWorkspace` of the library loads the bundle of the workspace when it is used. */
const appApart: Plugin = {
  name: "app-apart",
  resolveId: (id, importer) =>
    id === "./app/index.ts" && importer?.endsWith("src/index.ts") === true
      ? { id: "./app.js", external: true }
      : undefined,
};

/** Runs on any Node, so that an old one gets a sentence instead of a syntax error. */
const bin = `#!/usr/bin/env node
if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error("windlass needs Node 24 or newer; this is " + process.version + ". Install a newer Node, or use npm run windlass in a checkout.");
  process.exit(2);
}
await import("./cli.js");
`;

async function write(input: Readonly<Record<string, string>>, format: "esm" | "cjs"): Promise<void> {
  const extension = format === "esm" ? "js" : "cjs";
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: { ...input },
    plugins: [fromOneFile, appApart],
    logLevel: "warn",
  });
  await bundle.write({
    dir: join(root, "dist"),
    format,
    minify: true,
    // Everything in one folder: threads and packages are looked up beside the chunk that wants them.
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
  });
  await bundle.close();
}

/** The licences of everything that is bundled. */
async function notices(): Promise<string> {
  const names = [
    "ajv",
    "chokidar",
    "commander",
    "fast-deep-equal",
    "fast-uri",
    "fastest-levenshtein",
    "json-p3",
    "json-schema-traverse",
    "re2js",
    "readdirp",
    "undici",
    "yaml",
  ];
  const texts = names.map(async (name) => {
    const dir = join(root, "node_modules", name);
    const license = await readFile(join(dir, "LICENSE"), "utf8").catch(() => readFile(join(dir, "LICENSE.md"), "utf8"));
    return `${name}\n${"=".repeat(name.length)}\n\n${license.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}

await rm(join(root, "dist"), { recursive: true, force: true });
for (const input of bundles) await write(input, "esm");
for (const [name, file] of Object.entries(packages)) await write({ [file]: require.resolve(name) }, "cjs");
await writeFile(join(root, "dist/THIRD-PARTY-NOTICES.txt"), await notices());
await writeFile(join(root, "dist/bin.js"), bin);
await chmod(join(root, "dist/bin.js"), 0o755);

const tsc = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exitCode = tsc.status ?? 1;
