import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { effects, tracingTools } from "./chain-workspace.ts";
import { folder, windlass } from "./windlass.ts";

/** Two branches that do not depend on each other. */
const branches = (mail: string): string => `name: branches
steps:
  - { id: look, tool: read, params: { text: one } }
  - { id: use, tool: read, params: { text: "\${steps.look.output.value}" } }
  - { id: mail, tool: send, params: { to: ${mail} } }
  - { id: after, tool: read, depends_on: [mail], params: { text: done } }
`;

const workspace = { ...tracingTools, "windlass.yaml": "", "chains/branches.yaml": branches("ada") };

/** A finished run of a chain that was edited since: `mail`, which does not depend on `use`, has changed. */
async function edited(): Promise<string> {
  const cwd = await folder(workspace);
  await windlass(["run", "branches", "--run-id", "first"], { cwd });
  await writeFile(join(cwd, "chains/branches.yaml"), branches("grace"));
  return cwd;
}

const sent = async (cwd: string): Promise<string[]> => (await effects(cwd)).filter((line) => line.startsWith("send"));

describe.concurrent("windlass rerun --from", () => {
  test("lists reused results before it runs", async () => {
    const cwd = await folder(workspace);
    await windlass(["run", "branches", "--run-id", "first"], { cwd });
    const { code, stderr } = await windlass(["rerun", "first", "--from", "use"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain("reused: look, mail, after\n");
    expect(stderr).not.toContain("also run again");
    expect(await sent(cwd)).toHaveLength(1);
  });

  test("a changed step with effect once elsewhere in the chain needs --yes, otherwise nothing runs", async () => {
    const cwd = await edited();
    const { code, stderr, stdout } = await windlass(["rerun", "first", "--from", "use"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("reused: look\n");
    expect(stderr).toContain("mail: send (once), changed since that run");
    expect(stderr).toContain("after: read (read), needs mail, which runs again");
    expect(stderr).toContain("windlass rerun first --from use --yes");
    expect(await sent(cwd)).toEqual(['send {"to":"ada"}']);
    expect(JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout)).toHaveLength(1);
    const yes = await windlass(["rerun", "first", "--from", "use", "--yes"], { cwd });
    expect(yes).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("mail: send (once), changed since that run"),
    });
    expect(await sent(cwd)).toEqual(['send {"to":"ada"}', 'send {"to":"grace"}']);
  });

  test("steps that did not succeed are listed; a step that was never reached needs no confirmation", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/broken.yaml": `name: broken
max_parallel: 1
steps:
  - { id: fine, tool: read, params: { text: one } }
  - { id: bad, tool: fails }
  - { id: mail, tool: send, params: { to: ada } }
`,
    });
    await windlass(["run", "broken", "--run-id", "first"], { cwd });
    expect(await sent(cwd)).toEqual([]);
    const { code, stderr } = await windlass(["rerun", "first", "--from", "fine"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("reused: nothing");
    expect(stderr).toContain("bad: fails (read), did not succeed (failed)");
    expect(stderr).toContain("mail: send (once), not reached in that run");
  });

  test("--yes without --from, and an unknown step, are usage errors", async () => {
    const cwd = await edited();
    const [lonely, unknown] = await Promise.all([
      windlass(["rerun", "first", "--yes"], { cwd }),
      windlass(["rerun", "first", "--from", "uze"], { cwd }),
    ]);
    expect(lonely).toMatchObject({ code: 2, stderr: expect.stringContaining("--from") });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "use"?') });
  });

  test.runIf(hasTerminal)("prompts at a terminal", async () => {
    const cwd = await edited();
    const no = await atTerminal("rerun first --from use", cwd, "n\n");
    expect(no.code).toBe(2);
    expect(await sent(cwd)).toHaveLength(1);
    const yes = await atTerminal("rerun first --from use", cwd, "y\n");
    expect(yes.code).toBe(0);
    expect(await sent(cwd)).toHaveLength(2);
  });
});

describe.concurrent("windlass rerun", () => {
  const chain = (text: string): string =>
    `name: note\ninput: { who: string=ann }\nsteps: [{ id: a, tool: read, params: { text: ${text} } }]\noutput: "\${steps.a.output.value}"\n`;

  test("a chain from a file is run from that file, in any folder; if the file is gone, from the chain stored with the run", async () => {
    const files = {
      ...tracingTools,
      "windlass.yaml": "",
      "chains/note.yaml": chain("known"),
      "drafts/note.yaml": chain("one"),
    };
    const cwd = await folder(files);
    const below = join(cwd, "drafts");
    const first = await windlass(["run", "note.yaml", "--run-id", "first"], { cwd: below });
    expect(first).toMatchObject({ code: 0, stdout: '"one"\n' });
    await writeFile(join(cwd, "drafts/note.yaml"), chain("two"));
    expect(await windlass(["rerun", "first"], { cwd })).toMatchObject({ code: 0, stdout: '"two"\n' });
    await rm(join(cwd, "drafts/note.yaml"));
    const gone = await windlass(["rerun", "first", "--from", "a"], { cwd });
    expect(gone).toMatchObject({ code: 0, stdout: '"one"\n' });
    expect(gone.stderr.split("\n").filter((line) => line.includes("drafts/note.yaml no longer exists"))).toHaveLength(
      1,
    );
  });

  test("an input that the chain no longer accepts is reported, and nothing runs", async () => {
    const cwd = await folder({ ...tracingTools, "windlass.yaml": "", "chains/note.yaml": chain("one") });
    await windlass(["run", "note", "--run-id", "first"], { cwd });
    await writeFile(join(cwd, "chains/note.yaml"), chain("one").replace("string=ann", "string=ann, age: number"));
    const { code, stderr } = await windlass(["rerun", "first"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("the input of run first does not fit the current version of note");
    expect(await effects(cwd)).toHaveLength(1);
  });

  test("compensated steps need confirmation to run again", async () => {
    const saga = `name: saga
steps:
  - { id: mail, tool: send, params: { to: ada }, compensate: { tool: send, params: { to: ada, body: sorry } } }
  - { id: bad, tool: fails, depends_on: [mail] }
`;
    const cwd = await folder({ ...tracingTools, "windlass.yaml": "", "chains/saga.yaml": saga });
    await windlass(["run", "saga", "--run-id", "first"], { cwd });
    const { code, stderr } = await windlass(["rerun", "first", "--from", "bad"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("mail: send (once), compensated in that run");
    expect(await sent(cwd)).toHaveLength(2);
    expect((await windlass(["rerun", "first", "--from", "bad", "--yes"], { cwd })).code).toBe(1);
    expect(await sent(cwd)).toHaveLength(4);
  });
});

test("windlass run --run-id rejects another context, and says that an edited chain was not run", async () => {
  const chain = (text: string): string =>
    `name: note\nsteps: [{ id: a, tool: read, params: { text: "${text} \${context.user}" } }]\noutput: "\${steps.a.output.value}"\n`;
  const cwd = await folder({ ...tracingTools, "windlass.yaml": "", "chains/note.yaml": chain("one") });
  const run = (user: string): ReturnType<typeof windlass> =>
    windlass(["run", "note", "--run-id", "mine", "--context", `user=${user}`], { cwd });
  await run("ann");
  const other = await run("bob");
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain("run mine already exists, with different context: user");
  await writeFile(join(cwd, "chains/note.yaml"), chain("two"));
  const same = await run("ann");
  expect(same).toMatchObject({ code: 0, stdout: '"one ann"\n' });
  expect(same.stderr).toContain(
    "note: the chain note has changed since run mine began; to run the current version: windlass rerun mine",
  );
});
