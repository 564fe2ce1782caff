import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Run } from "../cli/windlass.ts";
import { type PinnedWorkspace, openPinned, pins } from "./pinned-workspace.ts";

interface PendingApproval {
  readonly id: string;
  readonly run_id: string;
}

async function pendingOf({ run }: PinnedWorkspace, runId: string): Promise<string> {
  const { stdout, stderr } = await run("approvals", "--json");
  const found = (JSON.parse(stdout || "[]") as PendingApproval[]).find(({ run_id }) => run_id === runId);
  if (found === undefined) throw new Error(`no approval of ${runId}: ${stdout}${stderr}`);
  return found.id;
}

async function agentRun({ run }: PinnedWorkspace, status: string): Promise<string> {
  const runs = JSON.parse((await run("runs", "--status", status, "--json")).stdout) as {
    run_id: string;
    kind: string;
  }[];
  const found = runs.find(({ kind }) => kind === "agent");
  return found?.run_id ?? "";
}

function output({ stdout, stderr, code }: Run): unknown {
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A program that approves a run of the workspace, and serves runs until this one and another have ended. */
const serving = `
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
const workspace = await openWorkspace(".");
const pending = await workspace.approvals.list("pending");
await workspace.runs.decide(pending.find(({ runId }) => runId === "approval").id, { approved: true, by: "ada" });
const stop = new AbortController();
const served = workspace.runs.serve({ signal: stop.signal });
const statusOf = async (id) => (await workspace.runs.list({ limit: 1000 })).find((run) => run.id === id).status;
let ended = {};
for (let tries = 0; tries < 200 && Object.values(ended).join() !== "success,success"; tries++) {
  await sleep(100);
  ended = { approval: await statusOf("approval"), decided: await statusOf("decided") };
}
stop.abort();
await served;
await workspace.close();
console.log(JSON.stringify(ended));
`;

describe.concurrent.each(readdirSync(pins))("the database of version %s", (version) => {
  test("a run that waits for an approval resumes when it is approved", async () => {
    const workspace = await openPinned(version);
    const approval = await pendingOf(workspace, "approval");
    expect(output(await workspace.run("approve", approval))).toEqual({ sent: "send-ada-42", total: 42 });
    expect(await workspace.effects()).toEqual(["send-ada-42"]);
    const shown = JSON.parse((await workspace.run("show", "approval", "--json")).stdout) as { status: string };
    expect(shown.status).toBe("success");
  });

  test("a run that waits for an approval fails when it is rejected", async () => {
    const workspace = await openPinned(version);
    const rejected = await workspace.run("reject", await pendingOf(workspace, "approval"), "--note", "not today");
    expect(rejected.code).toBe(0);
    expect(await workspace.effects()).toEqual([]);
    expect((await workspace.run("explain", "approval", "send")).stdout).toContain("not today");
  });

  test("a decision made before the upgrade counts after it", async () => {
    const workspace = await openPinned(version);
    expect(output(await workspace.run("resume", "decided"))).toEqual({ sent: "send-grace-42", total: 42 });
    expect(await workspace.effects()).toEqual(["send-grace-42"]);
  });

  test("a process that serves runs executes those that were decided before the upgrade and after it", async () => {
    const { cwd, effects } = await openPinned(version);
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", serving], {
      cwd,
      env: { ...process.env, WINDLASS_TRUST: "1" },
    });
    expect(JSON.parse(stdout)).toEqual({ approval: "success", decided: "success" });
    const sent = (await effects()).filter((effect) => effect.startsWith("send-"));
    expect(sent.toSorted()).toEqual(["send-ada-42", "send-grace-42"]);
  });

  test("a call that a permission rule holds back runs once when it is approved", async () => {
    const workspace = await openPinned(version);
    expect(output(await workspace.run("approve", await pendingOf(workspace, "guarded")))).toMatchObject({
      publish: { text: "guarded" },
    });
    expect(await workspace.effects()).toEqual(["guarded"]);
  });

  test("a call inside of a tool runs once when it is approved", async () => {
    const workspace = await openPinned(version);
    expect(output(await workspace.run("approve", await pendingOf(workspace, "nested-call")))).toEqual({
      outer: { text: "nested" },
    });
    expect(await workspace.effects()).toEqual(["nested"]);
  });

  test("a timer that is due fires when the run resumes", async () => {
    const workspace = await openPinned(version);
    await writeFile(join(workspace.cwd, "works"), "");
    expect(output(await workspace.run("resume", "timer"))).toEqual({ flaky: { text: "flaky" } });
    expect(await workspace.effects()).toEqual(["flaky"]);
  });

  test("an interrupted once step waits for a person, who can confirm that it was done", async () => {
    const workspace = await openPinned(version);
    const resumed = await workspace.run("resume", "once");
    expect(resumed.code).toBe(3);
    const done = await workspace.run("approve", "once", "--done", "--output", '{"text":"by-hand"}');
    expect(output(done)).toMatchObject({ after: { text: "once-after-by-hand" } });
    expect(await workspace.effects()).toEqual(["once-after-by-hand"]);
  });

  test("a run that was killed inside of a sub-chain continues there", async () => {
    const workspace = await openPinned(version);
    expect(output(await workspace.run("resume", "parent"))).toEqual({ done: "child-second" });
    expect(await workspace.effects()).toEqual(["child-second", "parent-after"]);
  });

  test("a half-done for_each repeats no finished item", async () => {
    const workspace = await openPinned(version);
    const items = ["each-a", "each-b", "each-c", "each-d", "each-e"];
    expect(output(await workspace.run("resume", "each"))).toEqual({ items });
    expect(await workspace.effects()).toEqual(items.slice(2));
  });

  test("resume without a name continues every run whose process has ended", async () => {
    const workspace = await openPinned(version, [{ text: "Found it." }]);
    await writeFile(join(workspace.cwd, "works"), "");
    const { stderr } = await workspace.run("resume");
    expect(stderr).not.toContain("run_changed");
    const effects = await workspace.effects();
    expect(effects.toSorted()).toEqual(["child-second", "each-c", "each-d", "each-e", "flaky", "parent-after"]);
  });

  test("an agent that waits for an approval makes the call when it is approved", async () => {
    const workspace = await openPinned(version, [{ text: "It is sent." }]);
    const runId = await agentRun(workspace, "waiting");
    const approved = await workspace.run("approve", await pendingOf(workspace, runId));
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining("It is sent.") });
    expect(await workspace.effects()).toEqual(["agent-send"]);
  });

  test("an agent whose process was killed repeats no call", async () => {
    const workspace = await openPinned(version, [{ text: "Found it." }]);
    const resumed = await workspace.run("resume", await agentRun(workspace, "running"));
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("Found it.") });
    expect(await workspace.effects()).toEqual([]);
  });

  test("a conversation continues with its history", async () => {
    let body = "";
    const workspace = await openPinned(version, [
      (request) => {
        body = JSON.stringify(request.body);
        return { text: "Near Southampton." };
      },
    ]);
    const { code } = await workspace.run("ask", "Which town is near?", "--conversation", "mills");
    expect(code).toBe(0);
    for (const text of ["Where is the mill?", "on a causeway", "How old is it?", "18th century", "Which town is near?"])
      expect(body).toContain(text);
  });

  test("memories are found again", async () => {
    const { run } = await openPinned(version);
    expect((await run("call", "memory_recall", "query=mill")).stdout).toContain("The mill at Eling still grinds.");
    expect((await run("call", "memory_recall", "query=磨坊")).stdout).toContain("潮汐磨坊建在堤道上。");
  });

  test("pinned MCP tools need no new approval, and drift is refused", async () => {
    const { cwd, run } = await openPinned(version);
    expect((await run("call", "pins/shout", "text=hello")).stdout).toContain("HELLO");
    const config = join(cwd, "mcp.json");
    const server = (await readFile(join(cwd, "mcp-server.mjs"), "utf8")).replace("in capitals", "in lower case");
    await writeFile(join(cwd, "mcp-server.mjs"), server);
    expect(await readFile(config, "utf8")).toContain("mcp-server.mjs");
    const drifted = await run("call", "pins/shout", "text=hello");
    expect(drifted).toMatchObject({ code: 1, stderr: expect.stringContaining("windlass mcp approve pins") });
  });

  test("a finished run is shown, explained and run again from a step", async () => {
    const { run, effects } = await openPinned(version);
    const shown = JSON.parse((await run("show", "finished", "--json")).stdout) as {
      steps: { id: string; status: string; output?: { large?: string } }[];
    };
    expect(shown.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "first success",
      "skipped skipped",
      "fails recovered",
      "large success",
    ]);
    expect(shown.steps[3]?.output?.large?.length).toBe(300_000);
    expect((await run("explain", "finished", "fails")).stdout).toContain("not yet");
    const again = await run("rerun", "finished", "--from", "fails");
    expect(output(again)).toEqual({ first: "finished-first", fallback: "finished-fallback" });
    expect(await effects()).toEqual(["finished-fails", "finished-fallback"]);
  });

  test("records and statistics count the calls made before", async () => {
    const { run } = await openPinned(version);
    const records = JSON.parse((await run("records", "--limit", "1000", "--json")).stdout) as {
      records?: { tool: string }[];
    };
    expect(JSON.stringify(records)).toContain('"finished-fallback"');
    expect((await run("stats")).stdout).toMatch(/work +\d+/);
  });

  test("[H24] statistics of chains count earlier runs by their duration; a run that resumes also stores its metrics", async () => {
    const { cwd, run } = await openPinned(version);
    const summarized = async (): Promise<string[]> => {
      const { stdout } = await run("stats", "--chains", "--json");
      const { chains } = JSON.parse(stdout) as {
        chains: { chain: string; metrics: Record<string, { runs: number }> }[];
      };
      return chains.map(({ chain, metrics }) =>
        [chain, metrics["duration_p95_ms"]?.runs, metrics["recovery_rate"]?.runs].join(" "),
      );
    };
    // Runs store their metrics since the version of `v3`.
    const before = `finished 1 ${["v1", "v2"].includes(version) ? 0 : 1}`;
    expect(await summarized()).toEqual([before]);
    expect((await run("resume", "once")).code).toBe(3);
    expect((await run("approve", "once", "--done", "--output", '{"text":"by-hand"}')).code).toBe(0);
    await writeFile(join(cwd, "works"), "");
    expect((await run("resume", "timer")).code).toBe(0);
    expect(await summarized()).toEqual([before, "once 1 0", "timer 1 1"]);
  });
});
