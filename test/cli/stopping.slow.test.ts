import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { effects, mailChain, tracingTools } from "./chain-workspace.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

const undo = codeTool(
  "undo",
  `import { appendFileSync } from "node:fs";
export default (args: object) => { appendFileSync("effects.log", "undo " + JSON.stringify(args) + "\\n"); return true; };`,
  "effect: once\nparameters: [{ name: to, type: string }]",
);

const saga = (ms: number): string => `name: saga
steps:
  - { id: first, tool: send, params: { to: first }, compensate: { tool: undo, params: { to: first } } }
  - { id: long, tool: read, depends_on: [first], params: { ms: ${ms} } }
  - { id: last, tool: send, depends_on: [long], params: { to: last } }
`;

const workspace = { ...tracingTools, ...undo, "windlass.yaml": "", "chains/mail.yaml": mailChain };

/** Resolves when a handler has written a line with this beginning. */
function seen(cwd: string, start: string): Promise<void> {
  return vi.waitFor(async () => expect((await effects(cwd)).some((line) => line.startsWith(start))).toBe(true), {
    timeout: 20_000,
    interval: 20,
  });
}

/** A run of the chain whose process was killed while `long` ran. */
async function killed(ms = 60_000): Promise<string> {
  const cwd = await folder({ ...workspace, "chains/saga.yaml": saga(ms) });
  await windlass(["run", "saga", "--run-id", "half"], {
    cwd,
    onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGKILL")),
  });
  return cwd;
}

describe.concurrent("a run whose process is terminated", () => {
  test("SIGTERM releases a run and does not roll it back: running calls finish, the code is 143, and resume continues", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga(1500) });
    const { code, stderr, stdout } = await windlass(["run", "saga", "--run-id", "half"], {
      cwd,
      onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGTERM")),
    });
    expect({ code, stdout }).toEqual({ code: 143, stdout: "" });
    expect(stderr).toContain("Releasing the run");
    expect(stderr).toContain("long: success");
    expect(stderr).toContain("saga was interrupted after");
    expect(stderr).toContain("with: windlass resume half");
    expect(await effects(cwd)).toEqual(['send {"to":"first"}', 'read {"ms":1500}']);
    const resumed = await windlass(["resume", "half"], { cwd });
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("2 steps done earlier") });
    expect(await effects(cwd)).toEqual(['send {"to":"first"}', 'read {"ms":1500}', 'send {"to":"last"}']);
  });

  test("[F9] SIGTERM: a step that never ran is listed as started neither then, nor by show and explain", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga(1500) });
    const { code, stderr } = await windlass(["run", "saga", "--run-id", "half"], {
      cwd,
      onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGTERM")),
    });
    expect(code).toBe(143);
    expect(stderr).not.toContain("last:");
    expect(stderr).toContain("(2 steps)");
    const [shown, json, why] = await Promise.all([
      windlass(["show", "half"], { cwd }),
      windlass(["show", "half", "--json"], { cwd }),
      windlass(["explain", "half", "last"], { cwd }),
    ]);
    expect(shown.stdout).toContain("(2 steps)");
    expect(JSON.parse(json.stdout).steps).toMatchObject([{ id: "first" }, { id: "long" }]);
    expect(JSON.parse(json.stdout).steps).toHaveLength(2);
    expect(why.stdout).toContain("last has not begun");
  });

  test("SIGTERM cancels a run that is not durable: no process could resume it", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": `durable: false\n${saga(60_000)}` });
    const { code, stderr } = await windlass(["run", "saga"], {
      cwd,
      onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGTERM")),
    });
    expect(code).toBe(143);
    expect(stderr).toContain("undone: first");
    expect((await effects(cwd)).at(-1)).toBe('undo {"to":"first"}');
  });

  test("SIGTERM during the wait for another process does not stop that process", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga(8000) });
    const running = windlass(["run", "saga", "--run-id", "shared"], { cwd });
    await seen(cwd, "read");
    const joined = await windlass(["run", "saga", "--run-id", "shared"], {
      cwd,
      // Nothing reports that it waits; on a busy machine it takes a while to start.
      onStart: (kill) => void setTimeout(() => kill("SIGTERM"), 4000),
    });
    expect(joined.code).toBe(143);
    expect((await running).code).toBe(0);
    expect((await effects(cwd)).filter((line) => line.startsWith("send"))).toHaveLength(2);
  });
});

describe.concurrent("a run that was interrupted", () => {
  test("is shown as interrupted, not as running", async () => {
    const cwd = await killed();
    const [shown, why] = await Promise.all([
      windlass(["show", "half"], { cwd }),
      windlass(["explain", "half", "long"], { cwd }),
    ]);
    expect(shown.stdout).toContain("saga was interrupted after");
    expect(shown.stdout + shown.stderr).not.toContain("has been running");
    expect(shown.stderr).toContain("with: windlass resume half");
    expect(why.stdout).toContain("long was running when its process ended");
    expect(why.stdout).not.toContain("has been running");
  });

  test("[F14] resume and rerun report the steps that run from the beginning", async () => {
    const cwd = await killed(1500);
    const resumed = await windlass(["resume", "half"], { cwd });
    expect(resumed.code).toBe(0);
    const news = (stderr: string): string[] =>
      [...stderr.matchAll(/^[\d:.]{12} (.*?)( in .*)?$/gm)].map(([, text]) => text ?? "");
    expect(news(resumed.stderr)).toEqual([
      "saga: run half, 3 steps",
      "1 step done earlier",
      "long: started read",
      "long: · reading",
      "long: success",
      "last: started send",
      "last: success",
    ]);
    const rerun = await windlass(["rerun", "half", "--from", "long", "--yes"], { cwd });
    expect(news(rerun.stderr).slice(1, 3)).toEqual(["1 step done earlier", "long: started read"]);
  });

  test("a run whose tools changed is rejected by resume; cancel ends it, with its compensations", async () => {
    const cwd = await killed();
    const changed = tracingTools["tools/read.yaml"]?.replace("name: number", "name: figure") ?? "";
    await writeFile(join(cwd, "tools/read.yaml"), changed);
    const refused = await windlass(["resume", "half"], { cwd });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("run_changed") });
    const { code, stderr } = await windlass(["cancel", "half"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("undone: first") });
    expect((await effects(cwd)).at(-1)).toBe('undo {"to":"first"}');
    const { stdout } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ run_id: "half", status: "cancelled" }]);
  });

  test("a run whose tool is gone ends with cancel, which lists what is not undone", async () => {
    const cwd = await killed();
    await Promise.all(["tools/undo.yaml", "tools/undo.ts"].map((file) => rm(join(cwd, file))));
    const { code, stderr, stdout } = await windlass(["cancel", "half", "--json"], { cwd });
    expect({ code, log: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      log: {
        status: "cancelled",
        steps: [{ id: "first", compensation: { status: "failed" } }, { id: "long" }, { id: "last" }],
      },
    });
    expect(stderr).toContain("not undone: first: undo has changed since the run began, or no longer exists");
    expect((await effects(cwd)).some((line) => line.startsWith("undo"))).toBe(false);
    const again = await windlass(["cancel", "half"], { cwd });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("had already ended") });
    const shown = await windlass(["show", "half"], { cwd });
    expect(shown.stdout).toContain("could not be undone");
  });
});
