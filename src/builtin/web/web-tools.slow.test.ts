import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type LoopbackSite,
  type SiteHandler,
  allNamesLeadTo,
  loopbackSite,
} from "../../../test/support/loopback-site.ts";
import type { Failure } from "../../base/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import type { AnyTool, ToolResult } from "../../tool/index.ts";
import { closeExtraction } from "../extract/index.ts";
import {
  type PageReaderOptions,
  crawlBatchTool,
  createPageReader,
  fetchPageTool,
  parallelFetchTool,
  webFetchTool,
} from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

async function open(
  handler: SiteHandler,
  options: Partial<PageReaderOptions> & { readonly maxUrls?: number } = {},
): Promise<{ site: LoopbackSite; engine: Engine; tools: AnyTool[]; http: HttpClient }> {
  const site = await loopbackSite(handler);
  const http = createHttpClient(allNamesLeadTo(site, ["*.test", "example.com", `127.0.0.1:${site.port}`]));
  const pages = createPageReader({ http, ...options });
  const { maxUrls } = options;
  const batch = { pages, ...(maxUrls !== undefined && { maxUrls }) };
  const tools = [fetchPageTool({ pages }), webFetchTool({ pages }), crawlBatchTool(batch), parallelFetchTool(batch)];
  const engine = createEngine({ tools });
  closing.push(
    site.close,
    () => http.close(),
    () => engine.close(),
  );
  return { site, engine, tools, http };
}

async function output(engine: Engine, name: string, args: unknown): Promise<unknown> {
  const result = await engine.call(name, args);
  if (!result.success) throw new Error(`${result.error.code} ${result.error.reason}: ${result.error.message}`);
  return result.output;
}

function failureIn(result: ToolResult): Failure {
  if (result.success) throw new Error("it did not fail");
  return result.error;
}

const links = Array.from(
  { length: 40 },
  (_unused, index) => `<p>Read <a href="/l${index}">link ${index}</a> soon.</p>`,
);
const almanac = `<!doctype html><html lang="en"><head><title>Almanac</title></head><body>
<nav><a href="/home">Home</a></nav>
<article><h1>Almanac</h1><p>The tide comes twice a day, about fifty minutes later every day than the day before.</p>
<h2>Code</h2><pre><code>const tide = 2;</code></pre>${links.join("")}</article></body></html>`;

const site: SiteHandler = (request, response) => {
  const path = request.url ?? "";
  if (path === "/robots.txt") response.writeHead(404).end();
  else if (path === "/moved") response.writeHead(301, { location: "/" }).end();
  else if (path === "/missing") response.writeHead(404).end("no");
  else if (path === "/empty") response.writeHead(204).end();
  else if (path === "/picture") response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([0x89, 0x50]));
  else response.writeHead(200, { "content-type": "text/html" }).end(almanac);
};

describe("the form of a page has two names in every tool", () => {
  test.each(["format", "extract_type"])("%s", async (name) => {
    const { engine, site: almanacSite } = await open(site);
    const url = `${almanacSite.origin}/`;
    const one = (await output(engine, "web_fetch", { url, [name]: "text" })) as { content: string };
    const [listed] = (await output(engine, "parallel_fetch", { urls: [url], [name]: "text" })) as [typeof one];
    const crawled = (await output(engine, "crawl_batch", { urls: [url], [name]: "text" })) as { pages: [typeof one] };
    const page = (await output(engine, "fetch_page", { url, [name]: "text" })) as { text: string };
    for (const { content } of [one, listed, crawled.pages[0]]) expect(content).toBe(page.text);
    expect(page.text).not.toContain("```");
    expect(await output(engine, "fetch_page", { url, [name]: "links" })).toHaveProperty("links");
    expect(await output(engine, "web_fetch", { url, [name]: "markdown" })).toEqual(
      await output(engine, "web_fetch", { url }),
    );
  });
});

test("an empty address is one page's error, not the whole call's", async () => {
  const { engine, site: almanacSite } = await open(site);
  const urls = ["", `${almanacSite.origin}/`, " "];
  expect(await output(engine, "parallel_fetch", { urls })).toMatchObject([
    { url: "", error: { reason: "bad_url" } },
    { title: "Almanac" },
    { error: { reason: "bad_url" } },
  ]);
  expect(await output(engine, "crawl_batch", { urls })).toMatchObject({ fetched: 1, failed: 2 });
});

