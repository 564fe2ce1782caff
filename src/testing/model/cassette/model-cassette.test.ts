import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FailureError } from "../../../base/index.ts";
import { createEngine } from "../../../engine/index.ts";
import { generateText } from "../../../model/index.ts";
import type { Model, ModelCall } from "../../../model/port/model.ts";
import { scriptedModel } from "../scripted-model.ts";
import { modelServer } from "../server/model-server.ts";
import { recordModel } from "./record-model.ts";
import { replayModel } from "./replay-model.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "windlass-cassette-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `tape-${++files}.jsonl`);

const prompt = (text: string, more: Partial<ModelCall> = {}): ModelCall => ({
  prompt: [{ role: "user", content: [{ type: "text", text }] }],
  ...more,
});

async function partsOf(model: Model, call: ModelCall): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of (await model.doStream(call)).stream) parts.push(part);
  return parts;
}

/** A response as the next request contains it, with the results of its calls. */
function answered(content: readonly LanguageModelV4Content[]): readonly LanguageModelV4Message[] {
  const text: Extract<LanguageModelV4Message, { role: "assistant" }>["content"] = [];
  const results: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
  for (const part of content) {
    const stored = "providerMetadata" in part ? { providerOptions: part.providerMetadata } : {};
    if (part.type === "text" || part.type === "reasoning") text.push({ type: part.type, text: part.text, ...stored });
    if (part.type !== "tool-call") continue;
    const { toolCallId, toolName, input } = part;
    text.push({ type: "tool-call", toolCallId, toolName, input: JSON.parse(input) as unknown, ...stored });
    results.push({ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "noon" } });
  }
  return [
    { role: "assistant", content: text },
    { role: "tool", content: results },
  ];
}

const searching = {
  thinking: "Let me see.",
  signature: "sig-1",
  text: "Looking it up, 一二三.",
  toolCalls: [{ name: "search", args: { query: "tides" } }],
};

