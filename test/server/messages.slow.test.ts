import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { type IncomingMessage, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { createServer } from "../../src/server/index.ts";
import { serveWorkspace } from "./serve-workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  delete process.env["TEST_HOOK_SECRET"];
});

interface Message {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A receiver on loopback that answers with these statuses, one after the other; the last one stays. */
async function receiver(...statuses: number[]) {
  const messages: Message[] = [];
  const server = createHttpServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      messages.push({ headers: request.headers, body });
      response
        .writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200, { location: "/elsewhere" })
        .end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { messages, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const filesWith = (settings: string): Record<string, string> => ({
  "windlass.yaml": settings,
  "tools/tools.ts": `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from ${JSON.stringify(toolIndex)};
const note = (line) => appendFileSync(join(import.meta.dirname, "..", "notes.txt"), line + "\\n");
export const say = defineTool({
  name: "say", description: "Returns the text.", effect: "pure",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => { if (text === "break") throw new Error("broken"); return { text }; },
});
export const tell = defineTool({
  name: "tell_team", description: "Tells the team.", effect: "once",
  input: { type: "object", properties: { title: { type: "string" }, text: { type: "string" }, link: { type: "string" }, approval_id: { type: "string" } }, required: ["title", "text"], additionalProperties: false },
  run: (args) => { note(JSON.stringify(args)); return { sent: true }; },
});
export const broken = defineTool({
  name: "tell_nobody", description: "Fails.", effect: "once",
  input: { type: "object" },
  run: () => { throw new Error("the chat is down"); },
});
`,
  "chains/greet.yaml": `name: greet
input: { text: "string = 'hi'" }
steps: [{ id: first, tool: say, params: { text: "\${input.text}" } }]
output: { greeting: "\${steps.first.output.text}" }
`,
  "chains/asks.yaml": `name: asks
steps: [{ id: a, tool: say, params: { text: hi }, approval: "Say it?" }]
`,
});

const callbackSettings = (address: string, more = ""): string =>
  `secrets: { HOOK: { env: TEST_HOOK_SECRET } }
network: { allow: ["${address}"] }
callbacks: { orders: { url: "http://${address}/ends", secret: HOOK${more} } }
`;

test("[P05] the end of a run is posted once, signed in the way of Standard Webhooks", async () => {
  process.env["TEST_HOOK_SECRET"] = secret;
  const { messages, address } = await receiver(204);
  const { send, workspace } = await serveWorkspace(filesWith(callbackSettings(address)));
  const { body } = await send("POST", "/v1/chains/greet/runs", {
    body: { run_id: "r1" },
    headers: { prefer: "wait=20" },
  });
  expect(body).toMatchObject({ status: "success" });
  await vi.waitFor(() => expect(messages).toHaveLength(1), 10_000);
  const [message] = messages;
  if (message === undefined) throw new Error("none");
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = message.headers;
  const key = Buffer.from(secret.slice(6), "base64");
  const expected = createHmac("sha256", key)
    .update(`${String(id)}.${String(at)}.${message.body}`)
    .digest("base64");
  expect([id, signature]).toEqual(["run_r1_1", `v1,${expected}`]);
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(60);
  expect(JSON.parse(message.body)).toMatchObject({
    type: "run.success",
    data: { run_id: "r1", kind: "chain", chain: "greet", status: "success", output: { greeting: "hi" } },
  });
  await vi.waitFor(async () =>
    expect(await workspace.store?.deliveries.list()).toMatchObject([{ status: "delivered", attempts: 1 }]),
  );
});

test("[P05] a message that the receiver does not accept is retried, with the same id; a redirect is not followed", async () => {
  process.env["TEST_HOOK_SECRET"] = secret;
  const { messages, address } = await receiver(307, 200);
  const { send } = await serveWorkspace(filesWith(callbackSettings(address)));
  await send("POST", "/v1/chains/greet/runs", { body: { run_id: "r1", input: { text: "break" } } });
  await vi.waitFor(() => expect(messages).toHaveLength(2), 20_000);
  expect(new Set(messages.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(JSON.parse(messages[0]?.body ?? "")).toMatchObject({
    type: "run.failed",
    data: { error: { code: "execution_error" } },
  });
}, 30_000);

test("[P05] only the named chains and ends are posted, and none to a private address that is not allowed", async () => {
  process.env["TEST_HOOK_SECRET"] = secret;
  const { messages, address } = await receiver(200);
  const settings = `secrets: { HOOK: { env: TEST_HOOK_SECRET } }
callbacks:
  closed: { url: "http://${address}/closed", secret: HOOK }
  other: { url: "http://${address}/other", secret: HOOK, chains: [report-*] }
  failures: { url: "http://${address}/failures", secret: HOOK, status: [failed] }
`;
  const { send, workspace } = await serveWorkspace(filesWith(settings));
  await send("POST", "/v1/chains/greet/runs", { headers: { prefer: "wait=20" } });
  await vi.waitFor(async () => {
    const deliveries = await workspace.store?.deliveries.list();
    expect(deliveries).toMatchObject([
      { channel: "callback/closed", status: "pending", error: expect.stringMatching(/network\.allow/) },
    ]);
  }, 10_000);
  expect(messages).toEqual([]);
});

test("[P05] a waiting approval goes through a tool once, by one of two servers, without an approval of its own", async () => {
  const settings = `permissions: { ask: [tell_team] }
approvals: { notify: tell_team }
server: { public_url: "https://windlass.example.com/" }
`;
  const { send, workspace } = await serveWorkspace(filesWith(settings));
  const second = await openWorkspace(workspace.dir, { reload: false });
  const other = createServer(second, {});
  await other.listen(0);
  closing.push(async () => {
    await other.close();
    await second.close();
  });
  const { body } = await send("POST", "/v1/chains/asks/runs", { headers: { prefer: "wait=20" } });
  const [approval] = (body as { approvals: { id: string }[] }).approvals;
  const file = join(workspace.dir, "notes.txt");
  const notes = (): string[] => readFileSync(file, "utf8").trim().split("\n");
  await vi.waitFor(() => expect(notes()).toHaveLength(1), 10_000);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(notes()).toHaveLength(1);
  expect(JSON.parse(notes()[0] ?? "")).toEqual({
    title: "Approval needed: say",
    text: expect.stringContaining("Say it?"),
    link: `https://windlass.example.com/approvals/${approval?.id}`,
    approval_id: approval?.id,
  });
  const records = await workspace.store?.records.query({ tool: "tell_team" });
  expect(records?.records).toMatchObject([{ success: true, callerType: "library", callerId: "approvals.notify" }]);
  expect(await workspace.approvals.list("pending")).toHaveLength(1);
  const link = new URL(JSON.parse(notes()[0] ?? "").link as string);
  await send("GET", link.pathname);
  expect(await workspace.approvals.list("pending")).toHaveLength(1);
}, 30_000);

test("[P05] a notification that fails is recorded with its reason, and not repeated if that could notify twice", async () => {
  const { send, workspace } = await serveWorkspace(filesWith("approvals: { notify: tell_nobody }\n"));
  await send("POST", "/v1/chains/asks/runs", { headers: { prefer: "wait=20" } });
  await vi.waitFor(async () => {
    const deliveries = await workspace.store?.deliveries.list();
    expect(deliveries).toMatchObject([
      { channel: "approvals", status: "failed", attempts: 1, error: expect.stringMatching(/chat is down/) },
    ]);
  }, 10_000);
});
