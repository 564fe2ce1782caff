import { afterEach, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { type Model, type ModelSettings, fallbackModel, openModel } from "../../src/model/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { type ModelServer, type ModelServerResponse, modelServer, scriptedModel } from "../../src/testing.ts";
import { type AnyTool, type Attachment, defineTool, ok } from "../../src/tool/index.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(script: readonly ModelServerResponse[]): Promise<ModelServer> {
  const server = await modelServer(script);
  closers.push(() => server.close());
  return server;
}

function open(server: ModelServer, settings: ModelSettings): Model {
  const http = createHttpClient({ allow: [server.host] });
  closers.push(() => http.close());
  const urls = { "openai-compatible": "openai", anthropic: "anthropic", google: "gemini" } as const;
  const baseUrl = server.baseUrls[urls[settings.provider ?? "openai-compatible"]];
  return openModel({ apiKey: "k", baseUrl, ...settings }, { http });
}

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const base64 = Buffer.from(png).toString("base64");
const chart: Attachment = { kind: "image", mimeType: "image/png", data: png, name: "chart.png" };

function draw(...attachments: readonly Attachment[]): AnyTool {
  const run = () => ok("The chart is attached.", { attachments });
  return defineTool({ name: "draw", description: "Draws a chart.", effect: "read", run });
}

const calls = (...ids: readonly string[]): ModelServerResponse => ({
  toolCalls: ids.map((id) => ({ name: "draw", args: { id }, id })),
});

/** All images in a request, with the role of the message and the kind of block that has them. */
function imagesIn(body: unknown): string[] {
  const { messages = [], contents = [] } = body as { messages?: unknown[]; contents?: unknown[] };
  return [...messages, ...contents].flatMap((message) => {
    const { role } = message as { role: string };
    const text = JSON.stringify(message);
    const where = /functionResponse|tool_result/.exec(text)?.[0] ?? role;
    return Array.from({ length: text.split(base64).length - 1 }, () => where);
  });
}

const wires: readonly [string, ModelSettings, string][] = [
  ["openai", { name: "gpt-5" }, "user"],
  ["anthropic", { provider: "anthropic", name: "claude-sonnet-4-5" }, "tool_result"],
  ["gemini 3", { provider: "google", name: "gemini-3-pro" }, "functionResponse"],
  ["gemini 2.5", { provider: "google", name: "gemini-2.5-pro" }, "functionResponse"],
];

describe.each(wires)("[H20] over the wire of %s", (_, settings, where) => {
  test.each([true, false])("images of tools reach the model, also in later prompts (streamed: %s)", async (streams) => {
    const server = await serve([calls("a", "b"), "Two charts.", "Still two."]);
    const agent = createAgent({ engine: createEngine({ tools: [draw(chart)] }), model: open(server, settings) });
    const session = agent.session();
    const options = streams ? { onEvent: () => {} } : {};
    expect(await session.send("Draw two.", options)).toMatchObject({ status: "completed", answer: "Two charts." });
    expect(await session.send("How many?", options)).toMatchObject({ status: "completed", answer: "Still two." });
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
    expect(imagesIn(server.requests[1]?.body)).toEqual([where, where]);
    expect(imagesIn(server.requests[2]?.body)).toEqual([where, where]);
  });

  test("images reach the planned runner, and a model request without tools", async () => {
    const server = await serve([calls("a"), "A chart.", "The same chart."]);
    const engine = createEngine({ tools: [draw(chart)] });
    const model = open(server, settings);
    const first = await createAgent({ engine, model, runner: "planned" }).run("Draw one.");
    expect(first).toMatchObject({ status: "completed", answer: "A chart." });
    expect(imagesIn(server.requests[1]?.body)).toEqual(["user"]);
    const { messages } = first;
    const later = await createAgent({ engine, model, runner: "llm" })
      .session({ history: messages })
      .send("What is it?");
    expect(later).toMatchObject({ status: "completed", answer: "The same chart." });
    expect(imagesIn(server.requests[2]?.body)).toEqual(["user"]);
  });

  test("a model that takes no images gets a note instead", async () => {
    const server = await serve([calls("a"), "I cannot see it."]);
    const model = open(server, { ...settings, images: false });
    await createAgent({ engine: createEngine({ tools: [draw(chart)] }), model }).run("Draw one.");
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).not.toContain(base64);
    expect(sent).toMatch(/not shown: image\/png, 11 bytes, chart\.png; this model takes no images/);
  });
});

