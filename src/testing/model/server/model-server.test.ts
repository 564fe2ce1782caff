import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../../../test/support/fake-clock.ts";
import { type ModelServer, type ModelServerOptions, type ModelServerResponse, modelServer } from "./model-server.ts";
import type { WireApiName } from "./wire-api.ts";

const opened: ModelServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function started(
  script: Parameters<typeof modelServer>[0] = ["yes"],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = await modelServer(script, options);
  opened.push(server);
  return server;
}

const paths: Readonly<Record<WireApiName, string>> = {
  openai: "/v1/chat/completions",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/gemini-3-pro:generateContent",
};

interface Reported {
  readonly status: number;
  readonly message: string;
  readonly body: unknown;
}

async function post(server: ModelServer, family: WireApiName, body: unknown): Promise<Reported> {
  const response = await fetch(`${server.url}${paths[family]}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const reported = (await response.json()) as { error?: { message?: string } };
  return { status: response.status, message: reported.error?.message ?? "", body: reported };
}

/** Valid requests of each API, so that each row below has exactly one error. */
const call = (id: unknown = "a", name = "find", input: unknown = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: input },
});
const tool = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "found" });
const user = { role: "user", content: "?" };
const openAi = (messages: unknown, more = {}) => ({ model: "m", messages, ...more });
const requests = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });

const use = (id = "a", input: unknown = {}) => ({ type: "tool_use", id, name: "find", input });
const result = (tool_use_id: string) => ({ type: "tool_result", tool_use_id, content: "found" });
const tools = [{ name: "find", input_schema: { type: "object" } }];
const anthropic = (messages: unknown, more = {}) => ({ model: "m", max_tokens: 2_000, messages, tools, ...more });
const by = (role: string, ...content: unknown[]) => ({ role, content });

const functionCall = (name = "find", more = {}) => ({
  functionCall: { name, args: {} },
  thoughtSignature: "skip_thought_signature_validator",
  ...more,
});
const functionResponse = (name = "find", response: unknown = { found: 1 }) => ({
  functionResponse: { name, response },
});
const part = (role: string, ...parts: unknown[]) => ({ role, parts });
const gemini = (contents: unknown, more = {}) => ({ contents, ...more });
const text = { text: "?" };

const taken: Readonly<Record<WireApiName, readonly unknown[]>> = {
  openai: [
    openAi([user]),
    openAi([{ role: "system", content: "s" }, user, requests(call("a"), call("b")), tool("b"), tool("a"), user]),
    openAi([user, requests(call()), tool("a"), requests(call()), tool("a")]),
    openAi([user, { role: "assistant", content: "" }, user]),
    openAi([user], { reasoning_effort: "high", temperature: 1 }),
    openAi([user], { reasoning_effort: "none", temperature: 0.2 }),
  ],
  anthropic: [
    anthropic([user], { tools: undefined }),
    anthropic([
      user,
      by("assistant", { type: "text", text: "x" }, use("a"), use("b")),
      by("user", result("b"), result("a"), { type: "text", text: "and" }),
    ]),
    // The API merges two messages into one.
    anthropic([user, by("assistant", use("a"), use("b")), by("user", result("a")), by("user", result("b"))]),
    anthropic([user], { thinking: { type: "enabled", budget_tokens: 1_024 }, temperature: 1 }),
  ],
  gemini: [
    gemini([part("user", text)]),
    gemini([
      part("user", text),
      part("model", functionCall(), functionCall("other", { thoughtSignature: undefined })),
      part("user", functionResponse("other"), functionResponse()),
    ]),
    // Calls for an earlier user message need no signature any more.
    gemini([
      part("user", text),
      part("model", functionCall("find", { thoughtSignature: undefined })),
      part("user", functionResponse()),
      part("model", text),
      part("user", text),
    ]),
  ],
};

const refused: Readonly<Record<WireApiName, readonly (readonly [string, unknown, RegExp])[]>> = {
  openai: [
    ["no model", { messages: [user] }, /model parameter/],
    ["no messages", openAi([]), /messages/],
    ["messages that are none", openAi("hello"), /messages/],
    ["a role that is none", openAi([{ role: "robot", content: "x" }]), /'robot'/],
    ["a message without content", openAi([{ role: "user" }]), /messages\[0\]\.content/],
    [
      "an assistant that says nothing",
      openAi([user, { role: "assistant", content: null }]),
      /expected a string, got null/,
    ],
    [
      "a call without a result",
      openAi([user, requests(call("a"), call("b")), tool("a")]),
      /did not have response messages: b/,
    ],
    ["a call whose result comes later", openAi([user, requests(call()), user, tool("a")]), /response messages: a/],
    ["a result without a call", openAi([user, tool("a")]), /preceeding message with 'tool_calls'/],
    ["a result of an unknown id", openAi([user, requests(call()), tool("z"), tool("a")]), /"z"/],
    ["two results of a call", openAi([user, requests(call()), tool("a"), tool("a")]), /preceeding message/],
    ["two calls of one id", openAi([user, requests(call(), call()), tool("a")]), /Duplicate/],
    ["a call without an id", openAi([user, requests(call("")), tool("")]), /Missing required parameter.*id/],
    [
      "arguments as an object",
      openAi([user, requests(call("a", "find", { q: 1 })), tool("a")]),
      /expected a string, but got an object/,
    ],
    [
      "arguments that are no JSON",
      openAi([user, requests(call("a", "find", '{"q": "ha')), tool("a")]),
      /not valid JSON/,
    ],
    ["a name that is not legal", openAi([user, requests(call("a", "查找")), tool("a")]), /does not match pattern/],
    [
      "a tool with such a name",
      openAi([user], { tools: [{ type: "function", function: { name: "a b" } }] }),
      /tools\[0\]/,
    ],
    [
      "parameters that are no object",
      openAi([user], { tools: [{ type: "function", function: { name: "a", parameters: { type: "string" } } }] }),
      /schema/i,
    ],
    ["an empty list of tools", openAi([user], { tools: [] }), /'tools'/],
    ["a choice without tools", openAi([user], { tool_choice: "auto" }), /tool_choice/],
    ["stream options without a stream", openAi([user], { stream_options: {} }), /stream_options/],
    ["a temperature with thinking", openAi([user], { reasoning_effort: "low", temperature: 0.2 }), /temperature/],
    [
      "the same, as GLM and Kimi write it",
      openAi([user], { thinking: { type: "enabled" }, temperature: 0 }),
      /temperature/,
    ],
  ],
  anthropic: [
    ["no limit of tokens", { model: "m", messages: [user] }, /max_tokens: Field required/],
    ["no messages", anthropic([]), /at least one message/],
    ["a role that is none", anthropic([by("tool", text)]), /messages\.0\.role/],
    [
      "an assistant who begins",
      anthropic([by("assistant", { type: "text", text: "x" }), user]),
      /first message must use the "user" role/,
    ],
    ["an empty message", anthropic([by("user"), by("assistant", use())]), /non-empty content/],
    ["an empty text", anthropic([by("user", { type: "text", text: "" })]), /text content blocks must be non-empty/],
    [
      "a call without a result",
      anthropic([user, by("assistant", use("a"), use("b")), by("user", result("a"))]),
      /without `tool_result` blocks immediately after: b/,
    ],
    ["a call at the end", anthropic([user, by("assistant", use("a"))]), /immediately after: a/],
    [
      "a result behind other content",
      anthropic([user, by("assistant", use("a")), by("user", { type: "text", text: "x" }, result("a"))]),
      /immediately after: a/,
    ],
    ["a result without a call", anthropic([by("user", result("a"))]), /unexpected `tool_use_id`/],
    [
      "a result of an unknown id",
      anthropic([user, by("assistant", use("a")), by("user", result("a"), result("z"))]),
      /blocks: z/,
    ],
    [
      "two results of a call",
      anthropic([user, by("assistant", use("a")), by("user", result("a"), result("a"))]),
      /single result/,
    ],
    [
      "an id twice",
      anthropic([
        user,
        by("assistant", use("a")),
        by("user", result("a")),
        by("assistant", use("a")),
        by("user", result("a")),
      ]),
      /unique/,
    ],
    [
      "an id that is not legal",
      anthropic([user, by("assistant", use("a.b")), by("user", result("a.b"))]),
      /String should match pattern/,
    ],
    [
      "an input that is no object",
      anthropic([user, by("assistant", use("a", '{"q"')), by("user", result("a"))]),
      /valid dictionary/,
    ],
    [
      "calls without tools",
      anthropic([user, by("assistant", use("a")), by("user", result("a"))], { tools: undefined }),
      /must define tools/,
    ],
    ["a tool twice", anthropic([user], { tools: [...tools, ...tools] }), /must be unique/],
    [
      "a name that is not legal",
      anthropic([user], { tools: [{ name: "查找", input_schema: { type: "object" } }] }),
      /tools\.0\.custom\.name/,
    ],
    ["a schema of no object", anthropic([user], { tools: [{ name: "a", input_schema: {} }] }), /input_schema/],
    ["a choice without tools", anthropic([user], { tools: undefined, tool_choice: { type: "auto" } }), /tool_choice/],
    [
      "white space at the end of a prefill",
      anthropic([user, by("assistant", { type: "text", text: "so " })]),
      /trailing whitespace/,
    ],
    [
      "a temperature with thinking",
      anthropic([user], { thinking: { type: "enabled", budget_tokens: 1_024 }, temperature: 0.5 }),
      /temperature/,
    ],
    ["a temperature out of range", anthropic([user], { temperature: 1.5 }), /temperature/],
    ["a small budget", anthropic([user], { thinking: { type: "enabled", budget_tokens: 10 } }), /budget_tokens/],
    [
      "a budget beyond the limit",
      anthropic([user], { thinking: { type: "enabled", budget_tokens: 2_000 } }),
      /must be greater than/,
    ],
    [
      "a forced tool with thinking",
      anthropic([user], { thinking: { type: "adaptive" }, tool_choice: { type: "any" } }),
      /forces tool use/,
    ],
    [
      "a thought without a signature",
      anthropic([user, by("assistant", { type: "thinking", thinking: "hm" }), user]),
      /signature: Field required/,
    ],
    [
      "a thought with another's signature",
      anthropic([user, by("assistant", { type: "thinking", thinking: "hm", signature: "zz" }), user]),
      /Invalid `signature`/,
    ],
  ],
  gemini: [
    ["no contents", gemini([]), /contents is not specified/],
    ["a role that is none", gemini([part("assistant", text)]), /valid role/],
    ["no parts", gemini([part("user")]), /parts must not be empty/],
    ["the model's word at the end", gemini([part("user", text), part("model", text)]), /end with a user role/],
    [
      "a call at the beginning",
      gemini([part("model", functionCall()), part("user", functionResponse())]),
      /function call turn comes immediately after/,
    ],
    [
      "a call without a response",
      gemini([part("user", text), part("model", functionCall(), functionCall()), part("user", functionResponse())]),
      /number of function response parts/,
    ],
    [
      "a call whose response comes later",
      gemini([part("user", text), part("model", functionCall()), part("user", text), part("user", functionResponse())]),
      /number of function response/,
    ],
    ["a response without a call", gemini([part("user", functionResponse())]), /response turn comes immediately after/],
    [
      "a response of another name",
      gemini([part("user", text), part("model", functionCall()), part("user", functionResponse("other"))]),
      /no matching function call/,
    ],
    [
      "a response that is no object",
      gemini([part("user", text), part("model", functionCall()), part("user", functionResponse("find", "x"))]),
      /Struct/,
    ],
    [
      "arguments that are no object",
      gemini([
        part("user", text),
        part("model", { functionCall: { name: "find", args: "{}" } }),
        part("user", functionResponse()),
      ]),
      /Struct/,
    ],
    [
      "a call without a signature",
      gemini([
        part("user", text),
        part("model", functionCall("find", { thoughtSignature: undefined })),
        part("user", functionResponse()),
      ]),
      /missing a thought_signature/,
    ],
    [
      "a signature that nobody gave",
      gemini([
        part("user", text),
        part("model", functionCall("find", { thoughtSignature: "zz" })),
        part("user", functionResponse()),
      ]),
      /Corrupted thought signature/,
    ],
    [
      "a name that is not legal",
      gemini([part("user", text)], { tools: [{ functionDeclarations: [{ name: "查找" }] }] }),
      /Invalid function name/,
    ],
    [
      "a tool twice",
      gemini([part("user", text)], { tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] }),
      /Duplicate function declaration/,
    ],
  ],
};

const fields =
  "role content parts type text id name input tool_calls tool_call_id function arguments tool_use_id functionCall functionResponse response args thoughtSignature thinking signature __proto__ constructor".split(
    " ",
  );

const families: readonly WireApiName[] = ["openai", "anthropic", "gemini"];

describe.each(families)("the API of %s", (family) => {
  test("accepts valid requests", async () => {
    const server = await started(taken[family].map(() => "yes"));
    for (const body of taken[family]) expect(await post(server, family, body)).toMatchObject({ status: 200 });
    server.assertComplete();
  });

  test.each(refused[family])("refuses %s, and consumes nothing from the script", async (_, body, message) => {
    const server = await started(["kept"]);
    const reported = await post(server, family, body);
    expect(reported.status).toBe(400);
    expect(reported.message).toMatch(message);
    expect(server.requests[0]).toMatchObject({ outcome: "refused", status: 400, refusal: reported.message });
    expect(() => server.assertComplete()).toThrow(/the server refused requests:\n {2}\S+: 400 /);
    expect((await post(server, family, taken[family][0])).status).toBe(200);
  });

  test("accepts anything if it is not strict", async () => {
    const bodies = refused[family].map(([, body]) => body);
    const server = await started(
      bodies.map(() => "yes"),
      { strict: false },
    );
    for (const body of bodies) expect((await post(server, family, body)).status).toBe(200);
    server.assertComplete();
  });
});

test("a server that requires thinking back requires it with calls of other models too, as long as they belong to the current user message", async () => {
  const server = await started(["yes", "yes"], { reasoningEchoed: true });
  const foreign = [user, requests(call()), tool("a")];
  expect(await post(server, "openai", openAi(foreign))).toMatchObject({
    status: 400,
    message: expect.stringContaining("reasoning_content is missing") as string,
  });
  const thought = { ...requests(call()), reasoning_content: "hm" };
  expect((await post(server, "openai", openAi([user, thought, tool("a")]))).status).toBe(200);
  expect((await post(server, "openai", openAi([...foreign, user]))).status).toBe(200);
});

test("the Messages API requires the version header", async () => {
  const server = await started();
  const response = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify(anthropic([user])),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("anthropic-version: header is required");
});

describe("hostile requests", () => {
  const nested = `${'{"messages":['.repeat(50_000)}${"]}".repeat(50_000)}`;

  test.each([
    ["no JSON", "hello", 400],
    ["half of it", '{"model": "m", "mess', 400],
    ["nothing", "", 400],
    ["a list", "[]", 400],
    ["null", "null", 400],
    ["names of the prototype", '{"__proto__": {"model": "m"}, "constructor": 1, "messages": {"length": 9e9}}', 400],
    [
      "messages that are no objects",
      '{"model":"m","max_tokens":1,"messages":[null,1,"x",[]],"contents":[null,1]}',
      400,
    ],
    ["nesting", nested, 400],
    ["too much", JSON.stringify({ model: "m", messages: "x".repeat(3_000_000) }), 413],
  ])("%s is refused, and the server keeps running", async (_, body, status) => {
    const server = await started(["still here"], { maxBodyBytes: 2_000_000 });
    for (const family of families) expect((await post(server, family, body)).status).toBe(status);
    expect((await post(server, "openai", taken.openai[0])).status).toBe(200);
  });

  test("other paths, other methods and other protocols are refused", async () => {
    const server = await started(["still here"]);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    expect(
      (await fetch(`${server.url}//evil.example/v1/chat/completions`, { method: "POST", body: "{}" })).status,
    ).toBe(400);
    expect((await fetch(`${server.url}${paths.openai}`)).status).toBe(405);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(server.host.split(":")[1]), "127.0.0.1", () =>
        socket.end("\x16\x03\x01 not http\r\n\r\n"),
      );
      socket.on("error", () => {}).on("close", () => resolve());
      socket.resume();
    });
    // Half a request, then the client disconnects.
    await new Promise<void>((resolve) => {
      const half = httpRequest(`${server.url}${paths.openai}`, { method: "POST", headers: { "content-length": 100 } });
      half.on("error", () => {}).on("close", () => resolve());
      half.write("{", () => half.destroy());
    });
    expect((await post(server, "openai", taken.openai[0])).status).toBe(200);
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["refused", "answered"]);
  });

  test("for any JSON request, the response has the form of the API", async () => {
    const server = await started(() => "yes");
    const word = fc.constantFrom(
      "user",
      "assistant",
      "model",
      "tool",
      "text",
      "tool_use",
      "tool_result",
      "thinking",
      "a",
      "",
    );
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.constantFrom(null, true, 0, 1.5, -1),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...fields), tie("any"), { maxKeys: 5 }),
      ),
    })).any;
    const list = fc.array(value, { maxLength: 4 });
    const body = fc.record(
      { model: word, max_tokens: fc.constant(9), messages: list, contents: list, tools: value },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...families), async (requested, family) => {
        const { status } = await post(server, family, requested);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 300, seed: 7 },
    );
    expect(server.requests).toHaveLength(300);
  });

  test("a key in a path is redacted", async () => {
    const server = await started(["yes"], { apiKey: "AIzaSecret" });
    const url = `${server.url}${paths.gemini}?key=AIzaSecret&alt=json`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(taken.gemini[0]) });
    expect(response.status).toBe(200);
    expect(JSON.stringify(server.requests)).not.toContain("AIzaSecret");
    expect(server.requests[0]?.path).toContain("alt=json");
  });
});

