import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/sqlite/journal/open-sqlite.ts";
import { Agent, AgentRuns, agentTool, resolveAgentSpec, findRunner } from "../../src/agent/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleTool } from "../support/sample-tool.ts";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { effects, mailChain, tracingTools } from "./chain-workspace.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

const workspace = { ...tracingTools, "windlass.yaml": "", "chains/mail.yaml": mailChain };
const mail = ["run", "mail", "to=ada"];

interface Waiting {
  readonly id: string;
  readonly run_id: string;
  readonly step: string;
  readonly args: unknown;
}

async function waiting(cwd: string): Promise<Waiting[]> {
  return JSON.parse((await windlass(["approvals", "--json"], { cwd })).stdout);
}

/** Runs a chain until it waits; returns its pending approvals. */
async function suspended(cwd: string, words: readonly string[] = mail): Promise<Waiting> {
  const { code } = await windlass(words, { cwd });
  expect(code).toBe(3);
  const [first] = await waiting(cwd);
  if (first === undefined) throw new Error("nothing waits");
  return first;
}

describe.concurrent("an agent that is called as a tool and waits for approval", () => {
  test("resumes the run that called it", async () => {
    const cwd = await folder({ "windlass.yaml": "" });
    await windlass(["call", "calculator", "expression=1"], { cwd });
    const store = await openSqlite({ file: join(cwd, ".windlass/journal.db"), redactor: createRedactor([]) });
    const { runs: journal, approvals } = store;
    const engine = createEngine({ tools: [sampleTool(() => "sent", { name: "send", effect: "once" })] });
    const agentWith = (name: string, args = {}) => {
      const model = scriptedModel([{ toolCalls: [{ name, args }] }]);
      const parts = { engine, journal, approvals, runner: findRunner, model: () => model };
      return new Agent(new AgentRuns(parts), resolveAgentSpec("autonomous", { tools: [name] }));
    };
    engine.tools.register(agentTool(agentWith("send"), { name: "helper", description: "Helps" }));
    const { runId } = await agentWith("helper", { prompt: "Send it" }).run("Have it sent");
    await store.close();
    const [requested] = await waiting(cwd);
    expect(requested?.run_id).not.toBe(runId);
    const shown = await windlass(["show", runId], { cwd });
    expect(shown.stderr).toContain(`approve with: windlass approve ${requested?.id}`);
    const runs = await windlass(["runs"], { cwd });
    expect(runs.stderr).toContain("list pending approvals with: windlass approvals");
    expect(runs.stderr).not.toContain("approvals of a waiting run are decided");
    expect(runs.stderr).not.toContain("waits for a worker");
    // The calling run lists the approval as well.
    const decided = await windlass(["approve", runId, "--no-resume"], { cwd });
    expect(decided).toMatchObject({ code: 0, stderr: expect.stringContaining(`with: windlass resume ${runId}`) });
  });
});