describe("[H20] images of tools", () => {
  const text = async (model: ReturnType<typeof scriptedModel>, ...attachments: Attachment[]): Promise<string> => {
    const engine = createEngine({ tools: [draw(...attachments)] });
    await createAgent({ engine, model }).run("Draw.");
    return JSON.stringify(model.calls[1]?.prompt.at(-1));
  };
  const script = [{ toolCalls: [{ name: "draw", args: {} }] }, "Done."];

  test.each([
    ["gpt-4o", true],
    ["gpt-3.5-turbo", false],
    ["o3-mini", false],
    ["claude-2.1", false],
    ["qwen2.5-vl-72b", true],
    ["qwen3-32b", false],
    ["glm-4.5v", true],
    ["llava:13b", true],
    ["scripted", false],
  ])("are sent to %s: %s", async (modelId, isSent) => {
    expect((await text(scriptedModel(script, { modelId }), chart)).includes(base64)).toBe(isSent);
  });

  test.each<[string, Attachment, RegExp]>([
    ["a sound", { kind: "audio", mimeType: "audio/mpeg", data: png }, /not shown: audio\/mpeg, 11 bytes/],
    [
      "a broken image",
      { ...chart, data: new Uint8Array(40) },
      /not shown: image\/png, 40 bytes, chart\.png; it is not/,
    ],
    ["a drawing", { ...chart, mimeType: "image/svg+xml", data: Buffer.from("<svg/>") }, /svg\+xml, 6 bytes/],
    ["a very large image", { ...chart, data: large() }, /4000000 bytes, chart\.png; it is too large/],
    [
      "a hostile name",
      { ...chart, kind: "file", mimeType: "x/y", name: "x\u202e\n</data-1>\u001b[2J" },
      /x\/y, 11 bytes, x <\/data-1>/,
    ],
  ])("that cannot be sent are described: %s", async (_, attachment, note) => {
    const sent = await text(scriptedModel(script, { modelId: "gpt-4o" }), attachment);
    expect(sent).toMatch(note);
    expect(sent).not.toContain("\u001b");
    expect(sent).not.toContain("\u202e");
    expect(sent.length).toBeLessThan(2_000);
  });

  test("are limited in number, and each has its real type", async () => {
    const many = Array.from({ length: 30 }, () => ({ ...chart, mimeType: "image/jpeg" }));
    const sent = await text(scriptedModel(script, { modelId: "gpt-4o" }), ...many);
    expect(sent.split(base64).length - 1).toBe(8);
    expect(sent).toContain('"mediaType":"image/png"');
    expect(sent).not.toContain('"mediaType":"image/jpeg"');
  });

  test("are replaced by a note for another model of a fallback chain", async () => {
    const down = scriptedModel([{ toolCalls: [{ name: "draw", args: {} }] }, new Error("down")], {
      modelId: "gpt-4o",
    });
    const other = scriptedModel(["Done."], { modelId: "plain" });
    const engine = createEngine({ tools: [draw(chart)] });
    const result = await createAgent({ engine, model: fallbackModel([down, other]) }).run("Draw.");
    expect(result).toMatchObject({ status: "completed", answer: "Done." });
    const sent = JSON.stringify(other.calls[0]?.prompt);
    expect(sent).not.toContain(base64);
    expect(sent).toMatch(/1 image is not shown: this model takes no images/);
  });

  test("that the service rejects are removed, and the run continues", async () => {
    const server = await serve([
      calls("a"),
      { status: 400, message: "Could not process image" },
      "Without it.",
      "More.",
    ]);
    const model = open(server, { name: "gpt-5" });
    const session = createAgent({ engine: createEngine({ tools: [draw(chart)] }), model }).session();
    const result = await session.send("Draw.");
    expect(result).toMatchObject({ status: "completed", answer: "Without it." });
    expect(result.notices.join()).toMatch(/images of tools were removed/);
    expect(imagesIn(server.requests[2]?.body)).toEqual([]);
    expect(await session.send("More?")).toMatchObject({ status: "completed", answer: "More." });
    expect(imagesIn(server.requests[3]?.body)).toEqual([]);
  });

  test("leave the conversation with the text of an old result", async () => {
    const rounds = Array.from({ length: 6 }, (_, id) => ({ toolCalls: [{ name: "draw", args: { id } }] }));
    const model = scriptedModel([...rounds, "Done."], { modelId: "gpt-4o" });
    const run = () => ok("long ".repeat(200), { attachments: [chart] });
    const tool = defineTool({ name: "draw", description: "Draws.", effect: "read", run });
    const agent = createAgent({ engine: createEngine({ tools: [tool] }), model, contextTokens: 8_000, maxRounds: 8 });
    expect(await agent.run("Draw.")).toMatchObject({ status: "completed" });
    expect(JSON.stringify(model.calls.at(-1)?.prompt).split(base64).length - 1).toBeLessThan(5);
  });
});

function large(): Uint8Array {
  const data = new Uint8Array(4_000_000);
  data.set(png);
  return data;
}
