import { writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { createServer } from "../../src/server/index.ts";
import { type ServedWorkspace, adminToken, serveWorkspace, sharedWorkspace } from "./serve-workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** Chains over tools that record their calls in the folder. */
const files = {
  "windlass.yaml": "secrets: { KEY: { env: TEST_RUNS_KEY } }\n",
  "tools/tools.ts": `import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from ${JSON.stringify(toolIndex)};
const dir = join(import.meta.dirname, "..");
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
export const note = defineTool({
  name: "note", description: "Notes the text.", effect: "once", input,
  run: ({ text }) => { appendFileSync(join(dir, "notes.txt"), text + "\\n"); return { text }; },
});
export const hold = defineTool({
  name: "hold", description: "Waits until the file exists.", effect: "idempotent", input, timeoutMs: 60000,
  run: async ({ text }, { signal }) => {
    while (!existsSync(join(dir, text))) { signal.throwIfAborted(); await new Promise((next) => setTimeout(next, 5)); }
    return { text };
  },
});
export const broken = defineTool({
  name: "broken", description: "Fails.", effect: "read", input,
  run: ({ text }) => { throw new Error("the port " + text + " is closed"); },
});
`,
  "chains/notes.yaml": `name: notes
input: { a: "string = 'one'", b: "string = 'two'" }
steps:
  - { id: first, tool: note, params: { text: "\${input.a}" } }
  - { id: second, tool: note, params: { text: "\${input.b}" } }
  - { id: last, tool: note, params: { text: "\${steps.first.output.text} last" } }
output: { last: "\${steps.last.output.text}" }
`,
  "chains/held.yaml": `name: held
steps:
  - { id: hold, tool: hold, params: { text: go } }
  - { id: after, tool: note, params: { text: "\${steps.hold.output.text}" } }
`,
  "chains/fails.yaml": `name: fails
input: { port: "string = '8080'" }
steps:
  - { id: try, tool: broken, params: { text: "\${input.port}" } }
`,
  "chains/asks.yaml": `name: asks
steps:
  - { id: send, tool: note, params: { text: sent }, approval: "Send it?" }
`,
};

const shared = sharedWorkspace(files);

interface RunBody {
  readonly run_id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly approvals: readonly { readonly id: string }[];
}

const prefer = { prefer: "wait=50" };

async function run({ send }: ServedWorkspace, chain: string, body?: object): Promise<RunBody> {
  const answer = await send("POST", `/v1/chains/${chain}/runs`, { body: body ?? {}, headers: prefer });
  return answer.body as RunBody;
}

test("[P02] a chain is started, and the client waits for its end as long as it prefers", async () => {
  const served = await shared();
  const { send } = served;
  const ended = await send("POST", "/v1/chains/notes/runs", { body: { input: { a: "x" } }, headers: prefer });
  expect(ended).toMatchObject({ status: 200, body: { chain: "notes", status: "success", output: { last: "x last" } } });
  expect(ended.headers.get("preference-applied")).toBe("wait=50");
  const begun = await send("POST", "/v1/chains/held/runs");
  const { run_id: id } = begun.body as RunBody;
  expect([begun.status, begun.headers.get("location")]).toEqual([202, `/v1/runs/${id}`]);
  const short = await send("POST", `/v1/chains/held/runs`, { body: { run_id: id }, headers: { prefer: "wait=1" } });
  expect(short).toMatchObject({ status: 202, body: { run_id: id, status: "running" } });
  expect(await send("POST", `/v1/runs/${id}/cancel`, { headers: prefer })).toMatchObject({
    status: 200,
    body: { status: "cancelled" },
  });
});

test("[P02] the same run id and input joins the run; another input is refused, and so is an unknown chain", async () => {
  const served = await serveWorkspace(files);
  const { send } = served;
  const body = { run_id: "r1", input: { a: "x" } };
  const answers = await Promise.all(Array.from({ length: 5 }, () => run(served, "notes", body)));
  expect(answers.map(({ run_id, status }) => [run_id, status])).toEqual(answers.map(() => ["r1", "success"]));
  expect(await send("GET", "/v1/stats")).toMatchObject({ body: { total_calls: 3 } });
  const other = await send("POST", "/v1/chains/notes/runs", { body: { ...body, input: { a: "y" } } });
  expect(other).toMatchObject({ status: 409, body: { code: "run_exists" } });
  const unknown = await send("POST", "/v1/chains/note/runs");
  expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining('did you mean "notes"?') } });
  const path = encodeURIComponent("chains/notes.yaml");
  expect(await send("POST", `/v1/chains/${path}/runs`)).toMatchObject({ status: 404 });
  expect(await send("POST", "/v1/chains/notes/runs", { body: { run_id: "../x" } })).toMatchObject({ status: 400 });
});

