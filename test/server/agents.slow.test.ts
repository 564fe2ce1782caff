import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import {
  type ModelServer,
  type ModelServerResponse,
  type ReceivedRequest,
  type Script,
  modelServer,
} from "../../src/testing.ts";
import { createClient } from "../../src/client.ts";
import { folderWith } from "../support/workspace.ts";
import { type Received, type ServedWorkspace, adminToken, serveWorkspace } from "./serve-workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;
const servers: ModelServer[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Files of a workspace with a once tool, whose model answers from a script. */
async function agentFiles(
  script: Script<ReceivedRequest, ModelServerResponse>,
): Promise<{ readonly files: Readonly<Record<string, string>>; readonly model: ModelServer }> {
  const model = await modelServer(script);
  servers.push(model);
  const files = {
    "windlass.yaml": `models: { default: { base_url: "${model.baseUrls.openai}", model: test } }\n`,
    "tools/send.ts": `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from ${JSON.stringify(toolIndex)};
export const send = defineTool({
  name: "send", description: "Sends a mail.", effect: "once", destructive: false,
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => { appendFileSync(join(import.meta.dirname, "..", "sent.log"), to + "\\n"); return { to }; },
});
`,
  };
  return { files, model };
}

interface RunBody {
  readonly run_id: string;
  readonly status: string;
  readonly conversation_id: string;
  readonly output?: { readonly answer: string };
  readonly error?: { readonly code: string; readonly message: string };
  readonly approvals: readonly { readonly id: string; readonly tool: string }[];
}

const waits = { prefer: "wait=50" };

async function sendPrompt(
  served: Pick<ServedWorkspace, "send">,
  prompt: string,
  body: Readonly<Record<string, unknown>> = {},
  request: Readonly<Record<string, unknown>> = { headers: waits },
): Promise<Received & { readonly body: RunBody }> {
  const received = await served.send("POST", "/v1/agents/autonomous/messages", {
    body: { prompt, ...body },
    ...request,
  });
  return received as Received & { readonly body: RunBody };
}

async function conversationOf(served: Pick<ServedWorkspace, "send">, id: string): Promise<Conversation> {
  const { status, body } = await served.send("GET", `/v1/conversations/${id}`);
  expect(status).toBe(200);
  return body as Conversation;
}

interface Conversation {
  readonly title: string;
  readonly turns: number;
  readonly principal?: string;
  readonly items: readonly {
    readonly prompt: string;
    readonly answer?: string;
    readonly run: { readonly run_id: string; readonly status: string };
  }[];
}

/** The texts of the messages of a model request. */
function textsOf(request: ReceivedRequest | undefined): string {
  return JSON.stringify((request?.body as { readonly messages: unknown } | undefined)?.messages);
}

test("a message starts a conversation, and the next one continues it with its history [P04]", async () => {
  const { files, model } = await agentFiles(["Blue.", "You asked about the sky."]);
  const served = await serveWorkspace(files);
  const first = await sendPrompt(served, "Which colour is the sky?");
  expect([first.status, first.body.status, first.body.output?.answer]).toEqual([200, "success", "Blue."]);
  expect(first.headers.get("location")).toBe(`/v1/runs/${first.body.run_id}`);
  const id = first.body.conversation_id;
  const second = await sendPrompt(served, "What did I ask?", { conversation_id: id });
  expect(second.body.output?.answer).toBe("You asked about the sky.");
  expect(textsOf(model.requests[1])).toContain("Which colour is the sky?");
  const conversation = await conversationOf(served, id);
  expect(conversation).toMatchObject({ title: "Which colour is the sky?", turns: 2, principal: "admin" });
  expect(conversation.items.map(({ prompt, answer }) => [prompt, answer])).toEqual([
    ["What did I ask?", "You asked about the sky."],
    ["Which colour is the sky?", "Blue."],
  ]);
});

test("conversations are listed with the newest message first, page by page [P04]", async () => {
  const { files } = await agentFiles(() => "yes");
  const served = await serveWorkspace(files);
  for (const id of ["a", "b", "c", "a"]) await sendPrompt(served, `hello ${id}`, { conversation_id: id });
  const names: string[] = [];
  let cursor: string | null = "";
  do {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await served.send("GET", `/v1/conversations?limit=2${query}`);
    const page = body as { items: { conversation_id: string }[]; next_cursor: string | null };
    names.push(...page.items.map((item) => item.conversation_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names).toEqual(["a", "c", "b"]);
  const turns = await served.send("GET", "/v1/conversations/a?limit=1");
  const { next_cursor: next } = turns.body as { readonly next_cursor: string };
  const older = await served.send("GET", `/v1/conversations/a?limit=1&cursor=${next}`);
  expect(older.body).toMatchObject({ items: [{ prompt: "hello a" }], next_cursor: null });
});

test("a conversation takes one message at a time; a cancelled one leaves it as it was [P04]", async () => {
  const { files, model } = await agentFiles(["Hello.", { text: "late", delayMs: Infinity }, "You said hello."]);
  const served = await serveWorkspace(files);
  await sendPrompt(served, "hello", { conversation_id: "talk" });
  const sent = await Promise.all(
    ["slow", "slower"].map((prompt) => sendPrompt(served, prompt, { conversation_id: "talk" }, {})),
  );
  const [accepted, refused] = sent.toSorted((a, b) => a.status - b.status);
  const { run_id: runId } = accepted?.body ?? { run_id: "" };
  expect([accepted?.status, refused?.status]).toEqual([202, 409]);
  expect(refused?.body).toMatchObject({ code: "conflict", reason: "message_under_way", run_id: runId });
  await vi.waitFor(() => expect(model.requests).toHaveLength(2), 10_000);
  expect((await served.send("DELETE", "/v1/conversations/talk")).status).toBe(409);
  await served.send("POST", `/v1/runs/${runId}/cancel`, { headers: waits });
  const { items } = await conversationOf(served, "talk");
  expect(items.map(({ run }) => run.status)).toEqual(["cancelled", "success"]);
  const after = await sendPrompt(served, "what did I say?", { conversation_id: "talk" });
  expect(after.body.output?.answer).toBe("You said hello.");
  expect(textsOf(model.requests[2])).not.toContain("slow");
});

test("the same message with the same run id is sent once [P04]", async () => {
  const { files, model } = await agentFiles(["once"]);
  const served = await serveWorkspace(files);
  const body = { conversation_id: "talk", run_id: "message-1" };
  const [one, again] = await Promise.all([sendPrompt(served, "hi", body), sendPrompt(served, "hi", body)]);
  expect([one.body.output?.answer, again.body.output?.answer]).toEqual(["once", "once"]);
  expect(model.requests).toHaveLength(1);
  expect((await sendPrompt(served, "something else", body)).status).toBe(409);
});

test("a call of the agent waits for an approval, and the answer follows the decision [P04] [P05]", async () => {
  const { files } = await agentFiles([{ toolCalls: [{ name: "send", args: { to: "ann" } }] }, "Sent."]);
  const served = await serveWorkspace({
    ...files,
    "windlass.yaml": `${files["windlass.yaml"]}permissions: { ask: [send] }\n`,
  });
  const suspended = await sendPrompt(served, "write to ann", { conversation_id: "mail" });
  expect([suspended.status, suspended.body.status, suspended.body.approvals[0]?.tool]).toEqual([
    202,
    "waiting",
    "send",
  ]);
  expect((await sendPrompt(served, "and now?", { conversation_id: "mail" })).body).toMatchObject({
    run_id: suspended.body.run_id,
    reason: "message_under_way",
  });
  await served.send("POST", `/v1/approvals/${suspended.body.approvals[0]?.id}`, { body: { decision: "approve" } });
  await vi.waitFor(async () => {
    const { items } = await conversationOf(served, "mail");
    expect(items[0]).toMatchObject({ answer: "Sent.", run: { status: "success" } });
  }, 10_000);
});

test("without a model the message is refused and nothing is stored; the list says why [P04]", async () => {
  const served = await serveWorkspace({ "windlass.yaml": "\n", "notes/tides.md": "Tides follow the moon.\n" });
  const refused = await sendPrompt(served, "hi", { conversation_id: "talk" });
  expect(refused.body).toMatchObject({ code: "not_available", reason: "no_model" });
  expect((await served.send("GET", "/v1/conversations")).body).toEqual({ items: [], next_cursor: null });
  const { body } = await served.send("GET", "/v1/agents");
  const { items } = body as { items: { runner: string; available: boolean; unavailable_reason?: string }[] };
  const available = new Map(items.map((item) => [item.runner, item.available]));
  expect([available.get("autonomous"), available.get("vault")]).toEqual([false, true]);
  expect(items.find(({ runner }) => runner === "autonomous")?.unavailable_reason).toContain("model");
});

test("an unknown runner, model or image is refused with what there is [P04] [P07]", async () => {
  const { files, model } = await agentFiles([]);
  const served = await serveWorkspace(files);
  const runner = await served.send("POST", "/v1/agents/autonomus/messages", { body: { prompt: "hi" } });
  expect([runner.status, runner.text]).toEqual([404, expect.stringContaining("did you mean autonomous?")]);
  expect((await sendPrompt(served, "hi", { model: "none" })).body).toMatchObject({ code: "bad_request" });
  expect((await sendPrompt(served, "  ")).status).toBe(400);
  const image = { mime_type: "image/png", data: "not base64!" };
  expect((await sendPrompt(served, "hi", { images: [image] })).status).toBe(400);
  expect(model.requests).toHaveLength(0);
});

test("a broken model fails the run with its reason, and the conversation continues after it [P04]", async () => {
  const { files } = await agentFiles([
    "Hello.",
    { status: 400, body: { error: { message: "bad key sk-1" } } },
    "Fine.",
  ]);
  const served = await serveWorkspace(files);
  await sendPrompt(served, "hello", { conversation_id: "talk" });
  const failed = await sendPrompt(served, "and?", { conversation_id: "talk" });
  expect([failed.status, failed.body.status]).toEqual([200, "failed"]);
  expect(failed.body.error?.message).toContain("400");
  expect((await sendPrompt(served, "again", { conversation_id: "talk" })).body.output?.answer).toBe("Fine.");
});

test("another principal reads a conversation, but only an administrator continues or removes it [P04] [P06]", async () => {
  const { files } = await agentFiles(() => "yes");
  const tokens = {
    admin: adminToken,
    ann: { token: "token-of-ann-for-tests", scopes: ["run"] as const },
    ben: { token: "token-of-ben-for-tests", scopes: ["run", "read"] as const },
  };
  const served = await serveWorkspace(files, { tokens });
  const [ann, ben] = [tokens.ann, tokens.ben].map(({ token }) => ({ token, headers: waits }));
  const body = { conversation_id: "talk" };
  expect((await sendPrompt(served, "hi", body, ann)).status).toBe(200);
  const foreign = await sendPrompt(served, "tell me", body, ben);
  expect(foreign.body).toMatchObject({ status: 403, code: "forbidden" });
  expect((await served.send("DELETE", "/v1/conversations/talk", ben)).status).toBe(403);
  expect((await served.send("GET", "/v1/conversations/talk", ben)).status).toBe(200);
  expect((await served.send("GET", "/v1/conversations/talk", ann)).status).toBe(403);
  expect((await sendPrompt(served, "more", body, ann)).status).toBe(200);
  expect((await sendPrompt(served, "and more", body)).status).toBe(200);
});

test("a removed conversation is gone with its runs, and its id starts a new one [P04]", async () => {
  const { files, model } = await agentFiles(() => "yes");
  const served = await serveWorkspace(files);
  const { body } = await sendPrompt(served, "my code is 1234", { conversation_id: "talk" });
  expect((await served.send("DELETE", "/v1/conversations/talk")).body).toEqual({ conversation_id: "talk" });
  expect((await served.send("GET", "/v1/conversations/talk")).status).toBe(404);
  expect((await served.send("GET", `/v1/runs/${body.run_id}`)).status).toBe(404);
  await sendPrompt(served, "which code?", { conversation_id: "talk" });
  expect(textsOf(model.requests[1])).not.toContain("1234");
});

/** A server in a process of its own. */
async function serveInProcess(dir: string): Promise<{ readonly child: ChildProcess } & Pick<ServedWorkspace, "send">> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "serve-child.ts"), dir, adminToken], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  const send: ServedWorkspace["send"] = async (method, path, { body, headers } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
  };
  return { child, send };
}

