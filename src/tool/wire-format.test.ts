import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromJsonSchema } from "../schema/index.ts";
import { defineTool } from "./define-tool.ts";
import type { Effect } from "./tool.ts";
import { toAnthropicTools, toOpenAITools, toGeminiTools, toMcpTools } from "./wire-formats.ts";
import { createWireNames } from "./wire-names.ts";

const weather = defineTool({
  name: "get_weather",
  displayName: "Weather",
  description: "The weather of a city.",
  effect: "read",
  input: z.object({ city: z.string().describe("Name of the city."), days: z.int().min(1).max(7).default(1) }),
  output: z.object({ sky: z.string() }),
  run: () => ({ sky: "clear" }),
});

const parameters = {
  type: "object",
  properties: {
    city: { type: "string", description: "Name of the city." },
    days: { type: "integer", minimum: 1, maximum: 7, default: 1 },
  },
  required: ["city"],
};

describe("[D01] a tool in each format", () => {
  test("OpenAI", () => {
    expect(toOpenAITools([weather])).toEqual([
      { type: "function", function: { name: "get_weather", description: "The weather of a city.", parameters } },
    ]);
  });

  test("Anthropic", () => {
    expect(toAnthropicTools([weather])).toEqual([
      { name: "get_weather", description: "The weather of a city.", input_schema: parameters },
    ]);
  });

  test("Gemini", () => {
    expect(toGeminiTools([weather])).toEqual([
      {
        functionDeclarations: [
          {
            name: "get_weather",
            description: "The weather of a city.",
            parameters: {
              type: "object",
              properties: {
                city: { type: "string", description: "Name of the city." },
                days: { type: "integer", minimum: 1, maximum: 7, description: "Default: 1." },
              },
              required: ["city"],
            },
          },
        ],
      },
    ]);
  });

  test("MCP", () => {
    expect(toMcpTools([weather])).toEqual([
      {
        name: "get_weather",
        title: "Weather",
        description: "The weather of a city.",
        inputSchema: parameters,
        outputSchema: {
          type: "object",
          properties: { sky: { type: "string" } },
          required: ["sky"],
          additionalProperties: false,
        },
        annotations: {
          title: "Weather",
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
    ]);
  });

  test("a tool without parameters", () => {
    const now = defineTool({ name: "now", description: "The time.", effect: "read", run: () => 0 });
    const empty = { type: "object", properties: {} };
    expect(toOpenAITools([now])[0]?.function.parameters).toEqual(empty);
    expect(toAnthropicTools([now])[0]?.input_schema).toEqual(empty);
    expect(toMcpTools([now])[0]?.inputSchema).toEqual(empty);
  });
});

test("a translated name is stated in the description", () => {
  const search = defineTool({ name: "搜索", description: "Finds pages.", run: () => null });
  const names = createWireNames([search], "openai");
  expect(toOpenAITools([search], { names })[0]?.function).toMatchObject({
    name: names.toWire("搜索"),
    description: "搜索: Finds pages.",
  });
});

test("OpenAI gets descriptions of at most 1024 characters, cut after a sentence", () => {
  const sentence = "This is a sentence of some length. ";
  const long = defineTool({ name: "long", description: sentence.repeat(40), run: () => null });
  const { description } = toOpenAITools([long])[0]!.function;
  expect(description.length).toBeLessThanOrEqual(1024);
  expect(description.endsWith("length.")).toBe(true);
  const endless = defineTool({ name: "endless", description: "😀".repeat(1000), run: () => null });
  expect(toOpenAITools([endless])[0]!.function.description.isWellFormed()).toBe(true);
  expect(toOpenAITools([endless])[0]!.function.description.length).toBeLessThanOrEqual(1024);
  expect(toAnthropicTools([long])[0]!.description).toBe(sentence.repeat(40));
});

describe("MCP's hints", () => {
  test.each<[Effect, boolean, boolean, boolean, boolean]>([
    ["pure", true, false, true, false],
    ["read", true, false, true, true],
    ["idempotent", false, false, true, true],
    ["once", false, true, false, true],
  ])("the effect %s has these hints", (...row) => {
    const [effect, readOnlyHint, destructiveHint, idempotentHint, openWorldHint] = row;
    const tool = defineTool({ name: "t", description: "d", effect, run: () => null });
    expect(toMcpTools([tool])[0]?.annotations).toEqual({
      readOnlyHint,
      destructiveHint,
      idempotentHint,
      openWorldHint,
    });
  });

  test("are careful if the effect depends on the arguments", () => {
    const tool = defineTool({ name: "t", description: "d", effect: () => "read", run: () => null });
    expect(toMcpTools([tool])[0]?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
  });

  test("follow the tool's `destructive` setting", () => {
    const tool = defineTool({ name: "t", description: "d", effect: "idempotent", destructive: true, run: () => null });
    expect(toMcpTools([tool])[0]?.annotations.destructiveHint).toBe(true);
  });

  test("an output that is not an object has no schema", () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      output: fromJsonSchema({ type: "string" }),
      run: () => "x",
    });
    expect(toMcpTools([tool])[0]).not.toHaveProperty("outputSchema");
  });
});