describe.concurrent("a run that needs an approval", () => {
  test("exits with 3 and lists them; approvals shows run, step and exact arguments", async () => {
    const cwd = await folder(workspace);
    const { code, stdout, stderr } = await windlass(mail, { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    const [approval] = await waiting(cwd);
    expect(approval).toMatchObject({ step: "send", args: { to: "ada", body: "hello" }, status: "pending" });
    expect(stderr).toContain(`windlass approve ${approval?.id}`);
    expect(stderr).toContain("a rejected step fails, and its error_handling decides what follows");
    expect(stderr).not.toContain("continues without the call");
    const list = await windlass(["approvals"], { cwd });
    expect(list.stdout).toContain("Send this to ada?");
    expect(list.stdout).toContain(`run ${approval?.run_id}, step send`);
    expect(list.stdout).toContain('{"to":"ada","body":"hello"}');
    const runs = await windlass(["runs", "--status", "waiting", "--json"], { cwd });
    expect(JSON.parse(runs.stdout)).toMatchObject([{ run_id: approval?.run_id, status: "waiting" }]);
  });

  test("resumes in the process that approves, once; the approval cannot be used twice", async () => {
    const cwd = await folder(workspace);
    const { id, run_id } = await suspended(cwd);
    const approved = await windlass(["approve", id], { cwd });
    expect({ code: approved.code, output: JSON.parse(approved.stdout) }).toEqual({ code: 0, output: { sent: true } });
    const done = ['read {"text":"hello"}', 'send {"to":"ada","body":"hello"}'];
    expect(await effects(cwd)).toEqual(done);
    const again = await windlass(["approve", id], { cwd });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("used up") });
    const resumed = await windlass(["resume", run_id], { cwd });
    expect({ code: resumed.code, output: JSON.parse(resumed.stdout) }).toEqual({ code: 0, output: { sent: true } });
    expect(await effects(cwd)).toEqual(done);
    // The same input again is another run, and needs another approval.
    const next = await suspended(cwd);
    expect(next.id).not.toBe(id);
  });

  test("can be named instead of the approval, if it waits for only one", async () => {
    const cwd = await folder(workspace);
    const { run_id } = await suspended(cwd);
    const approved = await windlass(["approve", run_id], { cwd });
    expect({ code: approved.code, output: JSON.parse(approved.stdout) }).toEqual({ code: 0, output: { sent: true } });
    const again = await windlass(["approve", run_id], { cwd });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no approval") });
    const two = ["a", "b"].map(
      (id) => `  - { id: ${id}, tool: send, params: { to: ${id}, body: hi }, approval: { message: "${id}?" } }\n`,
    );
    const both = await folder({ ...workspace, "chains/two.yaml": `name: two\nsteps:\n${two.join("")}` });
    const first = await suspended(both, ["run", "two"]);
    const several = await windlass(["reject", first.run_id], { cwd: both });
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("waits for 2 approvals; choose one of them"),
    });
    expect((await waiting(both)).length).toBe(2);
  });

  test("changed arguments need a new approval", async () => {
    const cwd = await folder(workspace);
    const first = await suspended(cwd);
    await windlass(["approve", first.id, "--no-resume"], { cwd });
    const other = await suspended(cwd, ["run", "mail", "to=grace"]);
    expect(other.id).not.toBe(first.id);
    expect(other.args).toEqual({ to: "grace", body: "hello" });
    expect((await effects(cwd)).filter((line) => line.startsWith("send"))).toEqual([]);
  });

  test("an approval given before the run requests it again is not lost", async () => {
    const cwd = await folder(workspace);
    const { id, run_id } = await suspended(cwd);
    const decided = await windlass(["approve", id, "--no-resume"], { cwd });
    expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining("Approved") });
    expect(decided.stderr).toContain(`windlass resume ${run_id}`);
    expect(await effects(cwd)).toHaveLength(1);
    const { code, stdout } = await windlass(["resume", run_id], { cwd });
    expect({ code, output: JSON.parse(stdout) }).toEqual({ code: 0, output: { sent: true } });
  });

  test("after a rejection it continues to its end: it fails, or falls back", async () => {
    const falling = mailChain
      .replace("name: mail", "name: falling")
      .replace(
        "    params: { to:",
        "    error_handling: { strategy: fallback, fallback: [{ condition: '${error}', tool: read, params: { text: kept } }] }\n    params: { to:",
      )
      .replace("steps.send.output.sent", "steps.send.output.value");
    const cwd = await folder({ ...workspace, "chains/falling.yaml": falling });
    const failing = await suspended(cwd);
    const rejected = await windlass(["reject", failing.id, "--note", "not today"], { cwd });
    expect(rejected).toMatchObject({ code: 0, stderr: expect.stringContaining("not today") });
    // The command itself succeeded.
    expect(rejected.stderr).toContain("The run ended: send: ");
    expect(rejected.stderr).not.toContain("error:");
    const other = await suspended(cwd, ["run", "falling", "to=ada"]);
    const stored = await windlass(["reject", other.id, "--json"], { cwd });
    expect({ code: stored.code, log: JSON.parse(stored.stdout) }).toMatchObject({
      code: 0,
      log: { status: "success", output: { sent: "kept" }, approval: { id: other.id, status: "rejected" } },
    });
    const { stdout } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ status: "success" }, { run_id: failing.run_id, status: "failed" }]);
    expect((await effects(cwd)).some((line) => line.startsWith("send"))).toBe(false);
  });

  test("a permission rule that requires approval makes a run wait as well", async () => {
    const cwd = await folder({
      ...workspace,
      "windlass.yaml": 'permissions: { ask: ["send"] }\n',
      "chains/plain.yaml": "name: plain\nsteps:\n  - { id: out, tool: send, params: { to: ada } }\n",
    });
    const { id, step, args } = await suspended(cwd, ["run", "plain"]);
    expect({ step, args }).toEqual({ step: "out", args: { to: "ada" } });
    expect(await effects(cwd)).toEqual([]);
    const { code } = await windlass(["approve", id], { cwd });
    expect(code).toBe(0);
    expect(await effects(cwd)).toEqual(['send {"to":"ada"}']);
  });

  test("every pending approval is listed with its id, tool and exact arguments, and no decided one", async () => {
    const cwd = await folder({
      ...workspace,
      "windlass.yaml": 'permissions: { ask: ["send"] }\n',
      "chains/many.yaml": `name: many
steps:
  - { id: each, tool: send, for_each: [ada, grace], params: { to: "\${item}" } }
  - { id: one, tool: send, params: { to: linus } }
`,
    });
    const { code, stderr } = await windlass(["run", "many", "--run-id", "many-1"], { cwd });
    expect(code).toBe(3);
    const open = await waiting(cwd);
    expect(open).toHaveLength(3);
    expect(stderr).toContain("run many-1 needs 3 approvals");
    for (const { id, args } of open) {
      expect(stderr).toContain(`send ${JSON.stringify(args)}\n    windlass approve ${id}`);
    }
    const shown = await windlass(["show", "many-1"], { cwd });
    for (const { id } of open) expect(shown.stderr).toContain(`windlass approve ${id}`);
    const [first, ...others] = open;
    const approved = await windlass(["approve", first?.id ?? ""], { cwd });
    expect(approved.code).toBe(3);
    expect(approved.stderr).toContain("needs 2 approvals");
    expect(approved.stderr).not.toContain(`windlass approve ${first?.id}`);
    for (const { id } of others) expect(approved.stderr).toContain(`windlass approve ${id}`);
    const decided = await windlass(["approve", others[0]?.id ?? "", "--no-resume"], { cwd });
    expect(decided.code).toBe(0);
    const later = await windlass(["show", "many-1"], { cwd });
    expect(later.stderr).toContain(`windlass approve ${others[1]?.id}`);
    expect(later.stderr).not.toContain(`windlass approve ${others[0]?.id}`);
  });

  test("an approval of a compensation says so in every view", async () => {
    const cwd = await folder({
      ...workspace,
      ...codeTool("undo", "export default () => true;", "effect: once\nparameters: [{ name: to, type: string }]"),
      "windlass.yaml": 'permissions: { ask: ["undo"] }\n',
      "chains/saga.yaml": `name: saga
steps:
  - { id: first, tool: send, params: { to: ada }, compensate: { tool: undo, params: { to: ada } } }
  - { id: second, tool: fails, depends_on: [first] }
`,
    });
    const { code, stderr } = await windlass(["run", "saga", "--run-id", "saga-1"], { cwd });
    expect(code).toBe(3);
    const [open] = await waiting(cwd);
    expect(open).toMatchObject({ step: "first", args: { to: "ada" } });
    expect(stderr).toContain("undo of step first: ");
    expect(stderr).toContain(`undo {"to":"ada"}\n    windlass approve ${open?.id}`);
    const [list, shown, why] = await Promise.all([
      windlass(["approvals"], { cwd }),
      windlass(["show", "saga-1"], { cwd }),
      windlass(["explain", "saga-1", "first"], { cwd }),
    ]);
    expect(list.stdout).toContain("run saga-1, undo of step first");
    expect(shown.stderr).toContain("waiting: undo of step first: ");
    expect(shown.stderr).toContain(`windlass approve ${open?.id}`);
    expect(why.stdout).toContain(`Approval ${open?.id} is pending, for undo of step first: undo {"to":"ada"}.`);
    const approved = await windlass(["approve", open?.id ?? ""], { cwd });
    expect(approved).toMatchObject({ code: 1, stderr: expect.stringContaining("undone: first") });
  });

  test("a waiting step is not reported as started before it is approved", async () => {
    const cwd = await folder(workspace);
    const { stderr } = await windlass(mail, { cwd });
    expect(stderr).toContain("prepare: started read");
    expect(stderr).toContain("send: waits for approval");
    expect(stderr).not.toContain("send: started");
    const [open] = await waiting(cwd);
    const approved = await windlass(["approve", open?.id ?? ""], { cwd });
    expect(approved.stderr).toMatch(/send: approved by .*\n.* send: started send\n/);
  });

  test("only the named approvers may decide", async () => {
    const named = (names: string): string =>
      mailChain.replace('"Send this to ${input.to}?"', `{ message: "Send it?", approvers: [${names}] }`);
    const me = userInfo().username;
    const cwd = await folder({
      ...workspace,
      "chains/mail.yaml": named("somebody-else"),
      "chains/mine.yaml": named(`somebody-else, ${me}`).replace("name: mail", "name: mine"),
    });
    const theirs = await suspended(cwd);
    const tries = await Promise.all([
      windlass(["approve", theirs.id], { cwd }),
      windlass(["approve", theirs.id, "--by", "somebody-else"], { cwd }),
      windlass(["reject", theirs.id], { cwd }),
    ]);
    for (const { code, stderr } of tries) {
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("only somebody-else may decide"),
      });
    }
    const mine = await suspended(cwd, ["run", "mine", "to=ada"]);
    // The name given with --by must not bypass the list of approvers.
    const other = await windlass(["approve", mine.id, "--by", "somebody-else"], { cwd });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("only the current user can decide") });
    expect((await windlass(["approve", mine.id], { cwd })).code).toBe(0);
  });

  test("a running run receives the decision", async () => {
    const busy = `name: busy
steps:
  - { id: ask, tool: send, approval: "Now?", params: { to: ada } }
  - { id: long, tool: read, params: { ms: 6000 } }
`;
    const cwd = await folder({ ...workspace, "chains/busy.yaml": busy });
    let requested: (id: string) => void = () => {};
    const approvalId = new Promise<string>((resolve) => (requested = resolve));
    const running = windlass(["run", "busy"], {
      cwd,
      onStderr: (text) => {
        const id = /waits for approval (\S+):/.exec(text)?.[1];
        if (id !== undefined) requested(id);
      },
    });
    const approved = await windlass(["approve", await approvalId], { cwd });
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining("will resume it") });
    const { code, stderr } = await running;
    expect(code).toBe(0);
    expect(stderr).toMatch(/ask: approved by /);
    expect((await effects(cwd)).filter((line) => line.startsWith("send"))).toEqual(['send {"to":"ada"}']);
  });
});

