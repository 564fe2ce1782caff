import { expect, test } from "vitest";
import { ApiError, type ClientOptions, type WindlassClient, createClient, isApiError } from "../../src/client.ts";
import { files } from "./route-samples.ts";
import { adminToken, sharedWorkspace } from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

async function connect(options: ClientOptions = {}): Promise<WindlassClient> {
  const { url } = await shared();
  return createClient({ url, token: adminToken, ...options });
}

test("the client lists, describes and calls tools [P08]", async () => {
  const client = await connect();
  const { items } = await client.tools.list({ query: "say" });
  expect(items[0]?.wire_name).toBe("say");
  const { input_schema: schema } = await client.tools.get("say");
  expect(schema).toMatchObject({ required: ["text"] });
  const { output, meta } = await client.tools.call("say", { text: "hi" });
  expect(output).toEqual({ text: "hi" });
  const record = await client.records.get(meta.call_id);
  expect([record.tool, record.caller_type, record.principal]).toEqual(["say", "api", "admin"]);
});

test("a call that needs approval runs after the client approved it; the second decision is a conflict [P05] [P08]", async () => {
  const client = await connect();
  const refused = await client.tools.call("delete_note", { id: "n1" }).catch((error: unknown) => error);
  expect(isApiError(refused) && [refused.code, refused.status]).toEqual(["approval_required", 409]);
  const id = (isApiError(refused) ? refused.problem?.approval_id : undefined) ?? "";
  expect((await client.approvals.approve(id, "go ahead")).status).toBe("approved");
  const second = await client.approvals.reject(id).catch((error: unknown) => error);
  expect(isApiError(second) && [second.code, second.problem?.decided_by]).toEqual(["conflict", "admin"]);
  expect((await client.tools.call("delete_note", { id: "n1" })).output).toEqual({ deleted: "n1" });
});

test("a failure is an ApiError with its problem; issues name the argument [P07] [P08]", async () => {
  const client = await connect();
  const error = await client.tools.call("say", { text: 1 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(isApiError(error) && error.problem).toMatchObject({
    code: "validation_error",
    status: 400,
    issues: [{ path: ["text"] }],
  });
  expect(isApiError(error) && error.isTransient).toBe(false);
});

test("each() reads a list to its end, page by page [P08]", async () => {
  const client = await connect();
  const names: string[] = [];
  for await (const { name } of client.each("list_tools", { limit: 7 })) names.push(name);
  const { items } = await client.tools.list({ limit: 200 });
  expect(names).toEqual(items.map(({ name }) => name));
  expect(names.length).toBeGreaterThan(14);
});

test("a request that may be repeated is retried while the server cannot take it; others are not [P08]", async () => {
  let refusals = 0;
  const busy: typeof fetch = (...request) => {
    if (refusals-- > 0) return Promise.resolve(new Response("busy", { status: 503, headers: { "retry-after": "0" } }));
    return fetch(...request);
  };
  const client = await connect({ fetch: busy });
  refusals = 2;
  expect((await client.tools.get("say")).name).toBe("say");
  refusals = 1;
  const error = await client.tools.call("say", { text: "hi" }).catch((thrown: unknown) => thrown);
  expect(isApiError(error) && [error.status, error.problem]).toEqual([503, undefined]);
  refusals = 1;
  const { output } = await client.tools.call("say", { text: "hi" }, { idempotencyKey: "k1" });
  expect(output).toEqual({ text: "hi" });
});

test("without a server the error says so, and an aborted request throws the reason [P08]", async () => {
  const client = createClient({ url: "http://127.0.0.1:9", token: "x", maxRetries: 0 });
  await expect(client.tools.list()).rejects.toThrow("no connection to http://127.0.0.1:9");
  const reason = new Error("not now");
  await expect(client.tools.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
