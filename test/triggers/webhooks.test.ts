import { expect, test, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import {
  type TriggerServer,
  WallClock,
  endedRuns,
  hookSecret,
  noteChain,
  notes,
  put,
  rounds,
  sendHook,
  serveTriggersIn,
  token,
  triggerFolder,
} from "./trigger-servers.ts";
import { rm } from "node:fs/promises";
import { join } from "node:path";

const verified = 'verify: standard, secret: "${secret.HOOK}"';
const order = `  - { webhook: /new-order, ${verified}, input: { text: "\${event.body.text}" } }`;
const start = "2026-06-01T07:00:00Z";

async function serve(
  triggers = order,
  files: Readonly<Record<string, string>> = {},
): Promise<{ dir: string; server: TriggerServer }> {
  const dir = await triggerFolder({ "chains/order.yaml": noteChain("order", triggers), ...files });
  return { dir, server: await serveTriggersIn(dir, new WallClock(start)) };
}

test("a delivery starts one run, also if it is repeated, at another server, and after a restart [P09]", async () => {
  const { dir, server } = await serve();
  const second = await serveTriggersIn(dir, new WallClock(start));
  const sent = { id: "msg_1", body: '{"text":"first"}' };
  const answers = await Promise.all([server, second, server].map((to) => sendHook(to, "new-order", sent)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body["run_id"])).size).toBe(1);
  expect(answers.filter(({ body }) => body["repeated"] === false)).toHaveLength(1);
  await endedRuns(server, 1);
  await second.close();
  const third = await serveTriggersIn(dir, new WallClock(start));
  // Another body with the same id is the same delivery.
  const again = await sendHook(third, "new-order", { ...sent, body: '{"text":"other"}' });
  expect(again).toMatchObject({ status: 202, body: { repeated: true, run_id: answers[0]?.body["run_id"] } });
  expect(await sendHook(third, "new-order", { body: '{"text":"second"}' })).toMatchObject({
    body: { repeated: false },
  });
  const runs = await endedRuns(third, 2);
  expect(await notes(dir)).toEqual(["first", "second"]);
  // The content of a sender is untrusted.
  expect(JSON.parse(runs[0]?.context ?? "")).toMatchObject({ callerPath: ["trigger"], tainted: true });
});

test("a wrong, missing, stale or moved signature is 401 and starts nothing [P09]", async () => {
  const { server } = await serve();
  const now = Date.parse(start);
  const headers = (name: string, value: string) => ({ headers: { [name]: value } });
  const refused = [
    { secret: "whsec_b3RoZXI=" },
    { at: now - 301_000 },
    { at: now + 301_000 },
    headers("webhook-signature", "v1,"),
    headers("webhook-id", "msg_other"),
    headers("webhook-timestamp", String(now / 1_000 + 1)),
    headers("webhook-signature", ""),
  ];
  for (const sent of refused) {
    const { status, body } = await sendHook(server, "new-order", sent);
    expect([sent, status, body["code"]]).toEqual([sent, 401, "unauthorized"]);
    expect(JSON.stringify(body)).not.toContain("c2Vj");
  }
  expect(await sendHook(server, "new-order", { at: now - 299_000 })).toMatchObject({ status: 202 });
  // Also for a replay that is signed well, but old.
  server.clock.time = now + 600_000;
  expect(await sendHook(server, "new-order", { id: "msg_old", at: now })).toMatchObject({ status: 401 });
  await endedRuns(server, 1);
  expect(await sendHook(server, "old-order")).toMatchObject({ status: 404 });
  expect((await fetch(`${server.url}/hooks/new-order`)).status).toBe(405);
});