test("the conversation and the run of a killed server are intact, and another server answers [P04] [P11]", async () => {
  const { files, model } = await agentFiles([
    "Hello.",
    { toolCalls: [{ name: "send", args: { to: "ann" } }] },
    { text: "lost", delayMs: Infinity },
    "Sent to ann.",
  ]);
  const dir = await folderWith(files);
  const first = await serveInProcess(dir);
  await sendPrompt(first, "hello", { conversation_id: "talk" });
  const { body } = await sendPrompt(first, "write to ann", { conversation_id: "talk" }, {});
  await vi.waitFor(() => expect(model.requests).toHaveLength(3), 20_000);
  const ended = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await ended;
  const second = await serveInProcess(dir);
  const { items } = await conversationOf(second, "talk");
  expect(items.map(({ prompt }) => prompt)).toEqual(["write to ann", "hello"]);
  await vi.waitFor(async () => {
    const { body: run } = await second.send("GET", `/v1/runs/${body.run_id}`);
    expect(run).toMatchObject({ status: "success", output: { answer: "Sent to ann." } });
  }, 30_000);
  const { body: records } = await second.send("GET", "/v1/records?tool=send");
  expect((records as { items: unknown[] }).items).toHaveLength(1);
}, 60_000);

test("the events of a message are streamed with the pieces of its text, and resumed after the last one [P04] [P03]", async () => {
  const { files } = await agentFiles([{ text: "one two three", pieceDelayMs: 5 }]);
  const served = await serveWorkspace(files);
  const send = (headers: Readonly<Record<string, string>>): Promise<Received> =>
    served.send("POST", "/v1/agents/autonomous/messages", {
      body: { prompt: "count", run_id: "count-1" },
      headers: { accept: "text/event-stream", ...headers },
    });
  const { status, headers, text } = await send({});
  expect([status, headers.get("content-type"), headers.get("location")]).toEqual([
    200,
    "text/event-stream",
    "/v1/runs/count-1",
  ]);
  const pieces = [...text.matchAll(/^data: (.*"text_delta".*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? "").event.text,
  );
  expect(pieces.join("")).toBe("one two three");
  expect(pieces.length).toBeGreaterThan(1);
  expect(text.trimEnd().endsWith("event: end\ndata: {}")).toBe(true);
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? "");
  const resumed = await send({ "last-event-id": ids[0] ?? "" });
  const again = [...resumed.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? "");
  expect(again).not.toContain(ids[0]);
  expect(again).toContain(ids.at(-2));
});

test("the client sends messages, streams, lists, reads and removes conversations [P04] [P08]", async () => {
  const { files } = await agentFiles([
    { toolCalls: [{ name: "send", args: { to: "ann" } }] },
    "Sent.",
    { text: "Only once.", delayMs: 200, pieceDelayMs: 5 },
  ]);
  const { url } = await serveWorkspace(files);
  const client = createClient({ url, token: adminToken });
  const { answer, run } = await client.agents.ask("autonomous", "write to ann", { conversationId: "mail" });
  expect([answer, run.status]).toEqual(["Sent.", "success"]);
  let text = "";
  for await (const { type, data } of client.agents.stream("autonomous", "how often?", { conversationId: "mail" }))
    if (type === "activity" && data.event.type === "text_delta") text += data.event.text ?? "";
  expect(text).toBe("Only once.");
  const { items } = await client.conversations.get("mail");
  expect(items.map((turn) => turn.answer)).toEqual(["Only once.", "Sent."]);
  expect((await client.conversations.list()).items).toMatchObject([{ conversation_id: "mail", turns: 2 }]);
  await client.conversations.delete("mail");
  await expect(client.conversations.get("mail")).rejects.toMatchObject({ code: "not_found" });
});
