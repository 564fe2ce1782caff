import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
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
  test("extracts sentences of the content, and reports the method", async () => {
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

  test("lists only the sources whose sentences it contains", async () => {
    const content = [
      { url: "https://a.example/tide", title: "Tide mills", content: tide },
      { url: "https://c.example/menu", title: "Menu", content: "Home. About us. Log in." },
    ];
    const result = await call({ content, style: "bullet-points" });
    expect(String(result.success && result.output)).toMatch(/\n\nSources:\n- Tide mills: https:\/\/a\.example\/tide$/);
    expect(result.meta["sources"]).toEqual([{ url: "https://a.example/tide", title: "Tide mills" }]);
  });

  test.each([
    ["https://user:secret@a.example/x", "- Page: https://a.example/x"],
    ["memory:mem-1", "- Page: memory:mem-1"],
    ["javascript:alert(1)", undefined],
    ["data:text/html,<b>", undefined],
    ["a name", undefined],
    ["https://a.example/\u202egpj.exe", "- Page: https://a.example/%E2%80%AEgpj.exe"],
  ])("lists %j as %j", async (url, line) => {
    const text = await summary({ content: { title: "Page", url, content: tide } });
    expect(text.split("Sources:\n")[1]).toBe(line);
  });

  test.each<[string, unknown, string]>([
    ["an empty text", " \n", "is an empty text"],
    ["an empty list", [], "is an empty list; if it comes from a search, nothing was found: search with other words"],
    ["an empty object", {}, "is an empty object"],
    ["a number", 42, "is 42, and not a text"],
    ["null", null, "is missing"],
    ["lists of nothing", [[], [""]], "is a list without any text"],
    ["an object of nothing", { a: null }, "is an object without any text"],
    ["a page without text", { url: "x", title: "T", content: "" }, "is an object without any text"],
    [
      "pages without text",
      [
        { url: "https://a.example/", title: "My App", text: " \n", links: [{ text: "Home", href: "/" }] },
        { title: "B", markdown: "", snippet: "" },
      ],
      "is a list without any text",
    ],
    ["an error", { url: "https://a.example/", error: "no answer" }, "contains only an error: no answer"],
    [
      "pages that could not be read",
      [
        { url: "https://a.example/", error: { code: "timeout", message: "no answer in 10 s" } },
        { url: "https://b.example/", error: { code: "not_found" } },
      ],
      "contains only errors, 2 of them; the first is: no answer in 10 s",
    ],
  ])("describes what is there instead of content: %s", async (_, content, text) => {
    const result = await call({ content });
    expect(result).toMatchObject({
      success: false,
      error: {
        code: "validation_error",
        reason: "empty_content",
        retry: "never",
        message: `there is nothing to work on: \`content\` ${text}`,
      },
    });
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
    ["a page without text", { title: "Tide mills", content: "", snippet: tide }],
    ["a list of sentences", tide.split(/(?<=\.) /)],
  ])("reads %s", async (_, content) => {
    expect(await summary({ content, max_length: 400 })).toContain("A tide mill is a water mill");
  });

  test("prefers sentences about the focus", async () => {
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
  test("returns the text of the model, with the sources", async () => {
    const model = scriptedModel(["Tide mills use the ebb [1]."]);
    const content = [{ url: "https://a.example/", title: "Tide mills", content: tide }];
    const result = await call({ content, style: "structured", max_length: 300, language: "English" }, { model });
    expect(result).toMatchObject({
      output: "Tide mills use the ebb [1].\n\nSources:\n- [1] Tide mills: https://a.example/",
      meta: { method: "model", tokensUsed: 15, model: "scripted" },
    });
    const prompt = JSON.stringify(model.calls[0]?.prompt.at(-1));
    for (const part of ["at most 300 characters", "[1] Tide mills, https://a.example/", "A tide mill is", "English"]) {
      expect(prompt).toContain(part);
    }
  });

  test("lists the sources that it cites by number, and all that it read if it cites none", async () => {
    const content = [
      { url: "https://a.example/", title: "Tide mills", content: tide },
      { url: "https://b.example/", title: "Windmills", content: wind },
      { url: "https://a.example/", title: "Tide mills, part 2", content: "They also sawed wood." },
    ];
    const listed = async (answer: string): Promise<unknown> => {
      const result = await call({ content }, { model: scriptedModel([answer]) });
      const urls = (result.meta["sources"] as { url: string }[]).map(({ url }) => url);
      return { list: String(result.success && result.output).split("\n\n")[1], urls };
    };
    const both = ["https://a.example/", "https://b.example/"];
    expect(await listed("Sails turn [2], 风也转【2】, and nobody has [9].")).toEqual({
      list: "Sources:\n- [2] Windmills: https://b.example/",
      urls: [both[1]],
    });
    expect(await listed("Both turn [1, 2].")).toEqual({
      list: "Sources:\n- [1] Tide mills: https://a.example/\n- [2] Windmills: https://b.example/",
      urls: both,
    });
    expect(await listed("Both turn.")).toEqual({
      list: "Sources:\n- Tide mills: https://a.example/\n- Windmills: https://b.example/",
      urls: both,
    });
  });

  test("cuts a text of the model that is too long after a sentence", async () => {
    const model = scriptedModel(["One sentence that is there. ".repeat(20)]);
    const result = await call({ content: tide, max_length: 100 }, { model });
    expect(result).toMatchObject({ meta: { truncated: true } });
    expect(String(result.success && result.output)).toMatch(/^(?:One sentence that is there\. ?)+…$/);
  });

  test("fails if the model fails, instead of falling back silently", async () => {
    const model = scriptedModel([{ text: "", finishReason: "content-filter" }]);
    expect(await call({ content: tide }, { model })).toMatchObject({
      success: false,
      error: { code: "execution_error", reason: "refused" },
    });
  });
});
