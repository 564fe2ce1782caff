import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../model/index.ts";
import { type WritingServices, llmSummarizeTool } from "./index.ts";

const tide =
  "A tide mill is a water mill driven by the rise and fall of the tides. A dam with a sluice holds the water of the flood. " +
  "When the tide is low, the stored water is let out and turns the wheel. Tide mills ground flour along the Atlantic coast.";
const wind =
  "A windmill turns the energy of the wind into the rotation of sails. Post mills were the first windmills of Europe. " +
  "The whole body of a post mill turns into the wind.";

const call = (args: object, services: WritingServices = {}) =>
  createEngine({ tools: [llmSummarizeTool(services)], limits: { maxRetries: 0 } }).call("llm_summarize", args);

async function summary(args: object, services?: WritingServices): Promise<string> {
  const result = await call(args, services);
  if (!result.success) throw new Error(result.error.message);
  return String(result.output);
}

describe("[A17] llm_summarize without a model", () => {
  test("takes sentences of the content, and says so", async () => {
    const result = await call({ content: tide, style: "bullet-points", max_length: 160 });
    expect(result).toMatchObject({ success: true, meta: { method: "extractive" } });
    const lines = String(result.success && result.output).split("\n");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(tide).toContain(line.replace(/^- /, ""));
  });

  test.each([20, 50, 120, 500])("keeps to %i characters", async (max_length) => {
    for (const style of ["paragraph", "bullet-points", "structured", "one-line"]) {
      const text = await summary({ content: `${tide} ${wind}`, style, max_length });
      expect(text.length).toBeLessThanOrEqual(max_length);
      expect(text).not.toBe("");
    }
  });

  test("names the sources of pages, and puts each under its title", async () => {
    const content = [
      { url: "https://a.example/tide", title: "Tide mills", content: tide },
      { url: "https://b.example/", error: { code: "timeout", message: "the page did not answer" } },
      { url: "https://c.example/wind", title: "Windmills", text: wind },
    ];
    const result = await call({ content, style: "structured", max_length: 600 });
    const text = String(result.success && result.output);
    expect(text).toMatch(/^## Tide mills\n- A tide mill/);
    expect(text).toContain("\n\n## Windmills\n- ");
    expect(text).toMatch(
      /\n\nSources:\n- Tide mills: https:\/\/a\.example\/tide\n- Windmills: https:\/\/c\.example\/wind$/,
    );
    expect(text).not.toContain("did not answer");
    expect(result.meta["sources"]).toEqual([
      { url: "https://a.example/tide", title: "Tide mills" },
      { url: "https://c.example/wind", title: "Windmills" },
    ]);
  });

  test.each<[string, unknown]>([
    ["a text", tide],
    ["a page", { title: "Tide mills", url: "https://a.example/", content: tide }],
    ["pages in a result", { results: [{ url: "https://a.example/", markdown: tide }], failed: 0 }],
    ["a text in an object in an object", { data: { content: { text: tide } } }],
    [
      "the outputs of steps",
      { search: { results: [{ snippet: "short" }] }, fetch_all: [{ content: tide }], store: "m-1" },
    ],
    ["a list of sentences", tide.split(/(?<=\.) /)],
  ])("reads %s", async (_, content) => {
    expect(await summary({ content, max_length: 400 })).toContain("A tide mill is a water mill");
  });

  test("answers what the reader wants to know", async () => {
    const content = `${tide} ${wind} The miller paid his rent in eels.`;
    expect(await summary({ content, style: "one-line", focus: "How did the miller pay rent?" })).toBe(
      "The miller paid his rent in eels.",
    );
  });

  test("lists sources in the language of the summary", async () => {
    const content = { url: "https://a.example/", content: "潮汐磨坊是一种由潮汐涨落驱动的水磨坊。它们建在河口。" };
    expect(await summary({ content })).toContain("\n\n来源：\n- https://a.example/");
  });
});

describe("[A17] llm_summarize with a model", () => {
  test("gives what the model wrote, with the sources", async () => {
    const model = scriptedModel(["Tide mills use the ebb [1]."]);
    const content = [{ url: "https://a.example/", title: "Tide mills", content: tide }];
    const result = await call({ content, style: "structured", max_length: 300, language: "English" }, { model });
    expect(result).toMatchObject({
      output: "Tide mills use the ebb [1].\n\nSources:\n- Tide mills: https://a.example/",
      meta: { method: "model", tokensUsed: 15, model: "scripted" },
    });
    const question = JSON.stringify(model.calls[0]?.prompt.at(-1));
    for (const part of ["at most 300 characters", "[1] Tide mills, https://a.example/", "A tide mill is", "English"]) {
      expect(question).toContain(part);
    }
  });

  test("cuts what the model made too long after a sentence", async () => {
    const model = scriptedModel(["One sentence that is there. ".repeat(20)]);
    const result = await call({ content: tide, max_length: 100 }, { model });
    expect(result).toMatchObject({ meta: { truncated: true } });
    expect(String(result.success && result.output)).toMatch(/^(?:One sentence that is there\. ?)+…$/);
  });

  test("fails where the model does, rather than pretend", async () => {
    const model = scriptedModel([{ text: "", finishReason: "content-filter" }]);
    expect(await call({ content: tide }, { model })).toMatchObject({
      success: false,
      error: { code: "execution_error", reason: "refused" },
    });
  });
});