test("[P02] runs are listed by kind, name, status, time and text of their errors, page after page", async () => {
  const served = await serveWorkspace(files);
  const { send, workspace } = served;
  for (const id of ["r1", "r2", "r3"]) await run(served, "notes", { run_id: id });
  await run(served, "fails", { run_id: "f1", input: { port: "8081" } });
  await workspace.calls.start("note", { text: "called" }, { runId: "c1" });
  const list = async (query: string): Promise<unknown> => {
    const { body } = await send("GET", `/v1/runs?${query}`);
    return (body as { readonly items: readonly RunBody[] }).items.map(({ run_id }) => run_id);
  };
  expect(await list("")).toEqual(["c1", "f1", "r3", "r2", "r1"]);
  expect(await list("chain=notes")).toEqual(["r3", "r2", "r1"]);
  expect(await list("tool=note&kind=call")).toEqual(["c1"]);
  expect(await list("status=failed")).toEqual(["f1"]);
  expect(await list("status=interrupted")).toEqual([]);
  expect(await list(`query=${encodeURIComponent("the PORT 8081")}`)).toEqual(["f1"]);
  expect(await list(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await send("GET", "/v1/runs?kind=agent&chain=notes")).toMatchObject({ status: 400 });
  const pages: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = (await send("GET", `/v1/runs?limit=2${cursor}`)).body as {
      readonly items: readonly RunBody[];
      readonly next_cursor: string | null;
    };
    pages.push(page.items.map(({ run_id }) => run_id));
    cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
    // A run that begins in the meantime does not move the pages.
    await run(served, "notes");
  }
  expect(pages).toEqual([["c1", "f1"], ["r3", "r2"], ["r1"]]);
});

test("[P02] a run is described, logged and explained, in the requested language, without secrets", async () => {
  process.env["TEST_RUNS_KEY"] = "hunter2-secret-value";
  const served = await serveWorkspace(files);
  delete process.env["TEST_RUNS_KEY"];
  const { send } = served;
  await run(served, "fails", { run_id: "f1", input: { port: "hunter2-secret-value" } });
  const detail = await send("GET", "/v1/runs/f1");
  expect(detail).toMatchObject({ body: { status: "failed", error: { code: "execution_error" }, approvals: [] } });
  const log = await send("GET", "/v1/runs/f1/log");
  expect(log).toMatchObject({ body: { chain_id: "f1", steps: [{ id: "try", status: "failed" }] } });
  const english = await send("GET", "/v1/runs/f1/explain?step=try");
  const sentences = expect.arrayContaining([expect.stringMatching(/^try called broken and failed after/)]);
  expect(english).toMatchObject({ body: { run_id: "f1", step: "try", sentences } });
  const facts = expect.arrayContaining([{ code: "failed", params: expect.objectContaining({ step: "try" }) }]);
  const accept = { headers: { "accept-language": "zh-CN, en;q=0.5" } };
  const chinese = await send("GET", "/v1/runs/f1/explain", accept);
  expect(chinese.body).toMatchObject({ sentences: expect.arrayContaining([expect.stringContaining("失败")]) });
  expect(english.body).toMatchObject({ facts });
  expect((await send("GET", "/v1/runs/f1/explain?language=en", accept)).text).not.toContain("失败");
  expect(await send("GET", "/v1/runs/f1/explain?step=tyr")).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('did you mean "try"?') },
  });
  for (const { text } of [detail, log, english, chinese]) expect(text).not.toContain("hunter2");
});

test("[P02] a run is repeated from a step with another input, and compared with the one before", async () => {
  const served = await shared();
  const { send } = served;
  await run(served, "notes", { run_id: "r1" });
  expect((await send("GET", "/v1/runs/r1/rerun?from=second")).body).toMatchObject({
    rerun: [{ step: "second", below: true, why: "requested" }],
    reused: ["first", "last"],
    repeated_once: [],
  });
  const body = { from: "second", input: { b: "zwei" }, run_id: "r2" };
  const again = await send("POST", "/v1/runs/r1/rerun", { body, headers: prefer });
  expect(again).toMatchObject({ status: 200, body: { run_id: "r2", rerun_of: "r1", status: "success" } });
  expect((await send("GET", "/v1/runs/r2/diff")).body).toMatchObject({
    before: "r1",
    after: "r2",
    input: { differences: [{ path: ["b"], before: "two", after: "zwei" }] },
    steps: [
      { id: "first", same: true },
      { id: "second", same: false },
      { id: "last", same: true },
    ],
  });
  const first = await run(served, "asks");
  expect(await send("GET", `/v1/runs/${first.run_id}/diff`)).toMatchObject({ status: 404 });
  // `first` and `last` have the effect once, and would run again because of the other input.
  const risky = { from: "second", input: { a: "eins" } };
  const refused = await send("POST", "/v1/runs/r1/rerun", { body: risky });
  expect(refused).toMatchObject({ status: 409, body: { reason: "repeats_once", detail: /^first, last/ } });
  expect(
    await send("POST", "/v1/runs/r1/rerun", { body: { ...risky, repeat_once: true }, headers: prefer }),
  ).toMatchObject({ body: { output: { last: "eins last" } } });
  expect(await send("POST", "/v1/runs/r1/rerun", { body: { from: "secnd" } })).toMatchObject({ status: 400 });
});

