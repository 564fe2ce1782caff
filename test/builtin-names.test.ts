import { afterEach, describe, expect, test } from "vitest";
import { planChain } from "../src/chain/index.ts";
import { type Engine, type EngineOptions, ToolRegistry, createEngine, defineTool } from "../src/index.ts";
import { builtinTools, createHttpClient } from "../src/tools.ts";
import { allNamesLeadTo, loopbackSite } from "./support/loopback-site.ts";

const text = { type: "object", properties: { text: { type: "string" } } };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function engineWith(options: EngineOptions = {}): Engine {
  const http = createHttpClient();
  const engine = createEngine({ tools: [...builtinTools({ http })], ...options });
  closing.push(
    () => engine.close(),
    () => http.close(),
  );
  return engine;
}

/** Names that documents and earlier versions use, by the tool that they lead to. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  web_fetch: ["webFetch", "fetch_page", "parallel_fetch", "parallelFetch", "crawl_batch"],
  web_search: ["webSearch", "search_web"],
  calculator: ["calculate"],
  get_current_time: ["getCurrentTime", "get_time"],
  get_time_range_ms: ["getTimeRangeMs", "get_time_range"],
  local_search: ["localSearch"],
  index_vault: ["indexVault", "indexTool"],
  get_file_tree: ["getFileTree"],
  youtube_transcription: ["youtubeTranscription"],
  pomodoro: ["pomodoroTool"],
};

describe("[U13] names of the built-in tools", () => {
  test("each tool is listed once, by a name in snake_case", () => {
    const names = engineWith()
      .tools.list()
      .map(({ tool }) => tool.name);
    expect(names.filter((name) => !/^[a-z]+(?:_[a-z]+)*$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(formerNames)));
    const former = new Set(Object.values(formerNames).flat());
    expect(names.filter((name) => former.has(name))).toEqual([]);
  });

  test.each(Object.entries(formerNames).flatMap(([name, all]) => all.map((alias) => [alias, name])))(
    "%s leads to %s, also when the tools are created on first use",
    (alias, name) => {
      expect(engineWith().tools.resolve(alias)?.tool.name).toBe(name);
    },
  );

  test("the two clocks are one tool, and get_time still returns one line", async () => {
    const engine = engineWith();
    expect(await engine.call("get_current_time", { timezone: "UTC" })).toMatchObject({
      tool: "get_current_time",
      output: { timezone: "UTC" },
    });
    expect(await engine.call("getCurrentTime", { timezone: "UTC" })).toMatchObject({ output: { timezone: "UTC" } });
    const line = await engine.call("get_time", { timezone: "UTC" });
    expect(line).toMatchObject({ tool: "get_current_time", output: expect.stringMatching(/\(UTC\)$/) as string });
    const form = engine.tools.get("get_time");
    // By reference, too: rules and records need its source.
    expect(await engine.call(form!, {})).toMatchObject({ success: true, meta: { source: "tools" } });
  });

  test("a tool of the workspace takes a former name, and rules for the name cover both", async () => {
    const own = defineTool({ name: "get_time", description: "Mine.", effect: "pure", run: () => "mine" });
    const engine = engineWith();
    engine.tools.register(own);
    expect(await engine.call("get_time")).toMatchObject({ tool: "get_time", output: "mine" });
    expect(await engine.call("getCurrentTime")).toMatchObject({ tool: "get_current_time", success: true });
    engine.tools.remove("get_time");
    expect(await engine.call("get_time")).toMatchObject({ tool: "get_current_time" });
  });

  test("a former name is not found after its tool was removed", async () => {
    const registry = new ToolRegistry();
    const tool = builtinTools({ http: createHttpClient() }).find(({ name }) => name === "get_current_time");
    registry.register(tool!);
    const form = registry.get("get_time")!;
    const engine = engineWith({ registry, tools: [] });
    expect(await engine.call(form, {})).toMatchObject({ success: true });
    registry.remove("get_current_time");
    expect(await engine.call("get_time")).toMatchObject({ success: false, error: { code: "tool_not_found" } });
    expect(await engine.call(form, {})).toMatchObject({ success: false, error: { reason: "tool_gone" } });
  });
});

describe("[U13] a rule with one name of a tool applies to all its names", () => {
  const clock = ["get_current_time", "getCurrentTime", "get_time"];
  const pairs = clock.flatMap((rule) => clock.map((name) => [rule, name] as const));

  test.each(pairs)("`deny` %s: a call of %s is denied", async (rule, name) => {
    const engine = engineWith({ permissions: { deny: [rule] } });
    expect(await engine.call(name)).toMatchObject({ success: false, error: { code: "permission_denied" } });
    expect(engine.permits(engine.tools.get(name)!, "direct")).toBe(false);
  });

  test.each(pairs)("`ask` %s: a call of %s needs approval", async (rule, name) => {
    const engine = engineWith({ permissions: { ask: [rule], allow: ["*"] } });
    expect(await engine.call(name)).toMatchObject({ success: false, error: { code: "approval_required" } });
  });

  test.each(pairs)("`allow` %s: a call of %s runs, and nothing else does", async (rule, name) => {
    const engine = engineWith({ permissions: { deny: [], ask: [], allow: [rule] } });
    expect(await engine.call(name)).toMatchObject({ success: true });
    expect(await engine.call("calculator", { expression: "1" })).toMatchObject({ success: false });
  });

  test.each(["local_search", "localSearch"])("disabled_tools with %s", async (name) => {
    const engine = engineWith({ disabledTools: [name] });
    for (const each of ["local_search", "localSearch"])
      expect(await engine.call(each, { query: "x" })).toMatchObject({ error: { code: "not_available" } });
  });
});

test.each(["localSearch", "local_search"])("[U13] a chain may trust %s under both names", (trusted) => {
  const registry = new ToolRegistry();
  const { http } = { http: createHttpClient() };
  for (const tool of builtinTools({ http })) registry.register(tool, { owner: "builtin" });
  registry.register(defineTool({ name: "send", description: "Sends.", input: text, run: () => null }));
  const problemsOf = (tool: string, names: readonly string[]): string[] => {
    const steps = [
      { id: "find", tool, params: { query: "x" } },
      { id: "send", tool: "send", params: { text: "${steps.find.output.documents[0].snippet}" } },
    ];
    const { problems } = planChain(
      { spec: { name: "c", steps } },
      { tools: registry, taint: "strict", trusted: names },
    );
    return problems.map(({ code }) => code);
  };
  for (const tool of ["localSearch", "local_search"]) {
    expect(problemsOf(tool, [trusted])).toEqual([]);
    expect(problemsOf(tool, ["web_fetch"])).toEqual(["untrusted_input"]);
  }
  // Another tool may have the former name: then only that one is trusted.
  registry.register(defineTool({ name: "localSearch", description: "Finds.", effect: "read", run: () => null }));
  expect(problemsOf("local_search", ["localSearch"])).toEqual(["untrusted_input"]);
});

describe("[U13] [D06] [A17] web_fetch and its former names", () => {
  async function site() {
    const pages = await loopbackSite((request, response) => {
      const known = request.url === "/" || request.url === "/more";
      response
        .writeHead(known ? 200 : 404, { "content-type": "text/html" })
        .end(
          `<title>Tides</title><main><h1>Tides</h1><h2>Times</h2><p>The tide comes <a href="/more">twice</a> a day.</p></main>`,
        );
    });
    const http = createHttpClient(allNamesLeadTo(pages, ["example.com"]));
    const engine = createEngine({ tools: builtinTools({ http }), permissions: { deny: [], ask: [], allow: ["*"] } });
    closing.push(
      pages.close,
      () => http.close(),
      () => engine.close(),
    );
    return async (name: string, args: object) => {
      const result = await engine.call(name, args);
      if (!result.success) throw new Error(result.error.message);
      return result.output;
    };
  }
  const url = "http://example.com/";

  test("one tool returns a page, its links, its outline, or several pages", async () => {
    const call = await site();
    const content = expect.stringContaining("The tide comes") as string;
    expect(await call("web_fetch", { url })).toEqual({ url, title: "Tides", content });
    expect(await call("web_fetch", { url, format: "links" })).toEqual({
      url,
      title: "Tides",
      links: [{ text: "twice", href: "http://example.com/more" }],
    });
    expect(await call("web_fetch", { url, extract_type: "structured" })).toMatchObject({
      content,
      headings: expect.arrayContaining([{ level: 2, text: "Times" }]) as unknown,
      links: [{ text: "twice" }],
    });
    expect(await call("web_fetch", { urls: [url, `${url}missing`], format: "text" })).toMatchObject({
      pages: [{ url, content }],
      errors: [{ url: `${url}missing` }],
      total: 2,
      fetched: 1,
      failed: 1,
    });
  });

  test("each former name has its own input and output", async () => {
    const call = await site();
    const text = expect.stringContaining("The tide comes twice a day.") as string;
    expect(await call("fetch_page", { url })).toEqual({ url, title: "Tides", text });
    expect(await call("fetch_page", { url, extract_type: "structured" })).toMatchObject({
      text,
      headings: expect.arrayContaining([{ level: 2, text: "Times" }]) as unknown,
      links: [{ text: "twice", href: "http://example.com/more" }],
    });
    const content = expect.stringContaining("The tide comes") as string;
    for (const name of ["parallel_fetch", "parallelFetch"])
      expect(await call(name, { urls: [url, `${url}missing`] })).toMatchObject([{ url, content }, { error: {} }]);
    expect(await call("crawl_batch", { urls: [url] })).toMatchObject({ pages: [{ url, content }], errors: [] });
    await expect(call("fetch_page", { urls: [url] })).rejects.toThrow("url is required");
    await expect(call("parallel_fetch", { url })).rejects.toThrow("urls is required");
  });
});
