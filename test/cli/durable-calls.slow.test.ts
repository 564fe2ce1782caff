import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { effects, tracingTools } from "./chain-workspace.ts";
import { builtProgram, codeTool, environment, folder, windlass } from "./windlass.ts";

const approvalRule = `permissions: { ask: ["direct:send"], allow: ["*"] }\n`;
const library = pathToFileURL(join(dirname(builtProgram), "index.js")).href;

/** A program that makes a durable call, with these arguments of `start`. */
const program = (...args: readonly unknown[]): string => calling("start", args);

const calling = (verb: "start" | "submit", args: readonly unknown[]): string =>
  `import { openWorkspace } from ${JSON.stringify(library)};
const workspace = await openWorkspace(".");
const { status } = await workspace.calls.${verb}(...${JSON.stringify(args)});
await workspace.close();
console.log(status);
`;

/** Runs the program in a process of its own, and kills it if its output says so. */
function runProgram(cwd: string, kill?: () => Promise<boolean>): Promise<string> {
  const child = spawn(process.execPath, ["program.mjs"], { cwd, env: { ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const poll = setInterval(() => void kill?.().then((now) => now && child.kill("SIGKILL")), 50);
  return new Promise((done) => {
    child.on("close", () => {
      clearInterval(poll);
      done(output.trim());
    });
  });
}

/** A workspace in which the call `c1` of `send` waits for approval. */
async function waiting(): Promise<string> {
  const cwd = await folder({
    ...tracingTools,
    "windlass.yaml": approvalRule,
    "program.mjs": program("send", { to: "ada" }, { runId: "c1" }),
  });
  expect(await runProgram(cwd)).toBe("waiting");
  return cwd;
}

/** A workspace in which the process of the call `c1` was killed while its tool, of this effect, ran. */
async function killed(effect: "read" | "once"): Promise<string> {
  const cwd = await folder({
    ...codeTool("slow", slow, `effect: ${effect}`),
    "program.mjs": program("slow", {}, { runId: "c1" }),
  });
  await runProgram(cwd, async () => (await effects(cwd)).length > 0);
  expect(await effects(cwd)).toHaveLength(1);
  return cwd;
}

/** Runs forever, until there is a file `go`. */
const slow = `import { appendFileSync, existsSync } from "node:fs";
export default async () => {
  appendFileSync("effects.log", "slow\\n");
  if (!existsSync("go")) await new Promise((done) => setTimeout(done, 600_000));
  return { made: "again" };
};
`;

describe.concurrent("a durable call that waits for approval", () => {
  test("is shown and explained, with the command that approves it", async () => {
    const cwd = await waiting();
    const [shown, json, explained, facts] = await Promise.all([
      windlass(["show", "c1"], { cwd }),
      windlass(["show", "last", "--json"], { cwd }),
      windlass(["explain", "c1"], { cwd }),
      windlass(["explain", "c1", "--json"], { cwd }),
    ]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^send {2}c1\n {2}args \{"to":"ada"\}\n‖/) });
    expect(shown.stderr).toMatch(/approve with: windlass approve \S+/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      run_id: "c1",
      kind: "call",
      tool: "send",
      status: "waiting",
      args: { to: "ada" },
    });
    expect(explained.stdout).toContain('A program called send with {"to":"ada"}.');
    expect(explained.stdout).toMatch(/It waits for approval: windlass approve \S+/);
    expect(JSON.parse(facts.stdout)).toMatchObject({
      run_id: "c1",
      facts: [{ code: "called", params: { initiator: "program", tool: "send" } }, { code: "awaits_approval" }],
    });
  });

  test("is made by the process that approves it, and its result is shown", async () => {
    const cwd = await waiting();
    const approved = await windlass(["approve", "c1"], { cwd });
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('"sent": true') });
    expect(approved.stderr).toContain("✓ send succeeded in");
    expect(await effects(cwd)).toEqual(['send {"to":"ada"}']);
    const shown = await windlass(["show", "c1"], { cwd });
    expect(shown.stdout).toContain('  output {"sent":true}');
    expect((await windlass(["explain", "c1"], { cwd })).stdout).toContain("It succeeded.");
  });

  test("is made by a process that resumes it after another one approved it", async () => {
    const cwd = await waiting();
    const early = await windlass(["resume", "c1"], { cwd });
    expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining("a rejected call is not made") });
    expect(await windlass(["approve", "c1", "--no-resume"], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("resume the run with: windlass resume c1"),
    });
    expect((await windlass(["show", "c1"], { cwd })).stderr).toContain("resume it with: windlass resume c1");
    const resumed = await windlass(["resume", "c1", "--json"], { cwd });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "success", result: { output: { sent: true } } });
    expect(await effects(cwd)).toEqual(['send {"to":"ada"}']);
  });

  test("is not made if it is rejected, and the command still succeeds", async () => {
    const cwd = await waiting();
    const rejected = await windlass(["reject", "c1", "--note", "not today"], { cwd });
    expect(rejected).toMatchObject({ code: 0, stderr: expect.stringContaining("The run ended: ") });
    expect(rejected.stderr).toContain("not today");
    const resumed = await windlass(["resume", "c1"], { cwd });
    expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining("for details: windlass show c1") });
    const shown = await windlass(["show", "c1"], { cwd });
    expect(shown.stdout).toMatch(/✗ send failed after .*\n {2}permission_denied: .*not today/);
    expect(await effects(cwd)).toEqual([]);
  });

  test("is cancelled like any run", async () => {
    const cwd = await waiting();
    const cancelled = await windlass(["cancel", "c1", "--json"], { cwd });
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringContaining("Run c1 is cancelled") });
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ run_id: "c1", status: "cancelled" });
    expect(await windlass(["cancel", "c1"], { cwd })).toMatchObject({ code: 0, stderr: "Run c1 had already ended.\n" });
    expect(JSON.parse((await windlass(["approvals", "--json"], { cwd })).stdout)).toEqual([]);
  });

  test("is not repeated by commands for chains; they name the command that repeats it", async () => {
    const cwd = await waiting();
    const rerun = await windlass(["rerun", "c1"], { cwd });
    expect(rerun.code).toBe(2);
    expect(rerun.stderr).toContain(`repeat it with: windlass call send --args '{"to":"ada"}'`);
    const step = await windlass(["explain", "c1", "first"], { cwd });
    expect(step).toMatchObject({ code: 2, stderr: expect.stringContaining("explain it with: windlass explain c1") });
    const unknown = await windlass(["resume", "c2"], { cwd });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no run "c2"') });
  });
});