describe.runIf(hasTerminal).concurrent("a run at a terminal", () => {
  test("shows a tree, prompts in place and continues; the cursor is restored", async () => {
    const cwd = await folder(workspace);
    const { code, screen } = await atTerminal("run mail to=ada", cwd, "y\n");
    expect(code).toBe(0);
    expect(screen).toContain("Send this to ada?");
    expect(screen.split("Approve?")[0]).toContain('"body": "hello"');
    const [, after = ""] = screen.split("Approve?");
    // oxlint-disable-next-line no-control-regex
    const plain = after.replaceAll(/\u001b\[[\d;?]*[a-zA-Z]/g, "");
    expect(plain).toMatch(/✓ prepare +read/);
    expect(plain).toMatch(/✓ send +send/);
    expect(plain).toContain("✓ mail succeeded in");
    expect(plain).toContain('"sent": true');
    expect(screen.lastIndexOf("\u001b[?25h")).toBeGreaterThan(screen.lastIndexOf("\u001b[?25l"));
  });

  test("no rejects; an empty answer leaves the approval pending", async () => {
    const cwd = await folder(workspace);
    const no = await atTerminal("run mail to=ada", cwd, "n\n");
    expect(no.code).toBe(1);
    expect(no.screen).toMatch(/rejected at\s+the terminal/);
    const later = await atTerminal("run mail to=grace", cwd, "\n");
    expect(later.code).toBe(3);
    const [open] = await waiting(cwd);
    expect(later.screen).toContain(`windlass approve ${open?.id}`);
    expect((await effects(cwd)).some((line) => line.startsWith("send"))).toBe(false);
  });

  test("NO_COLOR removes the colors, not the tree", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/quick.yaml": "name: quick\nsteps:\n  - { id: look, tool: read, params: { ms: 300 } }\n",
    });
    const { code, screen } = await atTerminal("run quick", cwd, undefined, { NO_COLOR: "1" });
    expect(code).toBe(0);
    expect(screen).toContain("look");
    // oxlint-disable-next-line no-control-regex
    expect(screen).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test("a run that is not durable prompts no one else: one that this user may not approve is not started", async () => {
    const approvers = mailChain.replace(
      'approval: "Send this to ${input.to}?"',
      "approval: { message: Send?, approvers: [nobody-here] }",
    );
    const cwd = await folder({ ...workspace, "chains/mail.yaml": `durable: false\n${approvers}` });
    const { code, screen } = await atTerminal("run mail to=ada", cwd, undefined);
    expect(code).toBe(1);
    expect(screen).toContain("only nobody-here may decide");
    expect(await effects(cwd)).toEqual([]);
  });

  test("Ctrl-C at the approval prompt cancels the run", async () => {
    const cwd = await folder(workspace);
    const { code, screen } = await atTerminal("run mail to=ada", cwd, "\u0003");
    expect(code).toBe(130);
    expect(screen).toContain("Cancelling the run");
    const { stdout } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ status: "cancelled" }]);
  });
});

