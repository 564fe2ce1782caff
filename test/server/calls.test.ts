import { expect, test } from "vitest";
import { type CallBody, answerOf, call, eventually, files, notesIn, post, release } from "./call-workspace.ts";
import { readToken, serveFolder, serveWorkspace, sharedWorkspace } from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

test("a call that does not wait is durable: its state and its result can be read [P01]", async () => {
  const served = await shared();
  const begun = await call(served, "hold", "go", { prefer: "respond-async" });
  const { run_id: id } = begun.body as CallBody;
  expect(begun).toMatchObject({ status: 202, body: { tool: "hold", status: "running", args: { text: "go" } } });
  expect(begun.headers.get("location")).toBe(`/v1/calls/${id}`);
  expect(begun.headers.get("preference-applied")).toBe("respond-async");
  const path = `/v1/calls/${id}`;
  expect(await served.send("GET", path)).toMatchObject({ status: 200, body: { status: "running", approvals: [] } });
  const waiting = served.send("GET", path, { headers: { prefer: "wait=50" } });
  await release(served.workspace, "go");
  const ended = await waiting;
  expect(ended.headers.get("preference-applied")).toBe("wait=50");
  expect(ended.body).toMatchObject({
    run_id: id,
    status: "success",
    result: { success: true, output: { text: "go" } },
    finished_at: expect.any(String),
  });
  expect(await served.send("GET", `/v1/runs/${id}`)).toMatchObject({ body: { kind: "call", status: "success" } });
});

test("a client that waits gets the result in time, and a failure with its status [P01] [P07]", async () => {
  const served = await shared();
  const prefer = "respond-async, wait=50";
  const ended = await call(served, "note", "waited", { prefer });
  expect(ended).toMatchObject({ status: 200, body: { success: true, output: { text: "waited" } } });
  expect(ended.headers.get("location")).toMatch(/^\/v1\/calls\/[\w-]+$/);
  const failed = await call(served, "broken", "8080", { prefer });
  expect(failed).toMatchObject({ status: 500, body: { code: "execution_error", run_id: expect.any(String) } });
  const short = await call(served, "hold", "never", { prefer: "respond-async; wait=1" });
  expect(short).toMatchObject({ status: 202, body: { status: "running" } });
  const { run_id: id } = short.body as CallBody;
  expect(await served.send("POST", `/v1/calls/${id}/cancel`, { headers: { prefer: "wait=50" } })).toMatchObject({
    status: 200,
    body: { status: "cancelled", result: { success: false, error: { code: "cancelled" } } },
  });
});

test("a call is cancelled while it waits for an approval, and not after it has ended [P01]", async () => {
  const served = await shared();
  const { run_id: id } = (await call(served, "careful", "x", { prefer: "respond-async, wait=50" })).body as CallBody;
  const waiting = await served.send("GET", `/v1/calls/${id}`);
  expect(waiting.body).toMatchObject({ status: "waiting", approvals: [{ tool: "careful", args: { text: "x" } }] });
  const cancelled = await served.send("POST", `/v1/calls/${id}/cancel`, { headers: { prefer: "wait=50" } });
  expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled", approvals: [] } });
  expect(await served.send("POST", `/v1/calls/${id}/cancel`)).toMatchObject({ status: 200 });
  const { run_id: ended } = (await call(served, "note", "y", { prefer: "respond-async" })).body as CallBody;
  await served.send("GET", `/v1/calls/${ended}`, { headers: { prefer: "wait=50" } });
  expect(await served.send("POST", `/v1/calls/${ended}/cancel`)).toMatchObject({
    status: 409,
    body: { code: "conflict", run_id: ended },
  });
  expect(await notesIn(served.workspace)).not.toContain("x");
});

test("a durable call of an unknown tool is refused, one with wrong arguments fails, and a run of a chain is not a call [P01] [P07]", async () => {
  const served = await shared();
  const prefer = "respond-async, wait=50";
  expect(answerOf(await call(served, "nothing", "x", { prefer }))).toBe("404 tool_not_found");
  const wrong = await post(served, "/v1/tools/note/call", { args: { text: 1 } }, { prefer });
  expect(wrong).toMatchObject({ status: 400, body: { code: "validation_error", issues: [{ path: ["text"] }] } });
  const { run_id: chain } = (await post(served, "/v1/chains/notes/runs", {})).body as CallBody;
  expect(answerOf(await served.send("GET", `/v1/calls/${chain}`))).toBe("404 run_not_found");
  expect(answerOf(await served.send("POST", `/v1/calls/${chain}/cancel`))).toBe("404 run_not_found");
  expect(answerOf(await call(served, "note", "x", { prefer, token: readToken }))).toBe("403 forbidden");
});

test("a durable call ends at the timeout of its request [P01]", async () => {
  const served = await shared();
  const body = { args: { text: "not-at-all" }, timeout_ms: 50 };
  const late = await post(served, "/v1/tools/hold/call", body, { prefer: "respond-async, wait=50" });
  expect(answerOf(late)).toBe("504 timeout");
});

test("a durable call whose server closes continues in the next one [P01] [P11]", async () => {
  const served = await serveWorkspace(files);
  const { run_id: id } = (await call(served, "hold", "go", { prefer: "respond-async" })).body as CallBody;
  await eventually(async () => expect(await notesIn(served.workspace)).toEqual(["hold"]));
  const waiting = call(served, "hold", "more", { key: "k1" });
  await eventually(async () => expect(await notesIn(served.workspace)).toHaveLength(2));
  const closing = served.server.close();
  expect(answerOf(await waiting)).toBe("503 shutting_down");
  await closing;
  await served.workspace.calls.close(0);
  await served.close();
  await Promise.all(["go", "more"].map((text) => release(served.workspace, text)));
  const next = await serveFolder(served.workspace.dir);
  const ended = await next.send("GET", `/v1/calls/${id}`, { headers: { prefer: "wait=50" } });
  expect(ended.body).toMatchObject({ status: "success", result: { output: { text: "go" } } });
  await eventually(async () =>
    expect(await call(next, "hold", "more", { key: "k1" })).toMatchObject({
      status: 200,
      body: { output: { text: "more" } },
    }),
  );
  await next.close();
});
