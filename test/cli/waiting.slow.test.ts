import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const chain = `name: order
input: { number: string }
steps:
  - { id: cool-off, wait: "100ms" }
  - { id: paid, wait: { event: payment, timeout: 7d }, depends_on: [cool-off] }
  - { id: ship, tool: echo, params: { message: "\${input.number}: \${steps.paid.output.amount}" } }
output: { shipped: "\${steps.ship.output.message}" }
`;

test("[P05] a run at the terminal awaits a short time, suspends for an event, and the event continues it", async () => {
  const cwd = await folder({ "windlass.yaml": "env: []\n", "chains/order.yaml": chain });
  const run = await windlass(["run", "order", "number=7", "--run-id", "o7"], { cwd });
  expect(run.code).toBe(3);
  expect(run.stderr).toMatch(/cool-off: success/);
  expect(run.stderr).toMatch(/waiting: paid waits for the event payment until 20/);
  expect(run.stderr).toContain("windlass event o7 payment DATA");
  const shown = await windlass(["show", "o7"], { cwd });
  expect(shown.stdout + shown.stderr).toMatch(/paid .*waits for the event payment/);
  const log = JSON.parse((await windlass(["show", "o7", "--json"], { cwd })).stdout) as { steps: object[] };
  expect(log.steps[1]).toMatchObject({ id: "paid", status: "waiting", waits_for: [{ event: "payment" }] });
  const [listed] = JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout) as object[];
  expect(listed).toMatchObject({ status: "waiting", waits_for: { approvals: [], events: ["payment"] } });

  const wrong = await windlass(["event", "o7", "payement", "1"], { cwd });
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain('its steps wait for: "payment"');
  const notJson = await windlass(["event", "o7", "payment", "twenty"], { cwd });
  expect([notJson.code, notJson.stderr]).toEqual([2, expect.stringContaining("invalid JSON")]);

  const event = await windlass(["event", "o7", "payment", '{"amount": 20}', "--id", "i7"], { cwd });
  expect([event.code, JSON.parse(event.stdout)]).toEqual([0, { shipped: "7: 20" }]);
  const again = await windlass(["event", "o7", "payment", '{"amount": 20}', "--id", "i7", "--json"], { cwd });
  expect(JSON.parse(again.stdout)).toEqual({ run_id: "o7", name: "payment", event_id: "i7", repeated: true });
  expect((await windlass(["event", "o7", "payment"], { cwd })).stderr).toContain("has ended");
  const { stdout } = await windlass(["explain", "o7", "paid"], { cwd });
  expect(stdout).toMatch(/^paid received the event payment after .*; its data is untrusted\./);
});

test("[P05] an early event is stored by a process that does not execute the run", async () => {
  const cwd = await folder({ "windlass.yaml": "env: []\n", "chains/order.yaml": chain });
  await windlass(["run", "order", "number=7", "--run-id", "o7"], { cwd });
  const event = await windlass(["event", "o7", "payment", '{"amount": 1}', "--no-resume"], { cwd });
  expect([event.code, event.stdout]).toEqual([0, ""]);
  expect(event.stderr).toContain("resume the run with: windlass resume o7");
  const resumed = await windlass(["resume", "o7"], { cwd });
  expect(JSON.parse(resumed.stdout)).toEqual({ shipped: "7: 1" });
});

test("[P05] the doctor names callbacks and notifications that cannot work, or that failed", async () => {
  const cwd = await folder({
    "windlass.yaml": `secrets: { HOOK: { env: TEST_NO_SUCH_SECRET } }
callbacks: { ends: { url: "https://hooks.example.com/", secret: HOOK } }
approvals: { notify: no_such_tool }
`,
    "chains/order.yaml": chain,
  });
  const before = await windlass(["doctor"], { cwd });
  expect(before.code).not.toBe(0);
  expect(before.stdout).toMatch(/fail +callback ends .*HOOK has no value/);
  expect(before.stdout).toMatch(/fail +notifications .*no tool no_such_tool/);
  await windlass(["run", "order", "number=7", "--run-id", "o7"], { cwd });
  const db = new DatabaseSync(join(cwd, ".windlass/journal.db"));
  db.exec(`INSERT INTO deliveries (channel, subject, created_at, status, attempts, next_at, error)
    VALUES ('callback/ends', 'o7/1', ${Date.now()}, 'failed', 20, 0, 'the receiver answered 500')`);
  db.close();
  const after = await windlass(["doctor"], { cwd, env: { TEST_NO_SUCH_SECRET: "x".repeat(20) } });
  expect(after.stdout).toMatch(/warn +callback ends .*1 message failed; o7\/1: the receiver answered 500/);
});
