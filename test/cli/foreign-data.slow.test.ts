import { existsSync } from "node:fs";
import { cp, readFile, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { type Run, folder, windlass } from "./windlass.ts";

const files = {
  "windlass.yaml": "",
  "chains/plant.yaml": `name: plant
steps:
  - { id: a, tool: calculator, params: { expression: "1" }, approval: "Plant it?" }
  - { id: b, tool: write_file, params: { path: planted.md, content: x } }
`,
};

interface TestFolder {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
}

async function testFolder(more: Readonly<Record<string, string>> = files): Promise<TestFolder> {
  return { dir: await folder(more), env: { WINDLASS_TRUST: "", XDG_CONFIG_HOME: await folder() } };
}

function run({ dir, env }: TestFolder, ...words: readonly string[]): Promise<Run> {
  return windlass(words, { cwd: dir, env });
}

/** A workspace whose data has a run that was approved and not resumed. */
async function approved(): Promise<TestFolder> {
  const made = await testFolder();
  await run(made, "run", "plant", "--run-id", "r1");
  const [approval] = JSON.parse((await run(made, "approvals", "--json")).stdout) as { id: string }[];
  expect(await run(made, "approve", approval?.id ?? "", "--no-resume")).toMatchObject({ code: 0 });
  return made;
}

describe("data that was not created here", () => {
  test("[S8] an approved run resumes where it was approved, and not in a copy", async () => {
    const made = await approved();
    const copy = await testFolder();
    await cp(join(made.dir, ".windlass"), join(copy.dir, ".windlass"), { recursive: true });
    for (const words of [
      ["resume", "last"],
      ["resume", "r1"],
      ["rerun", "r1"],
      ["cancel", "r1"],
      ["mcp", "serve"],
    ]) {
      const refused = await run(copy, ...words);
      expect({ words, code: refused.code }).toEqual({ words, code: 2 });
      expect(refused.stderr).toContain("windlass trust");
    }
    expect(await run(copy, "run", "plant")).toMatchObject({ code: 2 });
    expect(existsSync(join(copy.dir, "planted.md"))).toBe(false);
    expect((await run(copy, "trust", "--list")).stdout).toContain(".windlass, which was not created here");
    expect(await run(made, "resume", "r1")).toMatchObject({ code: 0 });
    expect(existsSync(join(made.dir, "planted.md"))).toBe(true);
    expect(await run(copy, "trust")).toMatchObject({ code: 0 });
    expect(await run(copy, "resume", "r1")).toMatchObject({ code: 0 });
  });

  test("[S8] a folder that is moved keeps its data", async () => {
    const made = await approved();
    const dir = join(await folder(), "moved");
    await rename(made.dir, dir);
    expect(await run({ ...made, dir }, "resume", "r1")).toMatchObject({ code: 0 });
  });

  test("[S8] a linked data folder is not written before trust", async () => {
    const target = await folder();
    const linked = await testFolder();
    await symlink(target, join(linked.dir, ".windlass"));
    expect(await run(linked, "call", "calculator", "expression=1+1")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(target),
    });
    expect(existsSync(join(target, "journal.db"))).toBe(false);
  });

  test("[S8] the commands of one workspace never request trust in the data that they wrote", async () => {
    const made = await testFolder({ ...files, "mcp.json": '{ "mcpServers": {} }' });
    for (const words of [
      "call memory_store content=x",
      "run plant --run-id a",
      "mcp list",
      "tools",
      "runs",
      "validate",
    ])
      expect((await run(made, ...words.split(" "))).stderr).not.toContain("not trusted");
    expect(await readFile(join(made.dir, ".windlass/.gitignore"), "utf8")).toBe("*\n");
  });
});

describe.runIf(hasTerminal)("at a terminal", () => {
  test("[S8] a yes that was typed before the prompt of trust does not count", async () => {
    const made = await testFolder({
      ...files,
      "tools/id.yaml": "name: id_it\ndescription: x\nentry: { type: command, command: [id] }\n",
    });
    for (const words of ["call id_it", "trust"]) {
      const early = await atTerminal(words, made.dir, "\n", made.env, "y\ny\n");
      expect(early.screen).toContain("[y/N]");
      expect(early.code).not.toBe(0);
    }
    expect(await atTerminal("call id_it", made.dir, undefined, made.env)).toMatchObject({ code: 2 });
    expect(await atTerminal("trust", made.dir, "y\n", made.env)).toMatchObject({ code: 0 });
  });

  test("[S8] a chain in another folder is shown with its receivers before it runs", async () => {
    const chain = (name: string, port: number): string =>
      `name: ${name}\nsteps:\n  - { id: a, tool: http_request, params: { url: "http://127.0.0.1:${port}/", headers: { token: "\${secret.TOKEN}" } } }\n`;
    const made = await testFolder({
      "windlass.yaml": "secrets: { TOKEN: { env: THE_KEY } }\n",
      "chains/a.yaml": chain("a", 1),
      "demo/p.yaml": chain("p", 2),
    });
    const env = { ...made.env, THE_KEY: "sk-0123456789abcdef" };
    expect(await windlass(["trust"], { cwd: made.dir, env })).toMatchObject({ code: 0 });
    const unattended = await windlass(["run", "demo/p.yaml"], { cwd: made.dir, env });
    expect(unattended).toMatchObject({ code: 2, stderr: expect.stringContaining("127.0.0.1:2") });
    const { screen, code } = await atTerminal("run demo/p.yaml", made.dir, "n\n", env);
    expect(screen).toMatch(/send a secret[\s\S]*127\.0\.0\.1:2/);
    expect(code).toBe(2);
  });
});
