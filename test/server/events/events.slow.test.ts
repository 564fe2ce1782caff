import { expect, test } from "vitest";
import { openWorkspace } from "../../../src/app/index.ts";
import { type StreamEvent, type WindlassClient, createClient, isApiError } from "../../../src/client.ts";
import { createServer } from "../../../src/server/index.ts";
import { folderWith } from "../../support/workspace.ts";
import { files } from "../route-samples.ts";
import { type ServedWorkspace, adminToken, serveWorkspace } from "../serve-workspace.ts";

async function connect(
  more: Readonly<Record<string, string>> = {},
): Promise<ServedWorkspace & { readonly client: WindlassClient }> {
  const served = await serveWorkspace({ ...files, ...more });
  return { ...served, client: createClient({ url: served.url, token: adminToken }) };
}

/** The journaled event in short. */
function short({ type, data }: StreamEvent): string {
  if (type === "journal") return `${data.change} ${data.key}`;
  if (type === "run") return `run ${data.status}${data.suspended === true ? " suspended" : ""}`;
  return type === "approval" ? `approval ${data.status}` : type;
}

const journaled = (events: readonly StreamEvent[]): StreamEvent[] => events.filter(({ id }) => id !== undefined);

async function collect(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("a client follows a run from its first event to its end, in order [P03] [P08]", async () => {
  const { client } = await connect();
  const { run_id: id } = await client.runs.start("greet", { text: "hello" });
  const events = journaled(await collect(client.runs.follow(id)));
  const states = ["run waiting", "run running", "settled first#1", "settled second#1", "run success"];
  expect(events.map(short).filter((each) => each !== "ready")).toEqual(states);
  const second = events.find((event) => event.type === "journal" && event.data.step === "second");
  expect(second?.data).toMatchObject({ tool: "say", success: true, output: { text: "hello!" }, seq: 2, kind: "chain" });
  const end = events.find((event) => event.type === "run" && event.data.status === "success");
  expect(end?.data).toMatchObject({ chain: "greet", run_id: id });
  expect(await client.runs.get(id)).toHaveProperty("output.said", "hello!");
});

test("after an id come exactly the events after it, also of a run that has ended [P03]", async () => {
  const { client } = await connect();
  const { run_id: id } = await client.runs.start("greet", { text: "a" }, { waitMs: 20_000 });
  const all = journaled(await collect(client.runs.follow(id))).filter(({ type }) => type !== "ready");
  expect(all.length).toBe(5);
  for (const [index, { id: after }] of all.slice(0, -1).entries()) {
    const rest = journaled(await collect(client.runs.follow(id, { after }))).filter(({ type }) => type !== "ready");
    expect(rest.map(({ id }) => id)).toEqual(all.slice(index + 1).map(({ id }) => id));
  }
});

test("an id of another server gets a reset, and then everything about its runs [P03]", async () => {
  const { client } = await connect();
  const { run_id: id } = await client.runs.start("greet", undefined, { waitMs: 20_000 });
  for (const after of ["none", "0123456789.4.4", "x.99999.1"]) {
    const events = await collect(client.runs.follow(id, { after }));
    expect(events.map(({ type }) => type)).toEqual(["reset", "run", "run", "journal", "journal", "run", "end"]);
  }
});

test("an approval and the run that waits for it are seen from its request to its use [P03] [P05]", async () => {
  const { client } = await connect();
  const stop = new AbortController();
  const seen: string[] = [];
  let pending: unknown;
  const watching = (async () => {
    for await (const event of client.events({ topics: ["approvals", "runs"], signal: stop.signal })) {
      seen.push(short(event));
      if (event.type === "ready") void client.runs.start("clean");
      if (event.type === "approval" && event.data.status === "pending") {
        pending = event.data;
        await client.approvals.approve(event.data.id);
      }
      if (event.type === "run" && event.data.status === "success") break;
    }
  })();
  await watching;
  expect(pending).toMatchObject({ tool: "delete_note", args: { id: "n1" } });
  expect(seen).toEqual(expect.arrayContaining(["approval pending", "run waiting suspended", "approval approved"]));
  expect(seen[0]).toBe("ready");
  expect(seen.indexOf("approval pending")).toBeLessThan(seen.indexOf("run waiting suspended"));
  expect(seen.at(-1)).toBe("run success");
});

test("the result of a run is the run when it has ended, or when it waits for a decision [P08]", async () => {
  const { client } = await connect();
  const { run_id: id } = await client.runs.start("clean");
  const waiting = await client.runs.result(id);
  expect([waiting.status, waiting.approvals.length]).toEqual(["waiting", 1]);
  await client.approvals.reject(waiting.approvals[0]?.id ?? "");
  expect((await client.runs.result(id)).status).toBe("failed");
  const { run_id: other } = await client.runs.start("greet");
  expect(await client.runs.result(other)).toHaveProperty("output.said", "hi!");
});

test("a token of one run sees the events of that run only [P03] [P06]", async () => {
  const { workspace, url, client } = await connect();
  const { run_id: id } = await client.runs.start("greet", undefined, { waitMs: 20_000 });
  const { token } = await workspace.tokens.create({ name: "shared", scopes: ["read"], runId: id });
  const shared = createClient({ url, token });
  expect((await collect(shared.runs.follow(id))).at(-1)?.type).toBe("end");
  for (const topics of [["runs"], [`run:${id}`, "approvals"], ["metrics"], ["run:other"]] as const) {
    const error = await collect(shared.events({ topics })).catch((thrown: unknown) => thrown);
    expect(isApiError(error) && error.status).toBe(403);
  }
});

test("wrong topics get a problem that names the right ones [P03] [P07]", async () => {
  const { send } = await connect();
  const status = async (query: string): Promise<number> => (await send("GET", `/v1/events${query}`)).status;
  expect(await status("")).toBe(400);
  expect(await status("?topics=everything")).toBe(400);
  expect(await status("?topics=runs&until=end")).toBe(400);
  expect(await status("?topics=run:../../etc")).toBe(400);
  expect(await status(`?topics=${Array.from({ length: 101 }, (_, index) => `run:r${index}`).join()}`)).toBe(400);
  const { body } = await send("GET", "/v1/events?topics=everything");
  expect(body).toMatchObject({ detail: expect.stringContaining("topics are runs, run:ID") as string });
});

test("the stream is a Response that needs no port, also over a workspace in memory [P03]", async () => {
  const workspace = await openWorkspace(await folderWith(files), { reload: false, store: "memory" });
  const server = createServer(workspace, { tokens: { admin: adminToken } });
  const local: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set("host", "localhost");
    return server.fetch(request);
  };
  const client = createClient({ url: "http://localhost", token: adminToken, fetch: local });
  const { run_id: id } = await client.runs.start("greet", { text: "in memory" });
  const events = journaled(await collect(client.runs.follow(id)));
  expect(events.map(short).filter((each) => each !== "ready")).toEqual([
    "run waiting",
    "run running",
    "settled first#1",
    "settled second#1",
    "run success",
  ]);
  const again = await collect(client.runs.follow(id, { after: events[2]?.id }));
  expect(journaled(again).map(({ id }) => id)).toEqual(events.slice(3).map(({ id }) => id));
  await server.close();
  await workspace.close();
});