/** A slow once tool, so that its process can be killed while it runs. */
const payWorkspace = {
  "windlass.yaml": "",
  ...codeTool(
    "pay",
    `import { appendFileSync } from "node:fs";
export default async () => {
  appendFileSync("effects.log", "pay\\n");
  await new Promise((done) => setTimeout(done, 60_000));
};`,
    "effect: once",
  ),
  "chains/pay.yaml": 'name: pay-once\nsteps:\n  - { id: pay, tool: pay }\noutput: "${steps.pay.output.id}"\n',
};

describe.concurrent("a once call that was running when its process ended", () => {
  test("is marked as done, with its output, by approve --done", async () => {
    const cwd = await folder(payWorkspace);
    await windlass(["run", "pay-once", "--run-id", "p1"], {
      cwd,
      onStart: (kill) => void untilEffect(cwd).finally(() => kill("SIGKILL")),
    });
    const { id } = await suspended(cwd, ["resume", "p1"]);
    expect((await windlass(["approvals"], { cwd })).stdout).toContain("approve --done if it was done");
    const unread = await windlass(["approve", id, "--done", "--output", "{"], { cwd });
    expect(unread).toMatchObject({ code: 2, stderr: expect.stringContaining("invalid JSON") });
    const alone = await windlass(["approve", id, "--output", "1"], { cwd });
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("--output requires --done") });
    const done = await windlass(["approve", id, "--done", "--output", '{"id":7}'], { cwd });
    expect({ code: done.code, output: JSON.parse(done.stdout) }).toEqual({ code: 0, output: 7 });
    expect(await effects(cwd)).toEqual(["pay"]);
    const stored = await windlass(["approvals", id, "--json"], { cwd });
    expect(JSON.parse(stored.stdout)).toMatchObject({ status: "used", interrupted: true, done: { output: { id: 7 } } });
    expect((await windlass(["explain", "p1", "pay"], { cwd })).stdout).toContain(
      "confirmed that its work had been done",
    );
  });

  test.each([
    { settings: "", expires: /^\S+ +pending .* never +pay$/m, wire: null },
    {
      settings: "approvals: { interrupted_days: 7 }",
      expires: /^\S+ +pending .* in (7 days|6 days|\d+ ?h\S*|6d\S*|7d\S*).* pay$/m,
      wire: expect.any(String),
    },
  ])("[F6] waits for a decision without a time limit, unless a setting limits it: $settings", async (expected) => {
    const cwd = await folder({ ...payWorkspace, "windlass.yaml": expected.settings });
    await windlass(["run", "pay-once", "--run-id", "p1"], {
      cwd,
      onStart: (kill) => void untilEffect(cwd).finally(() => kill("SIGKILL")),
    });
    const { id } = await suspended(cwd, ["resume", "p1"]);
    expect((await windlass(["approvals"], { cwd })).stdout).toMatch(expected.expires);
    const stored = await windlass(["approvals", id, "--json"], { cwd });
    expect(JSON.parse(stored.stdout)).toMatchObject({ status: "pending", expires_at: expected.wire });
  });

  test("--done is rejected for a call that never started", async () => {
    const cwd = await folder(workspace);
    const { id } = await suspended(cwd);
    const { code, stderr } = await windlass(["approve", id, "--done"], { cwd });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is for a call that was interrupted"),
    });
    expect(await waiting(cwd)).toMatchObject([{ id, status: "pending" }]);
  });
});

test("arguments of any size are stored completely; the list says how much it omits, approvals ID shows all", async () => {
  const cwd = await folder({
    ...workspace,
    "chains/many.yaml": `name: many
steps:
  - { id: each, tool: send, approval: "Send all?", for_each: "\${input.to}", params: { to: "\${item}" } }
`,
    "to.json": JSON.stringify({ to: Array.from({ length: 20_000 }, (_, at) => `person-${at}@example.com`) }),
  });
  const { code, stderr } = await windlass(["run", "many", "--input", "@to.json"], { cwd });
  const [open] = await waiting(cwd);
  const id = open?.id ?? "";
  expect(code).toBe(3);
  expect(open?.args).toHaveLength(20_000);
  const { stdout } = await windlass(["approvals"], { cwd });
  for (const text of [stderr, stdout]) {
    expect(text).toMatch(new RegExp(`more; show all with: windlass approvals ${id}`));
    expect(text).not.toContain("person-19999@example.com");
  }
  expect((await windlass(["approvals", id], { cwd })).stdout).toContain("person-19999@example.com");
});

async function untilEffect(cwd: string): Promise<void> {
  for (let tries = 0; tries < 600 && (await effects(cwd)).length === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
