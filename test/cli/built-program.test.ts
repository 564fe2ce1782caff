import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { codeTool, environment, folder } from "./windlass.ts";

const run = promisify(execFile);
const built = resolve(import.meta.dirname, "../../dist/bin.js");
const files = {
  ...codeTool("shout", 'export default () => "HELLO";'),
  "windlass.yaml": "",
  "chains/greet.yaml": "name: greet\nsteps:\n  - id: say\n    tool: shout\n",
};

async function windlass(cwd: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const all = { ...environment, NODE_COMPILE_CACHE: join(cwd, "cache"), ...env };
  return (await run(process.execPath, [built, ...words], { cwd, env: all })).stdout;
}

/** The commands for which the program has kept what it compiled. */
async function kept(cwd: string): Promise<string[]> {
  const names = await readdir(join(cwd, "cache"), { recursive: true });
  return names.flatMap((name) => /windlass-\w+-(\w+)$/.exec(name)?.[1] ?? []).toSorted();
}

test("the built program does the same whether it was compiled before or not", async () => {
  const cwd = await folder(files);
  for (let times = 0; times < 3; times++) {
    expect(JSON.parse(await windlass(cwd, ["run", "greet", "--json"]))).toMatchObject({ status: "success" });
    expect(await windlass(cwd, ["validate"])).toContain("ok: the workspace, 1 tool, 1 chain");
    expect(await kept(cwd)).toEqual(["run", "validate"]);
  }
});

test("nothing is kept where Node may not keep anything", async () => {
  const cwd = await folder(files);
  const printed = await windlass(cwd, ["--version"], { NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(printed).toMatch(/^\d+\.\d+\.\d+/);
  await expect(kept(cwd)).rejects.toMatchObject({ code: "ENOENT" });
});