test("a run of another process appears, and so does its end [P03]", async () => {
  const { client, workspace } = await connect();
  const other = await openWorkspace(workspace.dir, { reload: false });
  const statuses: string[] = [];
  for await (const event of client.events({ topics: ["runs"] })) {
    if (event.type === "ready") void other.runs.start(await other.loadChain("greet"), { runId: "from-elsewhere" });
    if (event.type !== "run" || event.data.run_id !== "from-elsewhere") continue;
    statuses.push(event.data.status);
    if (event.data.status === "success") break;
  }
  expect(statuses).toEqual(["running", "success"]);
  await other.close();
});

test("metrics and calls are sent while they are read [P03]", async () => {
  const { client } = await connect();
  const types: string[] = [];
  for await (const { type, data } of client.events({ topics: ["calls", "metrics"] })) {
    types.push(type === "call" ? data.type : type);
    if (type === "ready") void client.tools.call("say", { text: "hi" });
    if (type === "call" && data.type === "execution_completed") break;
  }
  expect(types).toEqual(expect.arrayContaining(["metrics", "execution_started", "execution_completed"]));
});

test("a run shows the start of items and attempts, and the expression that failed with its values [P02] [P03]", async () => {
  const { client } = await connect({
    "chains/odd.yaml": `name: odd
input: { list: array }
steps:
  - { id: each, tool: say, for_each: "\${input.list}", params: { text: "\${item}" } }
  - id: sum
    tool: say
    params:
      text: "\${input.list[0] * 2}"
`,
  });
  const { run_id: id } = await client.runs.start("odd", { list: ["a", "b"] }, { waitMs: 20_000 });
  const { steps } = (await client.runs.log(id)) as { readonly steps: readonly Record<string, unknown>[] };
  const items = steps.find(({ id }) => id === "each")?.["items"] as { readonly started_at: string }[];
  expect(items.map(({ started_at: at }) => Number.isFinite(Date.parse(at)))).toEqual([true, true]);
  const failed = steps.find(({ id }) => id === "sum")?.["failures"] as Record<string, string>[];
  expect(failed[0]).toMatchObject({ code: "expression_error", started_at: expect.any(String) as string });
  const { facts } = await client.runs.explain(id, { step: "sum" });
  const fact = facts.find(({ code }) => code === "expression_failed");
  expect(fact).toEqual({
    code: "expression_failed",
    params: {
      path: ["params", "text"],
      expression: "${input.list[0] * 2}",
      values: [expect.objectContaining({ reference: "input.list[0]" })],
    },
    position: { file: "chains/odd.yaml", line: 8, column: 13 },
  });
});