test("the output is the answer if the trigger says so, and a failure of the run is not hidden [P09]", async () => {
  const triggers = order
    .replace(" }", ", reply: output }")
    .replace('text}", reply: output }', 'text}" }, reply: output');
  const { server } = await serve(triggers, {
    "chains/failing.yaml": `name: failing
on:
  - { webhook: failing, ${verified}, reply: output }
steps:
  - { id: calc, tool: calculator, params: { expression: "1/0" } }
`,
  });
  const answer = await sendHook(server, "new-order", { id: "msg_1", body: '{"text":"done"}' });
  expect(answer).toMatchObject({ status: 200, body: { status: "success", output: "done" } });
  expect(await sendHook(server, "new-order", { id: "msg_1" })).toMatchObject({
    status: 200,
    body: { output: "done", repeated: true },
  });
  const failed = await sendHook(server, "failing");
  expect(failed).toMatchObject({ status: 200, body: { status: "failed", error: { code: expect.any(String) } } });
});

test("a body that does not fit, is not JSON, is deep or too large starts nothing [P09]", async () => {
  const { dir, server } = await serve(order, {});
  const send = (body: string, headers = {}) => sendHook(server, "new-order", { body, headers });
  expect(await send('{"text":5}')).toMatchObject({ status: 409, body: { detail: expect.stringContaining("text") } });
  for (const body of ["{", '1,"x":2', `${"[".repeat(100_000)}${"]".repeat(100_000)}`, '{"__proto__":{"a":1}}'])
    expect((await send(body)).status).toBe(400);
  expect((await send(`{"text":"${"x".repeat(1_100_000)}"}`)).status).toBe(413);
  expect(await send("plain text", { "content-type": "text/plain" })).toMatchObject({ status: 202 });
  await endedRuns(server, 1);
  // `event.body.text` of a text is missing, so that the default of the chain applies.
  expect(await notes(dir)).toEqual(["none"]);
});

test("a flood is limited, and deliveries that wait for earlier runs are bounded [P09]", async () => {
  const { dir, server } = await serve(order.replace("input:", "overlap: queue, input:"));
  await put(dir, "hold", "");
  const answers = await Promise.all(Array.from({ length: 130 }, () => sendHook(server, "new-order")));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(95);
  expect(answers.find(({ status }) => status === 429)?.headers.get("retry-after")).toMatch(/^\d+$/);
  await vi.waitFor(async () => expect(await server.workspace.runs.list()).toHaveLength(1), 20_000);
  const [info] = await server.workspace.triggers.list();
  expect(info?.waiting).toBeLessThanOrEqual(100);
  await rm(join(dir, "hold"));
});

test("overlapping deliveries are queued, skipped, or cancel the run before [P09]", async () => {
  const hook = (path: string, overlap: string): string =>
    order.replace("/new-order", path).replace("input:", `overlap: ${overlap}, input:`);
  const triggers = ["queue", "skip", "cancel-running"].map((how) => hook(how, how)).join("\n");
  const { dir, server } = await serve(triggers);
  await put(dir, "hold", "");
  const send = async (name: string, text: string) =>
    (await sendHook(server, name, { body: JSON.stringify({ text }) })).body;
  expect([await send("queue", "q1"), await send("queue", "q2")]).toMatchObject([
    { status: "accepted" },
    { status: "accepted" },
  ]);
  expect([await send("skip", "s1"), await send("skip", "s2")]).toMatchObject([
    { status: "accepted" },
    { status: "skipped" },
  ]);
  const [first] = [await send("cancel-running", "c1"), await send("cancel-running", "c2")];
  await vi.waitFor(async () => {
    const run = await server.workspace.runs.find(String(first?.["run_id"]));
    expect(run?.status).toBe("cancelled");
  }, 20_000);
  expect((await notes(dir)).length).toBe(0);
  await rm(join(dir, "hold"));
  await endedRuns(server, 5);
  const written = await notes(dir);
  expect(written.toSorted()).toEqual(["c2", "q1", "q2", "s1"]);
  expect(written.indexOf("q1")).toBeLessThan(written.indexOf("q2"));
});

