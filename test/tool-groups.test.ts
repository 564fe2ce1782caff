import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createEngine } from "../src/index.ts";
import {
  builtinTools,
  calculatorTool,
  createCrawlerTools,
  createDataTools,
  createFileAccess,
  createFileTools,
  createHttpClient,
} from "../src/tools.ts";
import { allNamesLeadTo, loopbackSite } from "./support/loopback-site.ts";
import { folderWith } from "./support/workspace.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const namesOf = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name).toSorted();

describe("[H23] [D05] groups of built-in tools", () => {
  test("the calculator is a data tool", () => {
    expect(calculatorTool.category).toBe("data");
    expect(namesOf(createDataTools())).toEqual(["calculator", "json_process", "text_process"]);
  });

  test("the data tools work without any service", async () => {
    const engine = createEngine({ tools: createDataTools() });
    closing.push(() => engine.close());
    expect(await engine.call("calculator", { expression: "6*7" })).toMatchObject({ output: { result: 42 } });
    expect(await engine.call("text_process", { operation: "upper", text: "tide" })).toMatchObject({
      success: true,
    });
  });

  test("the file tools work in the given folder", async () => {
    const folder = await folderWith({ "a.txt": "tide" });
    const tools = createFileTools({ files: createFileAccess({ roots: [{ path: folder, write: true }] }) });
    expect(namesOf(tools)).toEqual(["edit_file", "list_dir", "read_file", "search_files", "write_file"]);
    const engine = createEngine({ tools });
    closing.push(() => engine.close());
    expect(await engine.call("read_file", { path: "a.txt" })).toMatchObject({ output: { content: "tide" } });
    await writeFile(join(folder, "b.txt"), "mill");
    expect(await engine.call("search_files", { query: "mill" })).toMatchObject({ success: true });
  });

  test("the crawler tools search and read pages under all their names", async () => {
    const site = await loopbackSite((request, response) => {
      const found = request.url !== "/robots.txt";
      response.writeHead(found ? 200 : 404, { "content-type": "text/html" }).end("<title>Tides</title><p>Twice a day.");
    });
    const http = createHttpClient(allNamesLeadTo(site, ["example.com"]));
    const tools = createCrawlerTools({ http });
    expect(namesOf(tools)).toEqual(["web_fetch", "web_search"]);
    const engine = createEngine({ tools });
    closing.push(
      site.close,
      () => http.close(),
      () => engine.close(),
    );
    const url = "http://example.com/";
    expect(await engine.call("fetch_page", { url })).toMatchObject({ output: { text: "Twice a day." } });
    expect(await engine.call("crawl_batch", { urls: [url] })).toMatchObject({ output: { fetched: 1 } });
    expect(await engine.call("web_search", { query: "tides" })).toMatchObject({ error: { code: "not_available" } });
  });
});

describe("[H23] builtinTools with categories", () => {
  const http = createHttpClient();

  test("returns only the tools of these categories", () => {
    expect(namesOf(builtinTools({ http, categories: ["data"] }))).toEqual([
      "calculator",
      "json_process",
      "text_process",
    ]);
    const both = builtinTools({ http, categories: ["crawler", "time"] });
    expect(new Set(both.map(({ category }) => category))).toEqual(new Set(["crawler", "time"]));
    expect(builtinTools({ http, categories: [] })).toEqual([]);
    expect(builtinTools({ http }).length).toBeGreaterThan(30);
  });

  test.each([
    [["crawlers"], 'there is no category "crawlers" of built-in tools; did you mean "crawler"?'],
    [["data", "zzz"], /there is no category "zzz" of built-in tools; categories: ai, crawler, data, /],
    [["__proto__"], 'there is no category "__proto__"'],
    ["data", "categories must be a list"],
    [[1], "categories must be a list"],
  ])("refuses %j", (categories, message) => {
    expect(() => builtinTools({ http, categories: categories as never })).toThrow(message);
  });
});