describe("the script", () => {
  test("may respond depending on the request, for any API", async () => {
    const server = await started(
      ({ family, model, body }, index) => `${index} ${family} ${model} ${Object.keys(body).length}`,
    );
    const text: string[] = [];
    for (const family of families) text.push(JSON.stringify((await post(server, family, taken[family][0])).body));
    expect(text[0]).toContain("0 openai m 2");
    expect(text[1]).toContain("1 anthropic m 3");
    expect(text[2]).toContain("2 gemini gemini-3-pro 1");
  });

  test("a script that has ended produces a refusal that clients do not retry", async () => {
    const server = await started(["only"]);
    const reported: Reported[] = [];
    for (let at = 0; at < 2; at++) reported.push(await post(server, "openai", taken.openai[0]));
    expect(reported.map(({ status }) => status)).toEqual([200, 400]);
    expect(reported[1]?.message).toBe("the script has 1 responses, and this is request 2");
    expect(server.requests[1]?.outcome).toBe("refused");
    expect(() => server.assertComplete()).toThrow("the server refused requests");
  });

  test.each<readonly [string, () => ModelServerResponse | Promise<ModelServerResponse>]>([
    ["at once", () => brokenHelper()],
    ["later", () => Promise.reject(new TypeError("a bug in the test"))],
  ])("a script that throws %s fails, is not retried, and says where it threw", async (_, entry) => {
    for (const family of families) {
      const server = await started([entry]);
      const reported = await post(server, family, taken[family][0]);
      expect(reported).toMatchObject({ status: 400, message: "the script threw: TypeError: a bug in the test" });
      expect(server.requests[0]).toMatchObject({ outcome: "failed", status: 400, refusal: reported.message });
      expect(() => server.assertComplete()).toThrow(
        /^the script threw: TypeError: a bug in the test\n[^]*model-server\.test\.ts:\d+:\d+/,
      );
    }
  });

  test("a script with a pause among raw parts names the alternative", async () => {
    const server = await started([[{ type: "pause", ms: 5 }]]);
    const reported = await post(server, "openai", taken.openai[0]);
    expect(reported).toMatchObject({ status: 500, message: expect.stringContaining("pieceDelayMs") as string });
  });

  test("reports its unused responses", async () => {
    const server = await started(["one", { status: 429, retryAfter: 2 }]);
    await post(server, "openai", taken.openai[0]);
    expect(() => server.assertComplete()).toThrow('unused:\n  2. {"status":429,"retryAfter":2}');
  });

  test("delays responses on the given clock", async () => {
    const clock = new FakeClock();
    const server = await started([{ text: "late", delayMs: 5_000 }], { clock });
    let done = false;
    const requested = post(server, "openai", taken.openai[0]).then(() => (done = true));
    await expect.poll(() => clock.timers).toBe(1);
    await clock.pass(4_999);
    expect(done).toBe(false);
    await clock.pass(1);
    await requested;
  });
});