test("a destructive step of a triggered run waits for an approval, unless the rules say otherwise [P09]", async () => {
  const chain = `name: clean
input: { text: string }
on:
  - { webhook: clean, ${verified}, input: { text: "\${event.body.text}" } }
steps:
  - { id: wipe, tool: wipe, params: { text: "\${input.text}" } }
`;
  const { server } = await serve(order, { "chains/clean.yaml": chain });
  const { body } = await sendHook(server, "clean");
  await vi.waitFor(async () => expect(await server.workspace.approvals.list("pending")).toHaveLength(1), 20_000);
  const [approval] = await server.workspace.approvals.list("pending");
  await server.workspace.runs.decide(approval?.id ?? "", { approved: true, by: "ann" });
  await vi.waitFor(async () => {
    expect((await server.workspace.runs.find(String(body["run_id"])))?.status).toBe("success");
  }, 20_000);
  const settings = "secrets: { HOOK: { file: hook.txt } }\npermissions: { ask: [model:destructive] }\n";
  const open = await serve(order, { "chains/clean.yaml": chain, "windlass.yaml": settings });
  await sendHook(open.server, "clean");
  expect(await endedRuns(open.server, 1)).toMatchObject([{ status: "success" }]);
});

test("the secret may be rotated, and a webhook without one, or that is paused, can be sent later [P09]", async () => {
  const both = order.replace('"${secret.HOOK}"', '["${secret.NEXT}", "${secret.HOOK}"]');
  const settings = "secrets: { HOOK: { file: hook.txt }, NEXT: { file: next.txt }, NONE: { file: none.txt } }\n";
  const none = order.replace("/new-order", "/none").replace("secret.HOOK", "secret.NONE");
  const { server } = await serve(`${both}\n${none}`, { "windlass.yaml": settings, "next.txt": "whsec_bmV4dA==" });
  expect(await sendHook(server, "new-order")).toMatchObject({ status: 202 });
  expect(await sendHook(server, "new-order", { secret: "whsec_bmV4dA==" })).toMatchObject({ status: 202 });
  expect(await sendHook(server, "none")).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining("NONE") },
  });
  const client = createClient({ url: server.url, token });
  const list = await client.triggers.list();
  const [id = ""] = list.items.flatMap(({ expression, id: own }) => (expression === "new-order" ? [own] : []));
  expect(id).toBe("order-webhook-new-order");
  expect(await client.triggers.pause(id)).toMatchObject({ status: "paused" });
  expect(await sendHook(server, "new-order")).toMatchObject({ status: 503 });
  // The state of a trigger is shown only to those with the secret.
  expect(await sendHook(server, "new-order", { secret: "whsec_b3RoZXI=" })).toMatchObject({ status: 401 });
  expect(await client.triggers.resume(id)).toMatchObject({ status: "active" });
  expect(await client.triggers.fire(id, { body: { text: "by hand" } })).toMatchObject({
    status: "started",
    trigger: id,
  });
  await expect(client.triggers.fire("none")).rejects.toMatchObject({ status: 404 });
  expect(JSON.stringify(list)).not.toContain(hookSecret);
});

test("Slack checks the address without starting a run; an unsigned check is refused [P09]", async () => {
  const { createHmac } = await import("node:crypto");
  const { server } = await serve(order.replace("standard", "slack"));
  const body = JSON.stringify({ type: "url_verification", challenge: "abc" });
  const send = async (secret: string) => {
    const time = String(Math.floor(server.clock.now() / 1_000));
    const hex = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${hex}`,
    };
    return fetch(`${server.url}/hooks/new-order`, { method: "POST", body, headers });
  };
  const answer = await send(hookSecret);
  expect([answer.status, await answer.json()]).toEqual([200, { challenge: "abc" }]);
  expect((await send("other")).status).toBe(401);
  await rounds(server);
  expect(await server.workspace.runs.list()).toEqual([]);
});
