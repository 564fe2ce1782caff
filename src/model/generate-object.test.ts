import { describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type TokenUsage, generateObject, generateText } from "./index.ts";
import { scriptedModel } from "../testing/index.ts";

interface Review {
  readonly score: number;
  readonly notes?: readonly string[];
}

const schema = fromJsonSchema<Review>({
  type: "object",
  properties: {
    score: { type: "number", minimum: 0, maximum: 10 },
    notes: { type: "array", items: { type: "string" } },
  },
  required: ["score"],
});

const generate = (answers: Parameters<typeof scriptedModel>[0], more: object = {}) => {
  const model = scriptedModel(answers);
  return { model, requested: generateObject(model, { schema, prompt: "How good?", ...more }) };
};

function textsOf(model: ReturnType<typeof scriptedModel>, call: number): string[] {
  return (model.calls[call]?.prompt ?? []).map(({ content }) =>
    typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join(""),
  );
}

async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe("an object is found", () => {
  test.each([
    ["as it is", '{"score": 8}'],
    ["in a fence", 'Sure!\n```json\n{"score": 8}\n```\nAnything else?'],
    ["in a fence that is never closed", '```\n{"score": 8}'],
    ["in prose with brackets", 'As [1] says, {curly} things: {"score": 8}.'],
    ["after thoughts", '<think>maybe {"score": 1}?</think>{"score": 8}'],
    ["behind a smaller object", '{"a": 1} {"score": 8, "notes": []}'],
    ["with commas before brackets", '{"score": 8, "notes": ["a", ], }'],
    ["with fences in its texts", '```json\n{"score": 8, "notes": ["```js\\ncode()\\n```"]}\n```'],
    ["with line breaks in its texts", '{"score": 8, "notes": ["line\nbreak\tand tab"]}'],
    ["with brackets and quotes in its texts", '{"score": 8, "notes": ["} \\" {", "]"]}'],
    ["behind a byte order mark", '\ufeff{"score": 8}'],
  ])("%s", async (_, answer) => {
    const { model, requested } = generate([answer]);
    expect((await requested).object).toMatchObject({ score: 8 });
    expect(model.calls).toHaveLength(1);
  });

  test("line breaks are preserved", async () => {
    const { requested } = generate(['{"score": 8, "notes": ["a\nb\r\tc"]}']);
    expect((await requested).object.notes).toEqual(["a\nb\r\tc"]);
  });
});

describe("a model receives the problem and corrects it", () => {
  test.each([
    ["no JSON", "It is very good.", "contains no JSON object"],
    ["single quotes", "{'score': 8}", "cannot be parsed"],
    ["Python", '{"score": None}', "cannot be parsed"],
    ["an object that never ends", '{"score": 8', "never closed"],
    ["a list", "[8]", "contains no JSON object"],
    ["a number out of range", '{"score": 80}', "score must be at most 10, got 80"],
    ["a missing key", '{"sore": 8}', "score is required"],
    ["a key that reaches prototypes", '{"score": 8, "__proto__": {"a": 1}}', "__proto__"],
  ])("%s", async (_, answer, complaint) => {
    const { model, requested } = generate([answer, { score: 8 }]);
    expect(await requested).toMatchObject({ object: { score: 8 }, repairs: 1 });
    const [, prompt, shown, reported] = textsOf(model, 1);
    expect(prompt).toBe("How good?");
    expect(shown).toBe(answer);
    expect(reported).toContain(complaint);
  });

  test("issues that only the caller can check are reported as well", async () => {
    const check = ({ notes = [] }: Review) =>
      notes.length > 0 ? [] : [{ path: ["notes"], code: "empty", message: "say at least one thing" }];
    const { model, requested } = generate([{ score: 8 }, { score: 8, notes: ["good"] }], { check });
    expect((await requested).object.notes).toEqual(["good"]);
    expect(textsOf(model, 1).at(-1)).toContain("- notes: say at least one thing");
  });

  test("a model gets at most two corrections", async () => {
    const { model, requested } = generate(["no", "no", "no", { score: 8 }]);
    const error: unknown = await requested.catch((error: unknown) => error);
    expect(isFailureError(error) && error.toFailure()).toMatchObject({
      code: "execution_error",
      reason: "invalid_output",
      retry: "never",
      message: expect.stringContaining("after 2 repair requests") as string,
    });
    expect(model.calls).toHaveLength(3);
  });

  test("only the last mistake is in the history", async () => {
    const { model, requested } = generate(["first mistake", "second mistake", { score: 8 }]);
    await requested;
    expect(textsOf(model, 2).slice(1)).toEqual([
      "How good?",
      "second mistake",
      expect.stringContaining("cannot be used"),
    ]);
  });

  test("the usage of every response is counted, including failed ones", async () => {
    const seen: TokenUsage[] = [];
    const { requested } = generate(["no", { score: 8 }], { onUsage: (usage: TokenUsage) => seen.push(usage) });
    expect((await requested).usage).toEqual({ inputTokens: 20, outputTokens: 10 });
    expect(seen).toHaveLength(2);
  });
});

test("a truncated object is not guessed", async () => {
  const { model, requested } = generate([{ text: '{"score": 8, "notes": ["and th', finishReason: "length" }]);
  await expect(requested).rejects.toMatchObject({ code: "execution_error", reason: "cut_off" });
  expect(model.calls).toHaveLength(1);
});

test("a truncated text fails with a reason", async () => {
  const model = scriptedModel([{ text: "and th", finishReason: "length" }]);
  expect(await generateText(model, { prompt: "?" })).toMatchObject({ text: "and th", finishReason: "length" });
});

test.each([
  ["brackets that never close", "{".repeat(1_000_000)],
  ["quotes that never close", '{"'.repeat(500_000)],
  ["commas", `{${", ".repeat(500_000)}`],
  ["more than anyone asked for", "x".repeat(3_000_000)],
])("a hostile response of %s is rejected quickly", async (_, answer) => {
  const began = performance.now();
  const { requested } = generate([answer], { maxRepairs: 0 });
  await expect(requested).rejects.toMatchObject({ reason: "invalid_output" });
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a scripted model streams its response, and reports when its script has ended", async () => {
  const model = scriptedModel(["one two"]);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "?" }] }];
  const parts = await partsOf((await model.doStream({ prompt })).stream);
  expect(parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")).toBe("one two");
  await expect(generateText(model, { prompt: "?" })).rejects.toThrow(
    "the script has 1 responses, and this is request 2",
  );
});