describe("[D06] fetch_page", () => {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    opened = await open(site);
  });

  test("returns the text by default", async () => {
    const url = `${opened.site.origin}/`;
    const found = await output(opened.engine, "fetch_page", { url });
    expect(found).toMatchObject({ url, title: "Almanac", text: expect.stringContaining("twice a day") });
    expect(found).not.toHaveProperty("markdown");
    expect(found).not.toHaveProperty("links");
    expect(found).not.toHaveProperty("final_url");
  });

  test("returns markdown", async () => {
    const found = await output(opened.engine, "fetch_page", {
      url: `${opened.site.origin}/`,
      extract_type: "markdown",
    });
    expect(found).toMatchObject({ markdown: expect.stringMatching(/```[^`]*const tide = 2;/) });
  });

  test("returns all links of the page", async () => {
    const { origin } = opened.site;
    const found = (await output(opened.engine, "fetch_page", { url: `${origin}/`, extract_type: "links" })) as {
      links: unknown[];
    };
    expect(found.links).toHaveLength(41);
    expect(found.links).toContainEqual({ text: "Home", href: `${origin}/home` });
  });

  test("returns an overview with at most 20 links", async () => {
    const url = `${opened.site.origin}/moved`;
    const found = await output(opened.engine, "fetch_page", { url, extract_type: "structured" });
    expect(found).toMatchObject({
      url,
      final_url: `${opened.site.origin}/`,
      title: "Almanac",
      text: expect.stringContaining("tide"),
      language: "en",
    });
    const { links: some, headings } = found as { links: unknown[]; headings: { text: string }[] };
    expect(some).toHaveLength(20);
    expect(headings.map(({ text }) => text)).toContain("Code");
  });

  test("cuts long text and marks it", async () => {
    const found = await output(opened.engine, "fetch_page", { url: `${opened.site.origin}/`, max_length: 100 });
    expect(found).toMatchObject({ truncated: true });
    expect((found as { text: string }).text.length).toBeLessThanOrEqual(101);
  });

  test("returns an empty text for an empty page", async () => {
    expect(await output(opened.engine, "fetch_page", { url: `${opened.site.origin}/empty` })).toMatchObject({
      text: "",
    });
  });

  test.each([
    ["/missing", "execution_error", "http_status"],
    ["/picture", "execution_error", "unsupported_type"],
  ])("fails on %s with %s (%s)", async (path, code, reason) => {
    expect(await opened.engine.call("fetch_page", { url: opened.site.origin + path })).toMatchObject({
      success: false,
      error: { code, reason, retry: "never" },
    });
  });
});

describe("[A17] web_fetch", () => {
  test("returns a page as markdown with its title", async () => {
    const { engine, site: server } = await open(site);
    const url = `${server.origin}/`;
    expect(await output(engine, "web_fetch", { url })).toMatchObject({
      url,
      title: "Almanac",
      content: expect.stringContaining("## Code"),
    });
    expect(await output(engine, "webFetch", { url, format: "text" })).toMatchObject({
      content: expect.not.stringContaining("## Code"),
    });
  });

  test("reads memories", async () => {
    const memory = (address: string): Promise<{ title: string; text: string } | undefined> =>
      Promise.resolve(address === "memory:m1" ? { title: "Note", text: "Low water at six." } : undefined);
    const { engine } = await open(site, { resolvers: { memory } });
    expect(await output(engine, "web_fetch", { url: "memory:m1" })).toEqual({
      url: "memory:m1",
      title: "Note",
      content: "Low water at six.",
    });
    expect(await engine.call("web_fetch", { url: "memory:m2" })).toMatchObject({
      error: { code: "execution_error", reason: "unknown_address", retry: "never" },
    });
  });
});