describe("a recording", () => {
  test("[S23] only this user may read it, and it redacts the secrets of every engine of the process", async () => {
    const file = newFile();
    const model = recordModel(scriptedModel(["You said zebra-crossing-77."]), file);
    createEngine({ secrets: { KEY: "zebra-crossing-77" } });
    await generateText(model, { prompt: "I say zebra-crossing-77." });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    expect(text).toContain("You said [redacted].");
    expect(text).not.toContain("zebra");
  });

  test("returns the same responses again, whole and streamed", async () => {
    const file = newFile();
    const recorded = recordModel(scriptedModel([searching, "fine", { a: 1 }]), file);
    const calls = [prompt("one", { temperature: 0.5 }), prompt("two"), prompt("three")] as const;
    const first = [
      await recorded.doGenerate(calls[0]),
      await partsOf(recorded, calls[1]),
      await partsOf(recorded, calls[2]),
    ];
    const replayed = replayModel(file);
    expect(replayed).toMatchObject({ provider: "script", modelId: "scripted" });
    expect([
      await replayed.doGenerate(calls[0]),
      await partsOf(replayed, calls[1]),
      await partsOf(replayed, calls[2]),
    ]).toEqual(first);
    replayed.assertComplete();
  });

  test("a recording of a real client over the wire keeps the data that the provider requires back", async () => {
    const file = newFile();
    const script = [searching, "High water is at noon."];
    await using server = await modelServer(script);
    const client = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "sk-ant-secret-0123456789abcdef" });
    const tools: ModelCall["tools"] = [{ type: "function", name: "search", inputSchema: { type: "object" } }];
    const talk = async (model: Model): Promise<string> => {
      const call = prompt("When?", { tools });
      const { content } = await model.doGenerate(call);
      call.prompt.push(...answered(content));
      return JSON.stringify((await model.doGenerate(call)).content);
    };
    const text = await talk(recordModel(client("claude-sonnet-4-5"), file));
    server.assertComplete();
    const replayed = replayModel(file);
    expect(await talk(replayed)).toBe(text);
    replayed.assertComplete();
    expect(await readFile(file, "utf8")).not.toContain("sk-ant");
  });

  test("is readable in a diff: one line per message, without duplicates", async () => {
    const file = newFile();
    const tools: NonNullable<ModelCall["tools"]> = [
      { type: "function", name: "search", inputSchema: { type: "object" } },
    ];
    const model = recordModel(scriptedModel([{ toolCalls: [{ name: "search", args: { q: "x" } }] }, "one two"]), file);
    const call = prompt("When?", { tools, temperature: 0 });
    await model.doGenerate(call);
    call.prompt.push({ role: "assistant", content: [{ type: "text", text: "…" }] });
    await partsOf(model, call);
    expect((await readFile(file, "utf8")).split("\n")).toEqual([
      '{"cassette":2,"provider":"script","model":"scripted"}',
      '{"request":1,"how":"generate","settings":{"temperature":0}}',
      '{"tool":{"type":"function","name":"search","inputSchema":{"type":"object"}}}',
      '{"message":{"role":"user","content":[{"type":"text","text":"When?"}]}}',
      '{"part":{"type":"tool-call","toolCallId":"call_1","toolName":"search","input":"{\\"q\\":\\"x\\"}"}}',
      expect.stringMatching(/^\{"ended":\{"finishReason":\{"unified":"tool-calls"/) as string,
      '{"request":2,"how":"stream","settings":{"temperature":0},"same_tools":true,"same_messages":1}',
      '{"message":{"role":"assistant","content":[{"type":"text","text":"…"}]}}',
      '{"part":{"type":"stream-start","warnings":[]}}',
      '{"part":{"type":"text-start","id":"0"}}',
      '{"part":{"type":"text-delta","id":"0"},"pieces":["one ","two"]}',
      '{"part":{"type":"text-end","id":"0"}}',
      expect.stringMatching(/^\{"part":\{"type":"finish"/) as string,
      '{"ended":{}}',
      "",
    ]);
  });

  test("preserves bytes, URLs, dates, and objects that look like them", async () => {
    const file = newFile();
    const call = prompt("?");
    call.prompt.push({
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 255]) } },
        { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://a.example/x.png") } },
        { type: "text", text: "x", providerOptions: { a: { $bytes: "no bytes" } } },
      ],
    });
    const timestamp = new Date(0);
    const text: LanguageModelV4StreamPart[] = [{ type: "response-metadata", id: "r", timestamp }];
    await partsOf(recordModel(scriptedModel([text]), file), call);
    expect(await partsOf(replayModel(file), call)).toEqual(text);
    const other = structuredClone({ ...call, prompt: [] });
    const changed = { ...other, prompt: [...call.prompt] };
    changed.prompt[1] = {
      role: "user",
      content: [{ type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } }],
    };
    await expect(partsOf(replayModel(file), changed)).rejects.toThrow('prompt[1].content[0].data.data["$bytes"]');
  });

  test("fails again in the same way, at the start or in the middle", async () => {
    const file = newFile();
    const busy = Object.assign(new Error("slow down"), {
      statusCode: 429,
      isRetryable: true,
      responseBody: '{"error":"key sk-0123456789abcdef0123 is busy"}',
      responseHeaders: { "retry-after": "2", "set-cookie": "session=1" },
    });
    const failure = new FailureError("no way", { code: "permission_denied", reason: "ssrf_ip" });
    const half = [{ type: "text-start" as const, id: "1" }, new Error("the line went dead")];
    const recorded = recordModel(scriptedModel([busy, failure, half]), file);
    const outcomes = async (model: Model): Promise<unknown[]> => [
      await model.doGenerate(prompt("1")).then(
        () => "answered",
        (error: unknown) => error,
      ),
      await model.doStream(prompt("2")).then(
        () => "answered",
        (error: unknown) => error,
      ),
      await partsOf(model, prompt("3")).then(
        () => "answered",
        (error: unknown) => error,
      ),
    ];
    await outcomes(recorded);
    const replayed = replayModel(file);
    expect(await outcomes(replayed)).toMatchObject([
      { message: "slow down", statusCode: 429, isRetryable: true, responseHeaders: { "retry-after": "2" } },
      { message: "no way", code: "permission_denied", reason: "ssrf_ip" },
      { message: "the line went dead" },
    ]);
    replayed.assertComplete();
    expect(await readFile(file, "utf8")).not.toMatch(/sk-0123|session=1/);
  });

  test("contains requests in the order in which they were sent, including an aborted one", async () => {
    const file = newFile();
    const slow = Promise.withResolvers<string>();
    const recorded = recordModel(
      scriptedModel([() => slow.promise, "second", { text: "never", delayMs: Infinity }]),
      file,
    );
    const first = recorded.doGenerate(prompt("first"));
    await recorded.doGenerate(prompt("second"));
    slow.resolve("first");
    await first;
    const gone = new AbortController();
    const third = recorded.doGenerate(prompt("third", { abortSignal: gone.signal }));
    gone.abort(new Error("enough"));
    await expect(third).rejects.toThrow("enough");
    const replayed = replayModel(file);
    expect(await generateText(replayed, { prompt: "first" })).toMatchObject({ text: "first" });
    expect(await generateText(replayed, { prompt: "second" })).toMatchObject({ text: "second" });
    const again = replayed.doGenerate(prompt("third", { abortSignal: AbortSignal.timeout(20) }));
    await expect(again).rejects.toThrow(/timeout/);
    replayed.assertComplete();
  });

  test("a recording of a stream that its reader cancels contains the parts received until then", async () => {
    const file = newFile();
    const recorded = recordModel(scriptedModel(["one two three"]), file);
    const reader = (await recorded.doStream(prompt("?"))).stream.getReader();
    for (let at = 0; at < 3; at++) await reader.read();
    await reader.cancel();
    expect(await readFile(file, "utf8")).toMatch(/"pieces":\["one "\]\}\n\{"aborted":true\}\n$/);
  });
});

