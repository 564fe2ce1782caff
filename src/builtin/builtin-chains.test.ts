import { describe, expect, test } from "vitest";
import { fail } from "../base/index.ts";
import { ChainLibrary, type RunResult, chainGraph, runChain, toMermaid } from "../chain/index.ts";
import { type MockTools, mock, mockTools } from "../testing/index.ts";
import { createEngine } from "../engine/index.ts";
import { builtinChains } from "./builtin-chains.ts";

type Behaviours = NonNullable<Parameters<typeof mockTools>[1]>;

const pages = [
  { title: "Tide mills", url: "https://mills.example/tide" },
  { title: "Wind mills", url: "https://mills.example/wind" },
];

/** Tools with the output shapes that the chains expect. */
const defaults: Behaviours = {
  web_search: mock({
    effect: "read",
    answer: (args) => ({ query: args["query"], provider: "test", results: pages }),
  }),
  web_fetch: mock({
    effect: "read",
    input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
    answer: ({ url }) => ({ url, content: `the page ${String(url)}` }),
  }),
  parallel_fetch: mock({
    effect: "read",
    input: {
      type: "object",
      properties: { urls: { type: "array", items: { type: "string" } } },
      required: ["urls"],
    },
    answer: ({ urls }) => (urls as string[]).map((url) => ({ url, content: `the page ${url}` })),
  }),
  llm_summarize: mock({
    effect: "read",
    answer: ({ content, style }) => `${String(style)}: ${JSON.stringify(content)}`,
  }),
  memory_store: mock({ effect: "idempotent", answer: "memory-1" }),
  memory_recall: mock({ effect: "read", answer: [{ url: "https://old.example/", content: "known before" }] }),
  llm_design: ({ requirements }) => ({ design: requirements }),
  code_generator: ({ design, language }) => ({ language, files: [design] }),
  test_runner: { passed: 3, failed: 0, coverage: 0.9 },
  code_reviewer: { issues: [] },
  code_fixer: ({ code }) => ({ fixed: code }),
  outline_generator: ({ topic, style }) => ({ sections: [topic, style] }),
  content_writer: ({ outline, research }) => ({ outline, research, text: "first draft" }),
  content_reviewer: { score: 9, comments: "good" },
  content_reviser: { text: "second draft" },
};

interface Ran {
  readonly run: RunResult;
  readonly tools: MockTools;
}

async function ran(chain: string, input: unknown, behaviours: Behaviours = {}): Promise<Ran> {
  const tools = mockTools([], { ...defaults, ...behaviours });
  const engine = createEngine({ tools });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const source of builtinChains()) chains.add(source);
  const run = await runChain(chains.plan(chain), { engine, chains, input });
  await engine.close();
  return { run, tools };
}

const statusOf = ({ steps }: RunResult): Record<string, string> =>
  Object.fromEntries(steps.map(({ path, status }) => [path, status]));

describe("[A13] the built-in chains", () => {
  test("are valid with their tools, have no warnings, and describe every step and input", () => {
    const engine = createEngine({ tools: mockTools([], defaults) });
    const chains = new ChainLibrary({ tools: engine.tools });
    for (const source of builtinChains()) chains.add(source);
    expect(chains.names()).toEqual(["research-chain", "dev-chain", "write-chain", "research-summarize-store"]);
    for (const name of chains.names()) {
      expect(chains.problems(name)).toEqual([]);
      const { spec, description } = chains.plan(name);
      expect(spec.name).toBe(name);
      expect(description).not.toBe("");
      for (const step of spec.steps) expect(step.description).toMatch(/\.$/);
      for (const input of Object.values(spec.input ?? {})) expect(input).toHaveProperty("description");
      expect(toMermaid(chainGraph(chains.plan(name)))).toContain(spec.steps[0]?.id);
    }
  });

  test("are listed but not registered while their tools are missing", () => {
    const engine = createEngine({ tools: mockTools([], { web_search: {} }) });
    const chains = new ChainLibrary({ tools: engine.tools });
    for (const source of builtinChains()) chains.add(source);
    chains.registerIn(engine.tools);
    expect(engine.tools.names()).toEqual(["web_search"]);
    expect(() => chains.plan("research-chain")).toThrow(/there is no tool or chain named "parallel_fetch"/);
  });
});