describe("[A17] parallel_fetch", () => {
  test("returns one item per address in order, and their number", async () => {
    const { engine, site: server } = await open(site);
    const urls = ["/", "/missing", "/b"].map((path) => server.origin + path);
    const result = await engine.call("parallel_fetch", { urls });
    expect(result).toMatchObject({
      success: true,
      output: [
        { url: urls[0], title: "Almanac", content: expect.stringContaining("tide") },
        { url: urls[1], error: { code: "execution_error", reason: "http_status", retry: "never" } },
        { url: urls[2], title: "Almanac" },
      ],
      meta: { parallelCount: 3, failedCount: 1 },
    });
  });

  test("an empty list of addresses returns nothing", async () => {
    const { engine } = await open(site);
    expect(await output(engine, "parallel_fetch", { urls: [] })).toEqual([]);
  });

  test("fails if no page can be read, and lists the reasons", async () => {
    const { engine, site: server } = await open(site);
    const inside = Array.from({ length: 6 }, (_unused, index) => `http://10.0.0.${index}/`);
    const none = await engine.call("parallel_fetch", { urls: [`${server.origin}/missing`, ...inside] });
    expect(none).toMatchObject({ success: false, error: { reason: "no_page", retry: "never" } });
    const { message, forModel, issues = [] } = failureIn(none);
    expect(message).toMatch(/^none of the 7 pages could be read: http:.*404.*, and so on$/);
    expect(forModel).toMatch(/404[\s\S]*10\.0\.0\.1[\s\S]*and 2 more/);
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      [["urls", 0], "http_status"],
      ...inside.map((_url, index) => [["urls", index + 1], "ssrf_ip"]),
    ]);
  });
});

describe.each(["crawl_batch", "parallel_fetch"])("[D06] %s of which nothing can be read fails", (name) => {
  test("the failure gives the reason for each address", async () => {
    const { engine } = await open(site);
    const urls = ["not a url", "ftp://a.test/", "http://10.0.0.1/"];
    const result = await engine.call(name, { urls });
    expect(result).toMatchObject({
      success: false,
      error: { code: "execution_error", reason: "no_page", retry: "never" },
    });
    expect(failureIn(result).issues?.map(({ code }) => code)).toEqual(["bad_url", "bad_scheme", "ssrf_ip"]);
  });

  test("is retried if an immediate retry may help", async () => {
    let requested = 0;
    const { engine, site: server } = await open((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else if (++requested === 1) response.writeHead(502).end();
      else response.end("now");
    });
    expect(await engine.call(name, { urls: [`${server.origin}/`] })).toMatchObject({
      success: true,
      meta: { attempts: 2 },
    });
  });

  test.each<[string, SiteHandler]>([
    ["hangs", (request, response) => void (request.url === "/robots.txt" && response.writeHead(404).end())],
    ["fails for its robots.txt", (_request, response) => response.writeHead(503).end()],
    ["asks to be left alone", (_request, response) => response.writeHead(429, { "retry-after": "20" }).end()],
  ])("the call does not wait for a site that %s", async (_what, handler) => {
    const { engine, site: server } = await open(handler);
    const started = performance.now();
    const result = await engine.call(name, { urls: [`${server.origin}/`], timeout: 1 });
    expect(result).toMatchObject({
      success: false,
      error: { reason: "no_page", retry: "safe" },
      meta: { attempts: 1 },
    });
    expect(performance.now() - started).toBeLessThan(2500);
  });
});

describe.each(["fetch_page", "web_fetch"])("%s does not retry without a chance of success", (name) => {
  const drip: SiteHandler = (request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain" });
    const timer = setInterval(() => response.write("x"), 50);
    response.on("close", () => clearInterval(timer));
  };

  test.each<[string, SiteHandler, string]>([
    ["hangs", (request, response) => void (request.url === "/robots.txt" && response.writeHead(404).end()), "timeout"],
    ["drips", drip, "timeout"],
    ["has a robots.txt that hangs", () => {}, "robots_unreachable"],
    ["fails for its robots.txt", (_request, response) => response.writeHead(503).end(), "robots_unreachable"],
  ])("a site that %s is requested once", async (_what, handler, reason) => {
    const { engine, site: server } = await open(handler, { limits: { timeoutMs: 1000 } });
    const started = performance.now();
    const result = await engine.call(name, { url: `${server.origin}/` });
    // Another try may well help, but not within this call.
    expect(result).toMatchObject({ success: false, error: { reason, retry: "safe" }, meta: { attempts: 1 } });
    expect(performance.now() - started).toBeLessThan(2500);
  });
});

