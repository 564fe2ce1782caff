import { spawnSync } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { OutputChunk } from "rolldown";

/** Commands that scripts, hooks and CI start often. What they execute is in files of its own. */
const commands: Readonly<Record<string, readonly string[]>> = {
  help: ["--help"],
  tool: ["validate", "tools/fetch.yaml"],
  chain: ["validate", "chains/sum.yaml"],
  run: ["run", "chains/sum.yaml"],
};

/** A workspace for them. */
const workspace: Readonly<Record<string, string>> = {
  "windlass.yaml": "",
  "tools/fetch.yaml": `name: fetch
version: "1.0.0"
description: Sends an HTTP request.
category: http
tags: [network]
parameters:
  - { name: url, type: string, required: true, description: The address., validation: { pattern: "^https?://" } }
  - { name: method, type: string, default: GET, description: The method., validation: { enum: [GET, POST] } }
  - { name: timeout, type: number, default: 30, description: Seconds., validation: { min: 1, max: 300 } }
entry: { type: builtin, handler: http_request }
`,
  "chains/sum.yaml": `name: sum
description: Adds.
input: { count: number=12 }
steps:
  - id: double
    tool: calculator
    condition: "\${input.count >= 10}"
    params: { expression: "\${input.count} * 2" }
    output: { as: double, select: $.result }
  - id: total
    tool: calculator
    params: { expression: "\${context.double} + \${steps.double.output.result ?? 0}" }
    retry: { max: 2, delay: 1 }
  - id: say
    tool: echo
    params: { message: "\${steps.total.output.result}" }
    error_handling: { strategy: fallback, fallback: [{ tool: echo, params: { message: "none" } }] }
output: { text: "\${steps.say.output.message}" }
`,
};

/** Runs the commands with one file per module, all written to `dir`; returns the modules that each of them loads. */
export async function traceCommands(
  dir: string,
  chunks: readonly OutputChunk[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = chunks.map(({ fileName, code }) => [join(dir, fileName), code] as const);
  const program = join(dir, "traced.cjs");
  const project = await mkdtemp(join(tmpdir(), "windlass-build-"));
  try {
    for (const [path, code] of files) await writeFile(path, code);
    await writeFile(program, tracedProgram);
    for (const folder of ["tools", "chains"]) await mkdir(join(project, folder));
    for (const [name, text] of Object.entries(workspace)) await writeFile(join(project, name), text);
    const traced = new Map<string, ReadonlySet<string>>();
    for (const [name, words] of Object.entries(commands)) {
      const loaded = await traceCommand([program, ...words], project);
      const ids = chunks.filter(({ fileName }) => loaded.has(fileName)).flatMap(({ moduleIds }) => moduleIds);
      traced.set(name, new Set(ids));
    }
    return traced;
  } finally {
    await Promise.all(
      [project, program, ...files.map(([path]) => path)].map((path) => rm(path, { recursive: true, force: true })),
    );
  }
}

const tracedProgram = `process.on("exit", () => {
  require("node:fs").writeFileSync("loaded.json", JSON.stringify(Object.keys(require.cache)));
});
require("./cli.cjs").startProgram();
`;

/** Returns the names of the files that it loads. */
async function traceCommand(args: readonly string[], cwd: string): Promise<ReadonlySet<string>> {
  // Nothing of the user who builds is read or written.
  const { PATH, SystemRoot } = process.env;
  const env = { PATH, SystemRoot, HOME: cwd, USERPROFILE: cwd };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`the bundle cannot run ${args.join(" ")}: ${stdout}${stderr}`);
  const loaded = JSON.parse(await readFile(join(cwd, "loaded.json"), "utf8")) as readonly string[];
  return new Set(loaded.map((path) => basename(path)));
}
