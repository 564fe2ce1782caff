import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { folderWith } from "../support/workspace.ts";
import { adminToken, serveWorkspace } from "./serve-workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const files = {
  "tools/tools.ts": `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from ${JSON.stringify(toolIndex)};
export const ship = defineTool({
  name: "ship", description: "Ships the order.", effect: "once", destructive: false,
  input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  run: ({ amount }) => { appendFileSync(join(import.meta.dirname, "..", "shipped.txt"), amount + "\\n"); return { amount }; },
});
`,
  "chains/pay.yaml": `name: pay
steps:
  - { id: paid, wait: { event: payment, timeout: 7d } }
  - { id: cool, wait: 1, depends_on: [paid] }
  - { id: ship, tool: ship, params: { amount: "\${steps.paid.output.amount}" }, depends_on: [cool] }
`,
};

async function serveIn(dir: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = join(import.meta.dirname, "serve-child.ts");
  const child = spawn(process.execPath, ["--no-warnings", program, dir, adminToken], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  closing.push(() => child.kill("SIGKILL"));
  const [url] = await new Promise<string[]>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (line) => resolve([line])),
  );
  return { child, url: url ?? "" };
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
}

test(
  "[P05] a run that waits, its event and its callback survive servers that are killed",
  { timeout: 120_000 },
  async () => {
    const ids: string[] = [];
    let status = 503;
    const receiver = createHttpServer((request, response) => {
      ids.push(String(request.headers["webhook-id"]));
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    closing.push(() => receiver.close());
    const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const dir = await folderWith({
      ...files,
      "hook.txt": "the secret of this test",
      "windlass.yaml": `secrets: { HOOK: { file: hook.txt } }
network: { allow: ["${address}"] }
callbacks: { ends: { url: "http://${address}/", secret: HOOK } }
`,
    });
    const first = await serveIn(dir);
    const clientOf = (url: string) => createClient({ url, token: adminToken });
    const state = async (url: string) => (await clientOf(url).request("get_run", { params: { id: "r1" } })).body;
    await clientOf(first.url).request("start_run", { params: { name: "pay" }, body: { run_id: "r1" } });
    await vi.waitFor(async () => expect(await state(first.url)).toMatchObject({ status: "waiting" }), 20_000);
    expect(await state(first.url)).toMatchObject({ waits_for: { events: ["payment"], until: expect.any(String) } });
    await kill(first.child);

    const second = await serveIn(dir);
    const send = () => clientOf(second.url).runs.sendEvent("r1", "payment", { amount: 20 }, { eventId: "invoice-7" });
    expect(await send()).toEqual({ run_id: "r1", name: "payment", event_id: "invoice-7", repeated: false });
    expect(await send()).toMatchObject({ repeated: true });
    await vi.waitFor(async () => expect(await state(second.url)).toMatchObject({ status: "success" }), 20_000);
    await vi.waitFor(() => expect(ids.length).toBeGreaterThan(0), 20_000);
    await kill(second.child);
    status = 200;
    const before = ids.length;

    const third = await serveIn(dir);
    await vi.waitFor(() => expect(ids.length).toBeGreaterThan(before), 90_000);
    expect(new Set(ids).size).toBe(1);
    expect(readFileSync(join(dir, "shipped.txt"), "utf8")).toBe("20\n");
    expect(await state(third.url)).toMatchObject({ status: "success", output: { ship: { amount: 20 } } });
  },
);

describe("[P05] events over HTTP", () => {
  test("of a run that ended, without a step that waits for them, or too large, get problems", async () => {
    const { send, url, workspace } = await serveWorkspace({ ...files, "windlass.yaml": "env: []\n" });
    await send("POST", "/v1/chains/pay/runs", { body: { run_id: "r1" }, headers: { prefer: "wait=20" } });
    const post = (path: string, body?: unknown) =>
      send("POST", `/v1/runs/${path}`, { ...(body !== undefined && { body }) });
    expect(await post("r1/events/payement", { data: 1 })).toMatchObject({
      status: 400,
      body: { reason: "event_not_awaited", detail: expect.stringMatching(/its steps wait for: "payment"/) },
    });
    expect(await post("r1/events/payment", { data: "x".repeat(300_000) })).toMatchObject({ status: 413 });
    expect(await post("r1/events/payment", { data: 1, event_id: "a b" })).toMatchObject({ status: 400 });
    expect(await post("r1/events/payment", { amount: 1 })).toMatchObject({ status: 400 });
    const client = createClient({ url, token: adminToken });
    // From several senders at once, one of them twice.
    const senders = ["a", "b", "b", "c"].map((eventId) =>
      client.runs.sendEvent("r1", "payment", { amount: 7 }, { eventId }),
    );
    expect((await Promise.all(senders)).filter(({ repeated }) => repeated)).toHaveLength(1);
    await vi.waitFor(
      async () => expect(await send("GET", "/v1/runs/r1")).toMatchObject({ body: { status: "success" } }),
      10_000,
    );
    expect(readFileSync(join(workspace.dir, "shipped.txt"), "utf8")).toBe("7\n");
    expect(await post("r1/events/payment", { data: 1 })).toMatchObject({ status: 409, body: { reason: "run_ended" } });
    expect(await client.runs.sendEvent("r1", "payment", 1, { eventId: "a" })).toMatchObject({ repeated: true });
    expect(existsSync(join(workspace.dir, "shipped.txt"))).toBe(true);
  });
});