test("[P02] a durable call is repeated with other arguments", async () => {
  const { send, workspace } = await shared();
  await workspace.calls.start("note", { text: "one" }, { runId: "c1" });
  const again = await send("POST", "/v1/runs/c1/rerun", { body: { input: { text: "two" } }, headers: prefer });
  expect(again).toMatchObject({ status: 200, body: { kind: "call", tool: "note", output: { text: "two" } } });
  expect(await send("POST", "/v1/runs/c1/rerun", { body: { from: "x" } })).toMatchObject({ status: 400 });
  expect(await send("GET", "/v1/runs/c1/log")).toMatchObject({ body: { tool: "note", args: { text: "one" } } });
  expect(await send("GET", "/v1/runs/c1/explain")).toMatchObject({
    body: { sentences: [expect.stringContaining("A program called note"), expect.stringContaining("It succeeded")] },
  });
});

test("[P02] a run that waits continues after the decision, and a run that has ended is neither cancelled nor resumed", async () => {
  const served = await shared();
  const { send } = served;
  const waiting = await run(served, "asks");
  expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "note", message: "Send it?" }] });
  const path = `/v1/runs/${waiting.run_id}`;
  expect(await send("POST", `${path}/resume`, { headers: prefer })).toMatchObject({ status: 202 });
  await send("POST", `/v1/approvals/${waiting.approvals[0]?.id}`, { body: { decision: "approve" } });
  await served.workspace.runs.result(waiting.run_id);
  expect(await send("GET", path)).toMatchObject({ body: { status: "success" } });
  expect(await send("POST", `${path}/resume`)).toMatchObject({ status: 200 });
  expect(await send("POST", `${path}/cancel`)).toMatchObject({ status: 409, body: { code: "conflict" } });
});

test("[P11] a server that closes is not ready, starts no work, and the next one resumes its runs", async () => {
  const served = await serveWorkspace(files);
  const { workspace, server } = served;
  const begun = await run(
    { ...served, send: (method, path, request) => served.send(method, path, { ...request, headers: {} }) },
    "held",
  );
  await expect
    .poll(async () => (await workspace.runs.inspect(begun.run_id)).status, { timeout: 30_000 })
    .toBe("running");
  const request = (path: string, method = "GET", more: { body?: string; headers?: object } = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${adminToken}`, host: new URL(served.url).host, ...more.headers };
    return Promise.resolve(server.fetch(new Request(served.url + path, { ...more, method, headers })));
  };
  const settled = vi.spyOn(workspace.runs, "settled");
  const waits = request("/v1/chains/held/runs", "POST", {
    body: JSON.stringify({ run_id: begun.run_id }),
    headers: { ...prefer, "content-type": "application/json" },
  });
  await vi.waitFor(() => expect(settled).toHaveBeenCalled());
  const closing = server.close();
  expect((await request("/readyz")).status).toBe(503);
  const refused = await request("/v1/chains/held/runs", "POST");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await request(`/v1/runs/${begun.run_id}`)).status).toBe(200);
  // A client that waits gets the run as it is.
  const waited = await waits;
  expect([waited.status, await waited.json()]).toMatchObject([202, { status: "running" }]);
  await closing;
  await workspace.close();

  const next = await openWorkspace(workspace.dir, { reload: false });
  const resuming = createServer(next, { tokens: { admin: adminToken } });
  await resuming.listen(0);
  await writeFile(`${workspace.dir}/go`, "");
  await expect.poll(async () => (await next.runs.inspect(begun.run_id)).status, { timeout: 30_000 }).toBe("success");
  await resuming.close();
  await next.close();
});

test("[P02] a workspace in memory serves runs as well, also without a port", async () => {
  const { workspace: stored } = await shared();
  const workspace = await openWorkspace(stored.dir, { reload: false, store: "memory" });
  const server = createServer(workspace, { tokens: { admin: adminToken } });
  const headers = { authorization: `Bearer ${adminToken}`, host: "127.0.0.1", prefer: "wait=50" };
  const answer = await server.fetch(new Request("http://127.0.0.1/v1/chains/notes/runs", { method: "POST", headers }));
  expect(await answer.json()).toMatchObject({ status: "success" });
  await server.close();
  await workspace.close();
});
