import { expect, test } from "vitest";
import { type ClientOptions, type WindlassClient, createClient, isApiError } from "../../src/client.ts";
import { eventually, files, notesIn, release } from "./call-workspace.ts";
import { adminToken, serveFolder, serveWorkspace, sharedWorkspace } from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

async function connect(options: ClientOptions = {}): Promise<WindlassClient> {
  const { url } = await shared();
  return createClient({ url, token: adminToken, ...options });
}

/** A connection that breaks after some requests, before their responses arrive. */
function losing(count: number): { readonly fetch: typeof fetch; readonly keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  let left = count;
  return {
    keys,
    fetch: async (...request) => {
      keys.push(new Headers(request[1]?.headers).get("idempotency-key"));
      const response = await fetch(...request);
      if (left-- <= 0) return response;
      await response.body?.cancel();
      throw new TypeError("the connection was lost");
    },
  };
}

test("a call is submitted, followed to its end and cancelled [P01] [P08]", async () => {
  const client = await connect();
  const { run_id: id, status } = await client.calls.submit("hold", { text: "end" });
  expect([status, (await client.calls.get(id)).status]).toEqual(["running", "running"]);
  const waiting = client.calls.result(id);
  await release((await shared()).workspace, "end");
  expect(await waiting).toMatchObject({ status: "success", result: { output: { text: "end" } } });
  const other = await client.calls.submit("hold", { text: "never" });
  await client.calls.cancel(other.run_id);
  expect((await client.calls.result(other.run_id)).status).toBe("cancelled");
});

test("with idempotency keys a call whose response was lost is retried, and made once [P08] [P11]", async () => {
  const lossy = losing(2);
  const client = await connect({ fetch: lossy.fetch, idempotencyKeys: true });
  expect((await client.tools.call("note", { text: "lost" })).output).toEqual({ text: "lost" });
  expect(lossy.keys).toEqual([lossy.keys[0], lossy.keys[0], lossy.keys[0]]);
  expect(lossy.keys[0]).toMatch(/^[\da-f]{32}$/);
  await client.tools.call("note", { text: "lost" });
  expect(lossy.keys[3]).not.toBe(lossy.keys[0]);
  expect((await notesIn((await shared()).workspace)).filter((text) => text === "lost")).toHaveLength(2);
});

test("with idempotency keys only requests that start work have one, and runs are started once [P02] [P08] [P11]", async () => {
  const lossy = losing(1);
  const client = await connect({ fetch: lossy.fetch, idempotencyKeys: true });
  const started = await client.request("start_run", { params: { name: "notes" }, body: { input: { a: "run" } } });
  expect((await client.calls.submit("note", { text: "sub" })).tool).toBe("note");
  await client.tools.get("note");
  // A call that ended at once has its state behind a link.
  expect(lossy.keys.map((key) => key !== null)).toEqual([true, true, true, ...lossy.keys.slice(3).map(() => false)]);
  const { workspace } = await shared();
  await workspace.runs.settled(started.body.run_id);
  expect((await notesIn(workspace)).filter((text) => text === "run")).toHaveLength(1);
});

test("without the option, a call whose response was lost is not repeated [P08]", async () => {
  const client = await connect({ fetch: losing(1).fetch });
  await expect(client.tools.call("note", { text: "unsure" })).rejects.toThrow("the connection was lost");
  expect((await notesIn((await shared()).workspace)).filter((text) => text === "unsure")).toHaveLength(1);
});

test("a call continues when its server restarts, and its caller gets the result [P08] [P11]", async () => {
  const served = await serveWorkspace(files);
  let { url } = served;
  const current: typeof fetch = (address, ...options) =>
    fetch(typeof address === "string" ? address.replace("http://server", url) : address, ...options);
  const client = createClient({
    url: "http://server",
    token: adminToken,
    fetch: current,
    idempotencyKeys: true,
    maxRetries: 30,
  });
  const called = client.tools.call("hold", { text: "go" });
  await eventually(async () => expect(await notesIn(served.workspace)).toEqual(["hold"]));
  await served.server.close();
  await served.workspace.calls.close(0);
  await served.close();
  const next = await serveFolder(served.workspace.dir);
  ({ url } = next);
  await eventually(async () => expect(await notesIn(next.workspace)).toEqual(["hold", "hold"]));
  await release(next.workspace, "go");
  expect((await called).output).toEqual({ text: "go" });
  await next.close();
});

test("a call with a key that needs approval is an error with the approval, and later has its result [P05] [P08] [P11]", async () => {
  const client = await connect();
  const call = (): Promise<unknown> => client.tools.call("careful", { text: "asked" }, { idempotencyKey: "asked" });
  const refused = await call().catch((error: unknown) => error);
  const problem = isApiError(refused) ? refused.problem : undefined;
  expect(problem).toMatchObject({ code: "approval_required", approval_id: expect.any(String) });
  await client.approvals.approve(problem?.approval_id ?? "");
  await client.calls.result(problem?.run_id ?? "");
  expect(await call()).toMatchObject({ output: { text: "asked" } });
});