describe.concurrent("a durable call that was submitted", () => {
  test("waits for a worker, and for no approval", async () => {
    const cwd = await folder({
      ...tracingTools,
      "program.mjs": calling("submit", ["send", { to: "ada" }, { runId: "c1" }]),
    });
    expect(await runProgram(cwd)).toBe("undefined");
    const runs = await windlass(["runs"], { cwd });
    expect(runs.stdout).toMatch(/c1 +waiting/);
    expect(runs.stderr).toBe("run c1 waits for a worker, not for an approval. Continue with: windlass resume c1\n");
    expect((await windlass(["show", "c1"], { cwd })).stderr).toContain("resume it with: windlass resume c1");
    expect(await windlass(["resume", "c1"], { cwd })).toMatchObject({ code: 0 });
    expect(await effects(cwd)).toEqual(['send {"to":"ada"}']);
  });
});

describe.concurrent("a durable call whose process was killed", () => {
  test("is retried by resume if its tool may run twice", async () => {
    const cwd = await killed("read");
    expect((await windlass(["runs"], { cwd })).stdout).toMatch(/c1 +interrupted/);
    expect((await windlass(["show", "c1"], { cwd })).stderr).toContain("resume it with: windlass resume c1");
    await writeFile(join(cwd, "go"), "");
    const resumed = await windlass(["resume"], { cwd });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('"made": "again"') });
    expect(await effects(cwd)).toHaveLength(2);
  });

  test("of a once tool is decided by a person, who says that its work was done", async () => {
    const cwd = await killed("once");
    expect(await windlass(["resume", "c1"], { cwd })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("slow was running when its process ended"),
    });
    const done = await windlass(["approve", "c1", "--done", "--output", '{"sent":"yes"}'], { cwd });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('"sent": "yes"') });
    expect(await effects(cwd)).toHaveLength(1);
  });

  test("is finished by a process that serves runs", async () => {
    const cwd = await killed("once");
    await windlass(["resume", "c1"], { cwd });
    await windlass(["approve", "c1", "--done", "--no-resume"], { cwd });
    await writeFile(
      join(cwd, "program.mjs"),
      `import { openWorkspace } from ${JSON.stringify(library)};
const workspace = await openWorkspace(".");
const stop = new AbortController();
const serving = workspace.runs.serve({ signal: stop.signal });
const { status } = await workspace.calls.result("c1");
stop.abort();
await serving;
await workspace.close();
console.log(status);
`,
    );
    expect(await runProgram(cwd)).toBe("success");
    expect(JSON.parse((await windlass(["show", "c1", "--json"], { cwd })).stdout)).toMatchObject({ status: "success" });
    expect(await effects(cwd)).toHaveLength(1);
  });
});