describe("[A13] research-chain", () => {
  test("[A05] searches, reads every page found, summarizes them and stores the summary", async () => {
    const { run, tools } = await ran("research-chain", { query: "mills" });
    expect(run.success).toBe(true);
    expect(tools.argsOf("web_search")).toEqual([{ query: "mills", count: 5 }]);
    expect(tools.argsOf("parallel_fetch")).toEqual([{ urls: pages.map(({ url }) => url) }]);
    expect(tools.argsOf("llm_summarize")).toMatchObject([{ style: "structured" }]);
    const { summarize } = run.output as Record<string, unknown>;
    expect(tools.argsOf("memory_store")).toEqual([{ content: summarize, type: "research" }]);
    expect(run.output).toMatchObject({
      search: { results: pages },
      fetch_all: [{}, {}],
      store: "memory-1",
      message: null,
    });
  });

  test("[A05] accepts the results as a bare list too", async () => {
    const { tools } = await ran("research-chain", { query: "mills" }, { web_search: pages });
    expect(tools.argsOf("parallel_fetch")).toEqual([{ urls: pages.map(({ url }) => url) }]);
  });

  test.each([
    ["an empty list inside the result", { results: [], provider: "test" }],
    ["a bare empty list", []],
  ])("if nothing is found (%s) it reads, summarizes and stores nothing, and reports that", async (_, found) => {
    const { run, tools } = await ran("research-chain", { query: 'the "x"' }, { web_search: found });
    expect(run.success).toBe(true);
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["web_search"]);
    expect(run.output).toEqual({
      search: found,
      fetch_all: null,
      summarize: null,
      store: null,
      message: 'Nothing was found for "the "x""; try other words, or fewer.',
    });
  });

  test("fails when the search fails, and nothing after it runs", async () => {
    const { run, tools } = await ran("research-chain", { query: "x" }, { web_search: fail("no network") });
    expect(run).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("no network") as string },
    });
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["web_search"]);
  });

  test("refuses to start without a query", async () => {
    await expect(ran("research-chain", {})).rejects.toMatchObject({ code: "validation_error" });
  });
});

describe("[A13] dev-chain", () => {
  const input = { requirements: "count words", language: "typescript" };

  test("[A06] does not change the code if the review finds nothing", async () => {
    const { run, tools } = await ran("dev-chain", input);
    expect(statusOf(run)).toEqual({
      design: "success",
      code: "success",
      test: "success",
      review: "success",
      fix: "skipped",
    });
    expect(run.output).not.toHaveProperty("fix");
    expect(tools.argsOf("code_generator")).toEqual([{ design: { design: "count words" }, language: "typescript" }]);
    expect(tools.argsOf("test_runner")).toMatchObject([{ coverage: true }]);
    expect(tools.argsOf("code_reviewer")).toMatchObject([{ test_results: { passed: 3 } }]);
  });

  test("fixes what the review finds", async () => {
    const review = { issues: [{ line: 1, message: "no error handling" }] };
    const { run, tools } = await ran("dev-chain", input, { code_reviewer: review });
    expect(run.output).toMatchObject({ fix: { fixed: { language: "typescript" } } });
    expect(tools.argsOf("code_fixer")).toMatchObject([{ review }]);
  });
});

describe("[A13] write-chain", () => {
  const input = { topic: "mills", style: "essay" };

  test("[A12] researches with the research chain, and keeps a text that scores well", async () => {
    const { run, tools } = await ran("write-chain", input);
    expect(statusOf(run)).toEqual({
      outline: "success",
      research: "success",
      write: "success",
      review: "success",
      revise: "skipped",
    });
    expect(tools.argsOf("web_search")).toMatchObject([{ query: "mills" }]);
    expect(tools.argsOf("content_writer")).toMatchObject([
      { outline: { sections: ["mills", "essay"] }, research: { store: "memory-1" } },
    ]);
  });

  test("revises a text that scores below 8, with the review as feedback", async () => {
    const review = { score: 7.5, comments: "too long" };
    const { run, tools } = await ran("write-chain", input, { content_reviewer: review });
    expect(run.output).toMatchObject({ revise: { text: "second draft" } });
    expect(tools.argsOf("content_reviser")).toMatchObject([{ content: { text: "first draft" }, feedback: review }]);
  });

  test("a score of exactly 8 is enough", async () => {
    const { run } = await ran("write-chain", input, { content_reviewer: { score: 8 } });
    expect(statusOf(run)["revise"]).toBe("skipped");
  });
});