describe("secrets", () => {
  test("are nowhere in the file, not even in chunks of a stream, and a request with a different secret still matches", async () => {
    const file = newFile();
    const secret = "hunter2secret";
    const shaped = `sk-${"0123456789abcdef".repeat(2)}`;
    const answer = {
      text: `your password is ${secret} and your key is ${shaped}`,
      toolCalls: [{ name: "login", args: { password: "p", key: secret } }],
    };
    const call = prompt(`log in with ${secret}`, {
      headers: { authorization: `Bearer ${secret}` },
      providerOptions: { x: { apiKey: "k1" } },
    });
    const recorded = recordModel(scriptedModel([answer, answer]), file, { secrets: [secret] });
    await partsOf(recorded, call);
    await recorded.doGenerate(call);
    const text = await readFile(file, "utf8");
    for (const piece of ["hunter", "ter2", "0123456789", "k1", "Bearer"]) expect(text).not.toContain(piece);
    const replayed = replayModel(file);
    await partsOf(replayed, prompt("log in with another-one", { providerOptions: { x: { apiKey: "k2" } } }));
    await expect(replayed.doGenerate(prompt("log out with another-one"))).rejects.toThrow(/prompt\[0\]/);
  });
});

describe("a replay", () => {
  const recordOne = async (call: ModelCall): Promise<string> => {
    const file = newFile();
    await recordModel(scriptedModel(["yes"]), file).doGenerate(call);
    return file;
  };
  const tools: NonNullable<ModelCall["tools"]> = [
    { type: "function", name: "search", description: "Finds notes.", inputSchema: { type: "object" } },
  ];
  const requested = prompt(`${"long ".repeat(50)}question`, { tools, temperature: 0.5 });

  test.each<[string, ModelCall, string]>([
    [
      "another text",
      prompt(`${"long ".repeat(50)}answer`, { tools, temperature: 0.5 }),
      'prompt[0].content[0].text is …"long long long long answer", but …"long long long long question" was recorded',
    ],
    ["a message more", { ...requested, prompt: [...requested.prompt, ...requested.prompt] }, "prompt[1] is {"],
    ["a message less", { ...requested, prompt: [] }, "prompt[0] is nothing, but {"],
    ["another setting", { ...requested, temperature: 0.6 }, "temperature is 0.6, but 0.5 was recorded"],
    ["a setting more", { ...requested, seed: 1 }, "seed is 1, but nothing was recorded"],
    [
      "another tool",
      { ...requested, tools: [{ ...tools[0]!, description: "Loses notes." } as (typeof tools)[0]] },
      "tools[0].description",
    ],
  ])("reports the first difference of %s", async (_, call, message) => {
    const replayed = replayModel(await recordOne(requested));
    await expect(replayed.doGenerate(call)).rejects.toThrow(message);
    expect(() => replayed.assertComplete()).toThrow(/request 1 differs from the one in tape-\d+\.jsonl/);
  });

  test("distinguishes streamed from whole responses, and reports surplus requests and unused responses", async () => {
    const file = await recordOne(requested);
    await expect(replayModel(file).doStream(requested)).rejects.toThrow('how is "stream", but "generate" was recorded');
    const replayed = replayModel(file);
    expect(() => replayed.assertComplete()).toThrow(/has 1 responses, but only 0 were requested/);
    await replayed.doGenerate(requested);
    await expect(replayed.doGenerate(requested)).rejects.toThrow(/has 1 responses, and this is request 2/);
  });

  test("reports problems of a file", async () => {
    expect(() => replayModel(join(folder, "none.jsonl"))).toThrow(
      "none.jsonl cannot be read; record it with recordModel",
    );
    const broken = async (text: string): Promise<string> => {
      const file = newFile();
      await writeFile(file, text);
      return file;
    };
    const head = '{"cassette":2,"provider":"p","model":"m"}\n';
    for (const [text, message] of [
      ["", "is not a cassette of this version"],
      ['{"cassette":1}\n', "is not a cassette of this version"],
      [`${head}{"request":1\n`, ":2 is not a JSON object"],
      [`${head}{"message":{}}\n`, ":2 belongs to no request"],
      [`${head}{"request":1}\n{"what":1}\n`, ":3 is not a valid line of a cassette"],
      [`${head}{"aborted":true}\n`, ":2 ends a response without a request"],
    ] as const) {
      const file = await broken(text);
      expect(() => replayModel(file)).toThrow(message);
    }
  });
});

test("a file is replaced as a whole: no partial writes, no leftovers, and a full disk is reported", async () => {
  const position = await mkdtemp(join(folder, "atomic-"));
  const file = join(position, "deep", "tape.jsonl");
  const recorded = recordModel(
    scriptedModel((_, index) => `answer ${index}`),
    file,
  );
  const answers = Array.from({ length: 20 }, (_, at) => recorded.doGenerate(prompt(`q${at}`)));
  for (const answer of answers) {
    await answer;
    expect((await readFile(file, "utf8")).endsWith("}\n")).toBe(true);
    replayModel(file);
  }
  expect(await readdir(join(position, "deep"))).toEqual(["tape.jsonl"]);
  const blocked = recordModel(scriptedModel(["x"]), join(file, "below-a-file.jsonl"));
  await expect(blocked.doGenerate(prompt("?"))).rejects.toThrow(/ENOTDIR|EEXIST/);
});
