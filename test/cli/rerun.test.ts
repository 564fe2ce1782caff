import { writeFile } from "node:fs/promises";
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

/** A run that is over, of a chain that was edited since: `mail`, which does not depend on `use`, is another. */
async function edited(): Promise<string> {
  const cwd = await folder(workspace);
  await windlass(["run", "branches", "--run-id", "first"], { cwd });
  await writeFile(join(cwd, "chains/branches.yaml"), branches("grace"));
  return cwd;
}

const sent = async (cwd: string): Promise<string[]> => (await effects(cwd)).filter((line) => line.startsWith("send"));

describe.concurrent("windlass rerun --from", () => {
  test("tells what is taken over before it runs", async () => {
    const cwd = await folder(workspace);
    await windlass(["run", "branches", "--run-id", "first"], { cwd });
    const { code, stderr } = await windlass(["rerun", "first", "--from", "use"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain("taken over: look, mail, after\n");
    expect(stderr).not.toContain("runs as well");
    expect(await sent(cwd)).toHaveLength(1);
  });

  test("a step with the effect once that changed elsewhere needs --yes, else nothing runs", async () => {
    const cwd = await edited();
    const { code, stderr, stdout } = await windlass(["rerun", "first", "--from", "use"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("taken over: look\n");
    expect(stderr).toContain("mail: send (once), it has changed since");
    expect(stderr).toContain("after: read (read), it needs mail, which runs again");
    expect(stderr).toContain("windlass rerun first --from use --yes");
    expect(await sent(cwd)).toEqual(['send {"to":"ada"}']);
    expect(JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout)).toHaveLength(1);
    const yes = await windlass(["rerun", "first", "--from", "use", "--yes"], { cwd });
    expect(yes).toMatchObject({ code: 0, stderr: expect.stringContaining("mail: send (once), it has changed since") });
    expect(await sent(cwd)).toEqual(['send {"to":"ada"}', 'send {"to":"grace"}']);
  });

  test("what did not end well is told; what was never reached needs no yes", async () => {
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
    expect(stderr).toContain("taken over: nothing");
    expect(stderr).toContain("bad: fails (read), it did not end well (failed)");
    expect(stderr).toContain("mail: send (once), it was not reached then");
  });

  test("--yes without --from, and a step that is not there, are mistakes of usage", async () => {
    const cwd = await edited();
    const [lonely, unknown] = await Promise.all([
      windlass(["rerun", "first", "--yes"], { cwd }),
      windlass(["rerun", "first", "--from", "uze"], { cwd }),
    ]);
    expect(lonely).toMatchObject({ code: 2, stderr: expect.stringContaining("--from") });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "use"?') });
  });

  test.runIf(hasTerminal)("at a terminal a person is asked", async () => {
    const cwd = await edited();
    const no = await atTerminal("rerun first --from use", cwd, "n\n");
    expect(no.code).toBe(2);
    expect(await sent(cwd)).toHaveLength(1);
    const yes = await atTerminal("rerun first --from use", cwd, "y\n");
    expect(yes.code).toBe(0);
    expect(await sent(cwd)).toHaveLength(2);
  });
});