describe("a password in an address", () => {
  test("a password in a link is not passed on", async () => {
    const secret = `<title>T</title><article><p>See <a href="http://me:hunter2@b.test/x">this page</a> and
      <a href="//me:hunter2@c.test/">that one</a>. <img src="http://me:hunter2@d.test/i.png" alt="i"></p></article>`;
    const { engine, site: server } = await open((request, response) => {
      response.writeHead(request.url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end(secret);
    });
    const url = `${server.origin}/`;
    for (const extract_type of ["text", "markdown", "links", "structured"]) {
      expect(JSON.stringify(await output(engine, "fetch_page", { url, extract_type }))).not.toContain("hunter2");
    }
    expect(await output(engine, "fetch_page", { url, extract_type: "links" })).toMatchObject({
      links: [{ href: "http://b.test/x" }, { href: "http://c.test/" }],
    });
  });

  test("a password in the requested address is not repeated", async () => {
    const { engine, site: server } = await open(site);
    const urls = ["http://me:hunter2@a.test/", "http://me:hunter2@"];
    for (const name of ["crawl_batch", "parallel_fetch"]) {
      const some = await engine.call(name, { urls: [...urls, `${server.origin}/`] });
      const none = await engine.call(name, { urls });
      expect([some.success, none.success]).toEqual([true, false]);
      expect(JSON.stringify([some, none])).not.toContain("hunter2");
    }
    expect(JSON.stringify(await engine.call("fetch_page", { url: urls[0] }))).not.toContain("hunter2");
  });
});

describe("[D06] crawl_batch", () => {
  test("takes 50 addresses a call, or as many as configured", async () => {
    const urls = Array.from({ length: 51 }, (_unused, index) => `http://h${index}.test/`);
    const { engine } = await open(site);
    expect(await engine.call("crawl_batch", { urls })).toMatchObject({ error: { code: "validation_error" } });
    expect(await engine.call("parallel_fetch", { urls })).toMatchObject({ error: { code: "validation_error" } });
    const { engine: wider } = await open(site, { maxUrls: 51 });
    expect(await output(wider, "crawl_batch", { urls })).toMatchObject({ total: 51, fetched: 51, failed: 0 });
  });

  const kindOf = (index: number): "hang" | "fail" | "huge" | "page" => {
    if (index % 20 === 3) return "hang";
    if (index % 20 === 7) return "fail";
    return index % 100 === 50 ? "huge" : "page";
  };
  const reasons = { hang: "timeout", fail: "http_status", huge: "page_too_large" } as const;

  /** A site of which 5 % of the pages hang, 5 % fail and 1 % are oversized. */
  function mixedSite(hugeBytes: number): { handler: SiteHandler; hanging: ReadonlySet<unknown> } {
    const hanging = new Set<unknown>();
    const huge = Buffer.alloc(hugeBytes, "x");
    const handler: SiteHandler = (request, response) => {
      const index = Number(/^\/(\d+)$/.exec(request.url ?? "")?.[1] ?? -1);
      if (index < 0) return void response.writeHead(404).end();
      switch (kindOf(index)) {
        case "hang":
          hanging.add(response);
          return void response.on("close", () => hanging.delete(response));
        case "fail":
          return void response.writeHead(index % 40 === 7 ? 500 : 404).end();
        case "huge":
          return void response.writeHead(200, { "content-type": "text/html" }).end(huge);
        default:
          return void response
            .writeHead(200, { "content-type": "text/html" })
            .end(`<title>Page ${index}</title><p>Text of page ${index}.</p>`);
      }
    };
    return { handler, hanging };
  }

  interface Crawled {
    readonly pages: readonly { readonly url: string; readonly title: string }[];
    readonly errors: readonly { readonly url: string; readonly reason: string }[];
    readonly total: number;
  }

  function expectExactly(crawled: readonly Crawled[], urls: readonly string[]): void {
    const expected = urls.flatMap((url, index) => {
      const kind = kindOf(index);
      return kind === "page" ? [] : [{ url, reason: reasons[kind] }];
    });
    expect(expected).toHaveLength(55);
    expect(crawled.flatMap(({ errors }) => errors.map(({ url, reason }) => ({ url, reason })))).toEqual(expected);
    expect(crawled.flatMap(({ pages }) => pages.map(({ title }) => title))).toEqual(
      urls.flatMap((_url, index) => (kindOf(index) === "page" ? [`Page ${index}`] : [])),
    );
    expect(crawled.reduce((sum, { total }) => sum + total, 0)).toBe(500);
  }

  test("500 pages, 50 a call and each call one host, with 5 % hanging, 5 % failing and 1 % oversized, give exactly these errors, on time", async () => {
    const { handler, hanging } = mixedSite(5 * 2 ** 20 + 1);
    // Every setting is the usual one.
    const { engine, site: server } = await open(handler);
    const urls = Array.from({ length: 500 }, (_unused, index) => `http://h${Math.floor(index / 50)}.test/${index}`);
    const started = performance.now();
    const calls = Array.from({ length: 10 }, (_unused, index) =>
      output(engine, "crawl_batch", { urls: urls.slice(index * 50, index * 50 + 50) }),
    );
    const crawled = (await Promise.all(calls)) as Crawled[];
    expect(performance.now() - started).toBeLessThan(30_000);
    expectExactly(crawled, urls);
    // Hanging requests were aborted; idle keep-alive connections close by themselves.
    await expect.poll(() => hanging.size).toBe(0);
    await expect.poll(() => server.sockets.size, { timeout: 8000 }).toBe(0);
  }, 60_000);

  test("500 such pages of one host in one call give the same errors", async () => {
    const { handler, hanging } = mixedSite(300_000);
    // Less time than usual for everything; one page alone might take a quarter of it.
    const limits = { timeoutMs: 2000, deadlineMs: 8000, hostDelayMs: 2, maxBytes: 200_000 };
    const { engine, site: server } = await open(handler, { maxUrls: 500, limits });
    const urls = Array.from({ length: 500 }, (_unused, index) => `${server.origin}/${index}`);
    const started = performance.now();
    expectExactly([(await output(engine, "crawl_batch", { urls })) as Crawled], urls);
    expect(performance.now() - started).toBeLessThan(9000);
    await expect.poll(() => hanging.size).toBe(0);
  }, 30_000);

  test("limits its text so that the output stays within a call's limit", async () => {
    const long = "The tide comes twice a day, every day.\n".repeat(5000);
    const { engine } = await open((request, response) => {
      response.writeHead(request.url === "/robots.txt" ? 404 : 200, { "content-type": "text/plain" }).end(long);
    });
    const urls = Array.from({ length: 20 }, (_unused, index) => `http://h${index}.test/`);
    const found = (await output(engine, "crawl_batch", { urls, max_length: 500_000, format: "text" })) as {
      pages: { content: string; truncated?: boolean }[];
    };
    expect(found.pages).toHaveLength(20);
    expect(found.pages.every(({ content, truncated }) => truncated === true && content.length <= 100_001)).toBe(true);
  });
});

describe("[D06] examples and descriptions", () => {
  test("every example of every tool works", async () => {
    const { engine, tools } = await open(site);
    for (const tool of tools) {
      const { examples } = tool.input.json as { examples: unknown[] };
      expect(examples).not.toHaveLength(0);
      for (const example of examples)
        expect(await engine.call(tool.name, example)).toMatchObject({ success: true, tool: tool.name });
    }
  });

  test("every tool has the effect read, and describes itself and its parameters", async () => {
    const { tools } = await open(site);
    for (const tool of tools) {
      expect([tool.effect, tool.destructive, tool.category]).toEqual(["read", false, "crawler"]);
      const properties = tool.input.json["properties"] as Record<string, { description?: string }>;
      for (const { description } of Object.values(properties)) expect(description).toBeTruthy();
      expect(tool.output).toBeDefined();
    }
  });
});
