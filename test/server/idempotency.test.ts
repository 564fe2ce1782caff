import { describe, expect, test, vi } from "vitest";
import { type CallBody, answerOf, call, eventually, files, notesIn, post, release } from "./call-workspace.ts";
import {
  type Received,
  type ServedWorkspace,
  serveFolder,
  serveWorkspace,
  sharedWorkspace,
} from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

/** A key of its own for each test. */
const newKey = (): string => crypto.randomUUID();

const stored = ({ status, text, headers }: Received): unknown => [status, text, headers.get("location")];

describe("a call with a key", () => {
  test("is made once; a repetition gets the stored status and body [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const first = await call(served, "note", "once", { key });
    expect(first).toMatchObject({ status: 200, body: { success: true, output: { text: "once" } } });
    const second = await call(served, "note", "once", { key: `"${key}"` });
    expect(stored(second)).toEqual(stored(first));
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect((await notesIn(served.workspace)).filter((text) => text === "once")).toHaveLength(1);
  });

  test("is not repeated after it failed: the stored problem is sent [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const first = await call(served, "broken", "failing", { key });
    expect(answerOf(first)).toBe("500 execution_error");
    expect(stored(await call(served, "broken", "failing", { key }))).toEqual(stored(first));
    expect((await notesIn(served.workspace)).filter((text) => text === "failing")).toHaveLength(1);
  });

  test("is refused with another body, and is another call for another principal or another tool [P11]", async () => {
    const served = await shared();
    const key = newKey();
    await call(served, "note", "mine", { key });
    expect(answerOf(await call(served, "note", "other", { key }))).toBe("422 idempotency_mismatch");
    const sameArguments = await post(served, "/v1/tools/note/call", { args: { text: "mine" }, timeout_ms: 5 }, { key });
    expect(answerOf(sameArguments)).toBe("422 idempotency_mismatch");
    const { token } = await served.workspace.tokens.create({ name: "other", scopes: ["call"] });
    expect(await call(served, "note", "theirs", { key, token })).toMatchObject({ status: 200 });
    expect(await call(served, "broken", "mine", { key })).toMatchObject({ status: 500 });
    const notes = await notesIn(served.workspace);
    expect(notes.filter((text) => ["mine", "other", "theirs"].includes(text))).toEqual(["mine", "theirs", "mine"]);
  });

  test("does not depend on the order of the keys in its body [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const path = "/v1/tools/note/call";
    await post(served, path, { args: { text: "order" }, timeout_ms: 5000 }, { key });
    const again = await post(served, path, { timeout_ms: 5000, args: { text: "order" } }, { key });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("that is still running is refused with its id, and its response is stored without its client [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const client = new AbortController();
    const first = fetch(`${served.url}/v1/tools/rough/call`, {
      method: "POST",
      signal: client.signal,
      headers: {
        authorization: "Bearer admin-token-of-the-tests",
        "idempotency-key": key,
        "content-type": "application/json",
      },
      body: JSON.stringify({ args: { text: "slow" } }),
    }).catch(() => "disconnected");
    await eventually(async () => expect(await notesIn(served.workspace)).toContain("slow"));
    const running = await call(served, "rough", "slow", { key });
    expect(answerOf(running)).toBe("409 conflict in_progress");
    const { run_id: id } = running.body as CallBody;
    expect(await served.send("GET", `/v1/calls/${id}`)).toMatchObject({ body: { status: "running" } });
    client.abort();
    expect(await first).toBe("disconnected");
    expect(answerOf(await call(served, "rough", "slow", { key }))).toBe("409 conflict in_progress");
    await release(served.workspace, "slow");
    await eventually(async () => {
      const again = await call(served, "rough", "slow", { key });
      expect(again).toMatchObject({ status: 200, body: { output: { text: "slow" } } });
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    });
    expect((await notesIn(served.workspace)).filter((text) => text === "slow")).toHaveLength(1);
  });

  test("of many requests at the same time, to two servers, one is made [P11]", async () => {
    const first = await serveWorkspace(files);
    const second = await serveFolder(first.workspace.dir);
    for (let round = 0; round < 3; round++) {
      const key = newKey();
      const servers = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? first : second));
      const answers = await Promise.all(servers.map((served) => call(served, "note", `round ${round}`, { key })));
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeGreaterThan(0);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      const others = answers.filter(({ status }) => status !== 200).map(answerOf);
      expect(new Set(["409 conflict in_progress", ...others])).toEqual(new Set(["409 conflict in_progress"]));
    }
    expect(await notesIn(first.workspace)).toEqual(["round 0", "round 1", "round 2"]);
    expect(await first.workspace.runs.list({ kind: "call" })).toHaveLength(3);
    await second.close();
  });

  test("that needs approval runs after the decision, and the same request gets its result [P05] [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const first = await call(served, "careful", "approved", { key });
    expect(answerOf(first)).toBe("409 approval_required");
    const { approval_id: approval = "", run_id: id } = first.body as CallBody;
    expect(await call(served, "careful", "approved", { key })).toMatchObject({
      status: 409,
      body: { approval_id: approval, run_id: id },
    });
    await served.send("POST", `/v1/approvals/${approval}`, { body: { decision: "approve" } });
    await served.send("GET", `/v1/calls/${id}`, { headers: { prefer: "wait=50" } });
    const result = await call(served, "careful", "approved", { key });
    expect(result).toMatchObject({ status: 200, body: { output: { text: "approved" } } });
    expect(stored(await call(served, "careful", "approved", { key }))).toEqual(stored(result));
    expect((await notesIn(served.workspace)).filter((text) => text === "approved")).toHaveLength(1);
  });

  test("that was refused before it began can be repeated [P11]", async () => {
    const served = await shared();
    const key = newKey();
    expect(answerOf(await call(served, "absent", "x", { key }))).toBe("404 tool_not_found");
    expect(answerOf(await call(served, "absent", "x", { key }))).toBe("404 tool_not_found");
  });
});

