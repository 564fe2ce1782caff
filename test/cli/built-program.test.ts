import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
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

/** Commands whose compiled code the program has cached. */
async function stored(cwd: string): Promise<string[]> {
  const names = await readdir(join(cwd, "cache"), { recursive: true });
  return names.flatMap((name) => /windlass-\w+-(\w+)$/.exec(name)?.[1] ?? []).toSorted();
}

test("the built program behaves the same with and without its compile cache", async () => {
  const cwd = await folder(files);
  for (let times = 0; times < 3; times++) {
    expect(JSON.parse(await windlass(cwd, ["run", "greet", "--json"]))).toMatchObject({ status: "success" });
    expect(await windlass(cwd, ["validate"])).toContain("ok: the workspace, 1 tool, 1 chain");
    expect(await stored(cwd)).toEqual(["run", "validate"]);
  }
});

test("nothing is cached if Node's compile cache is disabled", async () => {
  const cwd = await folder(files);
  const printed = await windlass(cwd, ["--version"], { NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(printed).toMatch(/^\d+\.\d+\.\d+/);
  await expect(stored(cwd)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a program whose files were replaced while it runs reports an error once and exits", async () => {
  const dir = await mkdtemp(join(tmpdir(), "windlass-replaced-"));
  await cp(resolve(built, ".."), join(dir, "dist"), { recursive: true });
  const body = `import { readdirSync, rmSync } from "node:fs";
    export default async () => {
      for (const name of readdirSync(${JSON.stringify(join(dir, "dist"))}, { recursive: true }))
        if (name.endsWith("js")) rmSync(${JSON.stringify(join(dir, "dist"))} + "/" + name);
      void Promise.reject(new Error("left behind"));
      return new Promise(() => {});
    };`;
  const cwd = await folder(codeTool("vanish", body));
  const env = { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" };
  const failed = run(process.execPath, [join(dir, "dist/bin.js"), "call", "vanish"], { cwd, env, timeout: 20_000 });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("left behind") });
  await rm(dir, { recursive: true });
});
