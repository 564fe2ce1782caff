import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { effects } from "./chain-workspace.ts";
import { builtProgram, codeTool, environment, folder, windlass } from "./windlass.ts";

const library = pathToFileURL(join(dirname(builtProgram), "index.js")).href;

/** Kills its process, until there is a file `go`. */
const deadly = `import { appendFileSync, existsSync } from "node:fs";
export default async () => {
  appendFileSync("effects.log", "deadly\\n");
  if (!existsSync("go")) process.kill(process.pid, "SIGKILL");
  return { lived: true };
};
`;

/** A program that serves runs until this one has ended. */
const program = `import { openWorkspace } from ${JSON.stringify(library)};
const workspace = await openWorkspace(".");
if ((await workspace.runs.list()).length === 0)
  await workspace.runs.submit(await workspace.loadChain("fatal"), { runId: "r1" });
const stop = new AbortController();
const errors = [];
const serving = workspace.runs.serve({ signal: stop.signal, onError: (error) => errors.push(error.message) });
const { status } = await workspace.runs.result("r1");
stop.abort();
await serving;
await workspace.close();
console.log(JSON.stringify({ status, errors }));
`;

const chain = `name: fatal
steps:
  - { id: first, tool: calculator, params: { expression: "1+1" } }
  - { id: crash, tool: deadly, depends_on: [first] }
output: "\${steps.crash.output.lived}"
`;

function serve(cwd: string): Promise<{ readonly signal: string | null; readonly output: string }> {
  const child = spawn(process.execPath, ["program.mjs"], { cwd, env: { ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((done) => child.on("close", (_code, signal) => done({ signal, output })));
}

test("a run that kills every process that serves it fails after five deaths, and a person can still resume it", async () => {
  const cwd = await folder({
    ...codeTool("deadly", deadly, "effect: idempotent"),
    "chains/fatal.yaml": chain,
    "program.mjs": program,
  });
  for (let time = 0; time < 5; time++) expect(await serve(cwd)).toMatchObject({ signal: "SIGKILL" });
  const { signal, output } = await serve(cwd);
  expect(signal).toBeNull();
  expect(JSON.parse(output)).toEqual({ status: "failed", errors: [expect.stringContaining("has died 5 times")] });
  expect(await effects(cwd)).toHaveLength(5);
  const shown = await windlass(["show", "r1"], { cwd });
  expect(shown.stdout).toMatch(
    /✗ fatal failed after .*\n *crash_loop: the process that executed run r1 has died 5 times/,
  );
  expect((await windlass(["runs"], { cwd })).stdout).toMatch(/r1 +failed/);
  const explained = await windlass(["explain", "r1", "crash"], { cwd });
  expect(explained.stdout).toContain("crash was running when its process ended");
  expect((await windlass(["explain", "r1"], { cwd })).stdout).toContain("crash_loop: the process that executed run r1");
  expect((await windlass(["resume"], { cwd })).stderr).toContain("No interrupted runs");
  await writeFile(join(cwd, "go"), "");
  expect(await windlass(["resume", "r1"], { cwd })).toMatchObject({ code: 0, stdout: "true\n" });
  expect(await effects(cwd)).toHaveLength(6);
  expect((await windlass(["show", "r1"], { cwd })).stdout).not.toContain("crash_loop");
});