test("a busy API reports when to retry, each in its own way", async () => {
  const busy: ModelServerResponse = { status: 429, retryAfter: 3 };
  const server = await started([busy, busy, busy]);
  const reported = [];
  for (const family of families) reported.push((await post(server, family, taken[family][0])).body);
  expect(reported).toMatchObject([
    { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } },
    { type: "error", error: { type: "rate_limit_error" } },
    { error: { status: "RESOURCE_EXHAUSTED", code: 429, details: [{ retryDelay: "3s" }] } },
  ]);
});

test("a closed server leaves nothing open: no connection, no timer, no request", async () => {
  await settle();
  const before = process.getActiveResourcesInfo().length;
  const server = await modelServer([
    "kept alive",
    { hang: true },
    { text: "x", delayMs: 60_000 },
    { text: "one two three", wire: { hangAtChunk: 1 } },
    () => new Promise<never>(() => {}),
  ]);
  await post(server, "openai", taken.openai[0]);
  const pending = Array.from({ length: 4 }, () => post(server, "openai", taken.openai[0]));
  const ended = Promise.allSettled(pending);
  await expect.poll(() => server.requests.length).toBe(5);
  await server.close();
  expect((await ended).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  expect(server.requests.slice(1).map(({ outcome }) => outcome)).toEqual(Array(4).fill("disconnected"));
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 1);
  await server.close();
});

function brokenHelper(): never {
  throw new TypeError("a bug in the test");
}
