import { afterEach, describe, expect, test } from "vitest";
import { ToolRegistry, createEngine } from "../src/index.ts";
import {
  builtinTools,
  closeExtraction,
  createCorpus,
  createHttpClient,
  createPageReader,
  createSearch,
  createBuiltinServices,
  decodeBody,
  extractPage,
  summarize,
  timeRange,
} from "../src/tools.ts";
import { builtinToolNames } from "../src/builtin/index.ts";
import { allNamesLeadTo, loopbackOnly, loopbackSite } from "./support/loopback-site.ts";
import { folderWith } from "./support/workspace.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

describe("[D08] one call returns all built-in tools", () => {
  const registry = new ToolRegistry();
  createEngine({ registry, tools: builtinTools({ http: createHttpClient(loopbackOnly) }) });

  test.each(builtinToolNames.map((name) => [name]))("%s exists under this name", (name) => {
    expect(registry.resolve(name)?.tool).toBeDefined();
  });

  test.each([
    ["[A17]", "web_search web_fetch parallel_fetch llm_summarize memory_store memory_recall llm_design code_generator"],
    ["[A17]", "test_runner code_reviewer code_fixer outline_generator content_writer content_reviewer content_reviser"],
    ["[D06]", "web_search fetch_page crawl_batch calculator text_process json_process get_weather"],
    ["[E09]", "localSearch webSearch getCurrentTime getTimeRangeMs getFileTree pomodoroTool youtubeTranscription"],
    ["[E09]", "indexVault indexTool memory_store get_conversation_history"],
  ])("%s: %s", (_row, names) => {
    expect(names.split(" ").filter((name) => !builtinToolNames.includes(name))).toEqual([]);
  });
});

describe("[D07] services work without a tool", () => {
  test("search works over a folder", async () => {
    const folder = await folderWith({ "tides.md": "# Tide tables\n\nWhen the water is high.\n" });
    const { results, provider } = await createSearch({ providers: [createCorpus({ folder }).provider] }).search({
      query: "tide tables",
    });
    expect(provider).toBe("corpus");
    expect(results).toMatchObject([{ title: "Tide tables", url: "corpus:tides.md" }]);
  });

  test("one page and many pages can be fetched", async () => {
    const site = await loopbackSite((request, response) => {
      const found = request.url !== "/robots.txt" && request.url !== "/missing";
      response.writeHead(found ? 200 : 404, { "content-type": "text/html" }).end("<title>Tides</title><p>Twice a day.");
    });
    const http = createHttpClient(allNamesLeadTo(site, ["example.com"]));
    closing.push(site.close, () => http.close());
    const pages = createPageReader({ http });
    expect(await pages.read("http://example.com/")).toMatchObject({ status: 200, title: "Tides" });
    const [one, other] = await pages.readAll(["http://example.com/", "http://example.com/missing"]);
    expect(one).toMatchObject({ page: { title: "Tides" } });
    expect(other).toHaveProperty("failure.code");
  });

  test("a page is extracted, and its charset detected", async () => {
    const html = '<html><head><title>潮汐</title></head><body><p>一天两次 <a href="/more">more</a></p></body></html>';
    expect(await extractPage(html, { url: "https://example.com/" })).toMatchObject({ title: "潮汐" });
    const gbk = Uint8Array.from([0xb3, 0xb1, 0xcf, 0xab]);
    expect(decodeBody(gbk, "text/html; charset=gbk")).toMatchObject({ text: "潮汐" });
  });

  test("memories, time and summaries", async () => {
    const { memories } = createBuiltinServices({ http: createHttpClient(loopbackOnly) });
    const { memory } = await memories.store({ content: "The quay closes at six" });
    expect(await memories.recall({ query: "quay" })).toMatchObject([{ memory: { id: memory.id } }]);
    expect(timeRange("today", { timezone: "UTC", now: "2026-11-15T12:00:00Z" })).toEqual({
      startTime: Date.UTC(2026, 10, 15),
      endTime: Date.UTC(2026, 10, 16),
    });
    expect(await summarize("The tide comes twice a day.", {})).toMatchObject({ method: "extractive" });
  });
});