describe("[A13] research-summarize-store", () => {
  const input = { topic: "tide mills" };
  const nothing = {
    summary: null,
    memory_id: null,
    sources_count: 0,
    message: 'Nothing was found for "tide mills"; try other words, or fewer.',
  };

  test("[A16] returns the summary, where it is stored, and the number of its pages", async () => {
    const { run, tools } = await ran("research-summarize-store", input);
    const [read] = pages.map(({ url }) => url);
    const summary = `bullet-points: ${JSON.stringify({ url: read, content: `the page ${read}` })}`;
    expect(run.output).toEqual({ summary, memory_id: "memory-1", sources_count: 1, message: null });
    expect(tools.argsOf("web_search")).toEqual([{ query: "tide mills", count: 10 }]);
    expect(tools.argsOf("memory_store")).toEqual([
      { content: summary, metadata: { topic: "tide mills", sources: [read], type: "research" } },
    ]);
    expect(run.input).toEqual({ topic: "tide mills", depth: 3, store_location: "memory" });
  });

  test("[A06] [A16] stores nothing and reports that if nothing is found", async () => {
    const { run, tools } = await ran("research-summarize-store", input, { web_search: { results: [] } });
    expect(run.success).toBe(true);
    expect(run.output).toEqual(nothing);
    expect(statusOf(run)).toEqual({ search: "success", fetch: "skipped", summarize: "skipped", store: "skipped" });
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["web_search"]);
  });

  test("[A11] memory is the fallback if the search fails", async () => {
    const { run, tools } = await ran("research-summarize-store", input, { web_search: fail("no network") });
    expect(statusOf(run)).toMatchObject({ search: "recovered", fetch: "success", store: "success" });
    expect(tools.argsOf("memory_recall")).toEqual([{ query: "tide mills", must_find: true }]);
    expect(tools.argsOf("web_fetch")).toEqual([{ url: "https://old.example/" }]);
    expect(run.output).toMatchObject({
      memory_id: "memory-1",
      sources_count: 1,
      message: "The web could not be searched; the summary is of what memory knows.",
    });
  });

  test("[A11] if memory has nothing either, the run fails with the failure of the search", async () => {
    const { run, tools } = await ran("research-summarize-store", input, {
      web_search: fail("the provider is blocked", { code: "not_available" }),
      memory_recall: fail("nothing is remembered about it"),
    });
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "not_available", message: expect.stringContaining("the provider is blocked") as string },
    });
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["web_search", "memory_recall"]);
  });

  describe("[A11] a page that cannot be read", () => {
    const found = ["a", "b", "c", "d"].map((name) => ({ title: name, url: `https://${name}.example/` }));
    const web_search = { results: found };
    /** Reads these pages only. */
    const reading = (...names: readonly string[]): Behaviours[string] =>
      mock({
        effect: "read",
        answer: ({ url }) => {
          if (!names.some((name) => url === `https://${name}.example/`)) throw fail(`${String(url)} is not there`);
          return { url, content: "the page" };
        },
      });

    test.each([
      ["the second", "b", 2],
      ["the third", "c", 3],
    ])("is skipped for %s, which is then the source", async (_, name, tried) => {
      const { run, tools } = await ran("research-summarize-store", input, { web_search, web_fetch: reading(name) });
      expect(statusOf(run)).toMatchObject({ fetch: "recovered", summarize: "success", store: "success" });
      expect(tools.argsOf("web_fetch")).toEqual(found.slice(0, tried).map(({ url }) => ({ url })));
      expect(tools.argsOf("memory_store")).toMatchObject([{ metadata: { sources: [`https://${name}.example/`] } }]);
      expect(run.output).toMatchObject({ sources_count: 1, message: null });
    });

    test("ends the run with its own error if the others cannot be read either", async () => {
      const { run, tools } = await ran("research-summarize-store", input, { web_search, web_fetch: reading("d") });
      expect(run).toMatchObject({
        status: "failed",
        error: { message: expect.stringContaining("https://a.example/ is not there") as string },
      });
      expect(tools.argsOf("web_fetch")).toHaveLength(3);
      expect(tools.argsOf("memory_store")).toEqual([]);
    });

    test.each([
      [1, 1],
      [2, 2],
      [50, 3],
    ])("a depth of %i tries %i pages", async (depth, tried) => {
      const { tools } = await ran(
        "research-summarize-store",
        { ...input, depth },
        { web_search, web_fetch: reading() },
      );
      expect(tools.argsOf("web_fetch")).toHaveLength(tried);
    });

    test("is the only one that is tried if no other was found", async () => {
      const one = { web_search: { results: found.slice(0, 1) }, web_fetch: reading() };
      const { run, tools } = await ran("research-summarize-store", input, one);
      expect(run.status).toBe("failed");
      expect(tools.argsOf("web_fetch")).toHaveLength(1);
    });
  });

  test("[A11] memory does not replace another step that fails: the run fails", async () => {
    const { run, tools } = await ran("research-summarize-store", input, { llm_summarize: fail("no model") });
    expect(run).toMatchObject({ status: "failed", error: { message: expect.stringContaining("no model") as string } });
    expect(tools.argsOf("memory_recall")).toEqual([]);
    expect(tools.argsOf("memory_store")).toEqual([]);
  });
});