describe("a run with a key", () => {
  const path = "/v1/chains/notes/runs";

  test("is started once, and a repetition gets the stored response, also if it waits [P02] [P11]", async () => {
    const served = await shared();
    const key = newKey();
    const body = { input: { a: "chain" } };
    const first = await post(served, path, body, { key, prefer: "wait=50" });
    expect(first).toMatchObject({ status: 200, body: { status: "success" } });
    expect(stored(await post(served, path, body, { key }))).toEqual(stored(first));
    expect(answerOf(await post(served, path, {}, { key }))).toBe("422 idempotency_mismatch");
    expect((await notesIn(served.workspace)).filter((text) => text === "chain")).toHaveLength(1);
  });

  test("is repeated and resumed once per key [P02] [P11]", async () => {
    const served = await shared();
    const { run_id: id } = (await post(served, path, {}, { prefer: "wait=50" })).body as CallBody;
    const rerun = { key: newKey(), prefer: "wait=50" };
    const again = await post(served, `/v1/runs/${id}/rerun`, { input: { a: "again" } }, rerun);
    expect(stored(await post(served, `/v1/runs/${id}/rerun`, { input: { a: "again" } }, rerun))).toEqual(stored(again));
    expect((await notesIn(served.workspace)).filter((text) => text === "again")).toHaveLength(1);
    const resume = { key: newKey() };
    const resumed = await served.send("POST", `/v1/runs/${id}/resume`, { headers: { "idempotency-key": resume.key } });
    const second = await served.send("POST", `/v1/runs/${id}/resume`, { headers: { "idempotency-key": resume.key } });
    expect([resumed.status, second.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  });

  test("with an id of its own joins the run that has it [P02] [P11]", async () => {
    const served = await shared();
    const body = { run_id: "own", input: { a: "own" } };
    const answers = await Promise.all(
      [newKey(), newKey()].map((key) => post(served, path, body, { key, prefer: "wait=50" })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await notesIn(served.workspace)).filter((text) => text === "own")).toHaveLength(1);
    const other = await post(served, path, { ...body, input: { a: "x" } }, { key: newKey() });
    expect(answerOf(other)).toBe("409 run_exists");
  });
});

test("an event with a key is delivered once [P11]", async () => {
  const served = await shared();
  const { run_id: id } = (await post(served, "/v1/chains/paid/runs", {}, { prefer: "wait=50" })).body as CallBody;
  const key = newKey();
  const path = `/v1/runs/${id}/events/payment`;
  const first = await post(served, path, { data: "paid" }, { key });
  expect(first).toMatchObject({ status: 202, body: { run_id: id, repeated: false } });
  expect(stored(await post(served, path, { data: "paid" }, { key }))).toEqual(stored(first));
  expect(answerOf(await post(served, path, { data: "other" }, { key }))).toBe("422 idempotency_mismatch");
  await served.workspace.runs.result(id);
  expect((await notesIn(served.workspace)).filter((text) => text === "paid")).toHaveLength(1);
});

test.each([
  ["", 400],
  ["two words", 400],
  ["é".repeat(3), 400],
  ["x".repeat(256), 400],
  ["x".repeat(255), 200],
])("the key %j gets the status %i [P07] [P11]", async (key, status) => {
  const served = await shared();
  const headers = new Headers({ "content-type": "application/json", authorization: "Bearer admin-token-of-the-tests" });
  headers.set("idempotency-key", key);
  const body = JSON.stringify({ args: { text: "any" } });
  expect((await fetch(`${served.url}/v1/tools/note/call`, { method: "POST", headers, body })).status).toBe(status);
});

test("after a day the key is free, and the store of keys is bounded [P11]", async () => {
  const served: ServedWorkspace = await serveWorkspace(files);
  const key = newKey();
  await call(served, "note", "today", { key });
  const now = vi.spyOn(Date, "now");
  const tomorrow = Date.now() + 24 * 3_600_000 + 1000;
  now.mockImplementation(() => tomorrow);
  try {
    expect(await call(served, "note", "tomorrow", { key })).toMatchObject({ status: 200 });
  } finally {
    now.mockRestore();
  }
  expect(await notesIn(served.workspace)).toEqual(["today", "tomorrow"]);
});
