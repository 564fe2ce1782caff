import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Model, requestTurn, fallbackModel, textOfTurn } from "../index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { type ModelServer, modelServer } from "../../testing/model/server/model-server.ts";
import type { WireApiName } from "../../testing/model/server/wire-api.ts";
import { fitNames } from "./prepare-call.ts";

const opened: ModelServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** Clients of the AI SDK, as an application creates them. */
const clients: Readonly<Record<WireApiName, (baseUrls: ModelServer["baseUrls"]) => Model>> = {
  openai: ({ openai }) => createOpenAICompatible({ name: "compatible", baseURL: openai, apiKey: "k" })("gpt-5"),
  anthropic: ({ anthropic }) => createAnthropic({ baseURL: anthropic, apiKey: "k" })("claude-sonnet-4-5"),
  gemini: ({ gemini }) => createGoogleGenerativeAI({ baseURL: gemini, apiKey: "k" })("gemini-2.5-pro"),
};
const families = Object.keys(clients) as WireApiName[];

const odd = ["functions.look", "搜索", "a/b", " look", "", "x".repeat(80), "9lives", "__proto__", "constructor"];
const look = { type: "function" as const, name: "look", inputSchema: { type: "object" as const, properties: {} } };

/** A conversation in which tools were called by these names, in one response. */
function calling(names: readonly string[]): LanguageModelV4Prompt {
  const ids = names.map((toolName, index) => ({ toolCallId: `c${index}`, toolName }));
  const output = { type: "error-text" as const, value: "There is no such tool." };
  return [
    { role: "user", content: [{ type: "text", text: "Look." }] },
    { role: "assistant", content: ids.map((id) => ({ type: "tool-call", ...id, input: {} })) },
    { role: "tool", content: ids.map((id) => ({ type: "tool-result", ...id, output })) },
  ];
}

/** The names in a prompt, by message. */
function namesIn(prompt: LanguageModelV4Prompt): string[][] {
  return prompt
    .slice(1)
    .map(({ content }) =>
      (typeof content === "string" ? [] : content).map((part) => ("toolName" in part ? part.toolName : "none")),
    );
}

describe.each(families)("a conversation with tool names that no service accepts, at %s", (family) => {
  test.each([["streamed"], ["at once"]])("continues, %s", async (how) => {
    const server = await modelServer(["Nothing there."]);
    opened.push(server);
    const model = clients[family](server.baseUrls);
    const deltas = how === "streamed" ? { onDelta: () => {} } : {};
    const turn = await requestTurn(model, { prompt: calling(odd), tools: [look] }, { ...deltas, maxRetries: 0 });
    expect(textOfTurn(turn)).toBe("Nothing there.");
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered"]);
  });

  test("continues if a fallback model responds, also when used as a model of the AI SDK", async () => {
    const server = await modelServer(["Here.", "Here."]);
    opened.push(server);
    const broken = scriptedModel([new Error("broken")]);
    const model = fallbackModel([broken, clients[family](server.baseUrls)]);
    const call = { prompt: calling(odd), tools: [look] };
    expect(textOfTurn(await requestTurn(model, call, { maxRetries: 0 }))).toBe("Here.");
    expect((await model.doGenerate(call)).content).toMatchObject([{ type: "text", text: "Here." }]);
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
  });
});

test("a call and its result get the same name, calls of two names get two", () => {
  const [calls = [], results] = namesIn(fitNames({ prompt: calling(odd) }));
  expect(calls).toEqual(results);
  expect(new Set(calls).size).toBe(odd.length);
});

test("legal names and declared names stay; a prompt with only such names is unchanged", () => {
  const plain = calling(["look", "never_offered"]);
  expect(fitNames({ prompt: plain })).toBe(plain);
  const declared = [{ ...look, name: "a/b" }];
  const prompt = calling(["look", "a/b", "b/c"]);
  expect(namesIn(fitNames({ prompt, tools: declared }))[0]).toEqual(["look", "a/b", expect.stringMatching(/^b_c_0x/)]);
});