test("a pending approval has the last approved arguments of the same call [P05]", async () => {
  const { client } = await connect();
  const { run_id: first } = await client.runs.start("clean");
  const before = (await client.runs.result(first)).approvals[0];
  expect(before?.last_approved).toBeUndefined();
  await client.approvals.approve(before?.id ?? "");
  const { run_id: second } = await client.runs.start("clean");
  const { approvals } = await client.runs.result(second);
  const last = { id: before?.id, args: { id: "n1" }, decided_by: "admin", decided_at: expect.any(String) as string };
  expect(approvals[0]?.last_approved).toEqual(last);
  const { items } = await client.approvals.list({ status: "pending" });
  expect(items[0]?.last_approved).toEqual(last);
});

test("a reader that connects while a step runs gets a snapshot of what is under way [P03]", async () => {
  const { client } = await connect({
    "tools/slow.ts": `import { defineTool } from ${JSON.stringify(new URL("../../../src/tool/index.ts", import.meta.url).href)};
export const slow = defineTool({
  name: "slow", description: "Waits.", effect: "idempotent", input: { type: "object" },
  run: async (_args, { progress, signal }) => {
    progress("half way");
    await new Promise((resolve) => setTimeout(resolve, 1500, signal));
    return "done";
  },
});
`,
    "chains/long.yaml": "name: long\nsteps:\n  - { id: work, tool: slow }\n",
  });
  const { run_id: id } = await client.runs.start("long");
  const seen: string[] = [];
  for await (const event of client.runs.follow(id)) {
    if (event.type !== "journal" || event.data.change !== "started") continue;
    for await (const other of client.runs.follow(id)) {
      if (other.type === "snapshot") seen.push(...other.data.events.map(({ type }) => type));
      if (other.type === "activity") seen.push(other.data.event.type);
      if (seen.includes("step_progress")) break;
    }
    break;
  }
  expect(seen).toEqual(["run_started", "step_started", "step_progress"]);
});
