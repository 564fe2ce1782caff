import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  type LoopbackSite,
  type SiteHandler,
  loopbackOnly,
  loopbackSite,
} from "../../../test/support/loopback-site.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import {
  type SearchProvider,
  type SearchResult,
  braveProvider,
  createCorpus,
  createSearch,
  duckduckgoProvider,
  mediawikiProvider,
  openProviders,
  searxngProvider,
} from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(handler: SiteHandler): Promise<{ site: LoopbackSite; http: HttpClient }> {
  const site = await loopbackSite(handler);
  const http = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${site.port}`] });
  closing.push(site.close, () => http.close());
  return { site, http };
}

const signal = new AbortController().signal;

function search(provider: SearchProvider, query = "tide tables", count = 3): Promise<readonly SearchResult[]> {
  return provider.search({ query, count, signal });
}

function json(value: unknown, status = 200, headers: Record<string, string> = {}): SiteHandler {
  return (_request, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** Each provider as it is reached on a loopback server. */
const makers: Record<string, (http: HttpClient, origin: string) => SearchProvider> = {
  searxng: (http, origin) => searxngProvider({ http, baseUrl: `${origin}/sub/` }),
  brave: (http, origin) => braveProvider({ http, apiKey: "k3y", baseUrl: origin }),
  mediawiki: (http, origin) => mediawikiProvider({ http, apiUrl: `${origin}/w/api.php` }),
  duckduckgo: (http, origin) => duckduckgoProvider({ http, enabled: true, baseUrl: origin }),
};

describe("SearXNG", () => {
  test("requests JSON and reads its results", async () => {
    const { site, http } = await serve(
      json({ query: "tide tables", results: [{ title: "T", url: "https://a.test/", content: "c", engine: "x" }] }),
    );
    expect(await search(makers["searxng"]!(http, site.origin))).toEqual([
      { title: "T", url: "https://a.test/", snippet: "c" },
    ]);
    expect(site.paths).toEqual(["/sub/search?q=tide+tables&format=json"]);
  });

  test("without JSON output fails with a hint what to change", async () => {
    const { site, http } = await serve((_request, response) => response.writeHead(403).end("<h1>Forbidden</h1>"));
    await expect(search(makers["searxng"]!(http, site.origin))).rejects.toMatchObject({
      reason: "provider_error",
      message: expect.stringContaining("search.formats"),
    });
  });

  test.each([
    [
      [
        ["google", "Suspended: CAPTCHA"],
        ["bing", "timeout"],
      ],
      "blocked",
      "(google: Suspended: CAPTCHA; bing: timeout)",
    ],
    [[["bing", "timeout"]], "provider_error", "(bing: timeout)"],
    [["bing\u202e\n", { a: 1 }, 7, null], "provider_error", '(bing; {"a":1}; 7; null)'],
    [Array.from({ length: 8 }, () => ["x", "too many requests"]), "blocked", "; 3 more)"],
  ])("no results while some engines failed (%j) is %s, not empty", async (engines, reason, words) => {
    const { site, http } = await serve(json({ results: [], unresponsive_engines: engines }));
    const failure = await search(makers["searxng"]!(http, site.origin)).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({
      reason,
      message: expect.stringContaining("found nothing, but some of its engines"),
    });
    expect((failure as Error).message).toContain(words);
  });

  test("returns the requested number of results even if it repeats some", async () => {
    const results = Array.from({ length: 60 }, (_unused, index) => ({
      title: "T",
      url: `https://a.test/${Math.floor(index / 6)}?utm_source=${index}`,
      content: "c",
    }));
    const { site, http } = await serve(json({ results }));
    const search = createSearch({ providers: [makers["searxng"]!(http, site.origin)] });
    expect((await search.search({ query: "x", count: 10 })).results).toHaveLength(10);
  });

  test("may find nothing", async () => {
    const { site, http } = await serve(json({ results: [], unresponsive_engines: [] }));
    expect(await search(makers["searxng"]!(http, site.origin))).toEqual([]);
  });
});

describe("Brave", () => {
  test("sends its key and reads the results", async () => {
    const { site, http } = await serve(
      json({ type: "search", web: { results: [{ title: "T", url: "https://a.test/", description: "d" }] } }),
    );
    expect(await search(makers["brave"]!(http, site.origin), "x".repeat(900), 99)).toEqual([
      { title: "T", url: "https://a.test/", snippet: "d" },
    ]);
    const url = new URL(site.paths[0]!, site.origin);
    expect([url.pathname, url.searchParams.get("count"), url.searchParams.get("q")?.length]).toEqual([
      "/res/v1/web/search",
      "20",
      400,
    ]);
    expect(site.requests[0]?.headers["x-subscription-token"]).toBe("k3y");
  });

  test("may find nothing", async () => {
    const { site, http } = await serve(json({ type: "search", query: { original: "x" } }));
    expect(await search(makers["brave"]!(http, site.origin))).toEqual([]);
  });

  test("reports an invalid key, and never shows it", async () => {
    const { site, http } = await serve(json({ error: { code: "SUBSCRIPTION_TOKEN_INVALID" } }, 422));
    await expect(search(makers["brave"]!(http, site.origin))).rejects.toMatchObject({
      reason: "bad_key",
      message: expect.not.stringContaining("k3y"),
    });
  });

  test("does not send its key to the target of a redirect", async () => {
    const { site: other } = await serve(json({ web: { results: [] } }));
    const first = await loopbackSite((_request, response) =>
      response.writeHead(302, { location: `${other.origin}/steal` }).end(),
    );
    const http = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${first.port}`, `127.0.0.1:${other.port}`] });
    closing.push(first.close, () => http.close());
    await search(makers["brave"]!(http, first.origin));
    expect(other.requests[0]?.headers).not.toHaveProperty("x-subscription-token");
  });
});

describe("MediaWiki", () => {
  const general = { server: "//wiki.test", articlepath: "/wiki/$1", sitename: "W" };

  test("uses the API and returns the addresses of its pages", async () => {
    const found = [
      { ns: 0, title: "Tide table", pageid: 1, snippet: 'A <span class="searchmatch">tide</span> table' },
      { ns: 4, title: "Help:Moon/C++ & $& more?", pageid: 2, snippet: "" },
    ];
    const { site, http } = await serve(json({ batchcomplete: true, query: { search: found, general } }));
    const results = await search(makers["mediawiki"]!(http, site.origin));
    expect(results.map(({ url }) => url)).toEqual([
      "http://wiki.test/wiki/Tide_table",
      "http://wiki.test/wiki/Help:Moon/C%2B%2B_%26_%24%26_more%3F",
    ]);
    expect(new URL(site.paths[0]!, site.origin).searchParams.get("srsearch")).toBe("tide tables");
  });

  test("falls back to the script path if it does not report where its pages are", async () => {
    const { site, http } = await serve(json({ query: { search: [{ title: "Tide table" }] } }));
    const [result] = await search(makers["mediawiki"]!(http, site.origin));
    expect(result?.url).toBe(`${site.origin}/w/index.php?title=Tide_table`);
  });

  test.each([
    ["ratelimited", "blocked"],
    ["maxlag", "blocked"],
    ["badvalue", "provider_error"],
  ])("the error %s is %s", async (code, reason) => {
    const { site, http } = await serve(json({ error: { code, info: "no" } }));
    await expect(search(makers["mediawiki"]!(http, site.origin))).rejects.toMatchObject({ reason });
  });
});

describe("DuckDuckGo", () => {
  const page = `<div class="results">
    <div class="result results_links"><h2 class="result__title">
      <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test%2Ftide%3Fx%3D1&amp;rut=abc">Tide <b>tables</b> &amp; more</a></h2>
      <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">When the <b>tide</b> comes.</a></div>
    <div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">Buy</a>
      <a class="result__snippet">Ad</a></div></div>`;
  const html = (text: string, status = 200): SiteHandler => {
    return (_request, response) => response.writeHead(status, { "content-type": "text/html" }).end(text);
  };

  test("is read without its redirects and advertisements", async () => {
    const { site, http } = await serve(html(page));
    expect(await search(makers["duckduckgo"]!(http, site.origin))).toEqual([
      { title: "Tide tables & more", url: "https://a.test/tide?x=1", snippet: "When the tide comes." },
    ]);
    expect(site.paths).toEqual(["/html/?q=tide+tables"]);
  });

  test.each([
    ["a captcha", html('<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>')],
    ["a captcha with its own status", html("<form>", 202)],
    ["403", html("", 403)],
    ["429", html("", 429)],
  ])("an answer with %s is blocked, not empty", async (_name, handler) => {
    const { site, http } = await serve(handler);
    await expect(search(makers["duckduckgo"]!(http, site.origin))).rejects.toMatchObject({
      code: "not_available",
      reason: "blocked",
    });
  });

  test("may find nothing, if the page confirms it", async () => {
    const { site, http } = await serve(html('<div class="no-results">No results.</div>'));
    expect(await search(makers["duckduckgo"]!(http, site.origin))).toEqual([]);
  });

  test("is used only if it is enabled", () => {
    const http = createHttpClient(loopbackOnly);
    expect(duckduckgoProvider({ http, enabled: false, missing: ["X"] }).configured()).toEqual({ missing: ["X"] });
  });
});

describe.each(Object.entries(makers))("hostile answers of %s", (_name, make) => {
  const raw = (text: string | Buffer, headers: Record<string, string> = {}, status = 200): SiteHandler => {
    return (_request, response) => response.writeHead(status, headers).end(text);
  };

  test.each<[string, SiteHandler, string]>([
    ["a page instead of an answer", raw("<html><body>Welcome</body></html>"), "bad_answer"],
    ["nothing", raw(""), "bad_answer"],
    ["half of an answer", raw('{"results":[{"title":"T"'), "bad_answer"],
    ["null", json(null), "bad_answer"],
    ["a number", json(7), "bad_answer"],
    ["lists where objects belong", json([[[]]]), "bad_answer"],
    ["texts where lists belong", json({ results: "x", web: "x", query: "x" }), "bad_answer"],
    ["ten megabytes", raw(`{"results":[${'"xxxxxxxxxxxxxxxxx",'.repeat(500_000)}1]}`), "bad_answer"],
    ["a deep answer", raw("[".repeat(100_000)), "bad_answer"],
    ["500", raw("oops", {}, 500), "provider_error"],
    ["400", raw("oops", {}, 400), "provider_error"],
    ["429", raw("", { "retry-after": "9" }, 429), "blocked"],
    ["a redirect inside", raw("", { location: "http://169.254.169.254/" }, 302), "ssrf_ip"],
    [
      "a redirect without end",
      (request, response) => response.writeHead(302, { location: request.url! }).end(),
      "provider_error",
    ],
    ["a broken connection", (request) => request.socket.destroy(), "provider_error"],
  ])("%s", async (_what, handler, reason) => {
    const { site, http } = await serve(handler);
    await expect(search(make(http, site.origin))).rejects.toMatchObject({ reason });
  });

  test("wrong types inside", async () => {
    const items = [null, 1, "x", [], { title: {}, url: 5, content: [], description: null }, { title: 3, url: {} }];
    const { site, http } = await serve(json({ results: items, web: { results: items }, query: { search: items } }));
    await expect(search(make(http, site.origin))).rejects.toMatchObject({ reason: "bad_answer" });
  });
});

describe("[D07] a corpus", () => {
  async function folder(files: Record<string, string>): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "windlass-corpus-"));
    closing.push(() => rm(path, { recursive: true }));
    await mkdir(join(path, "deep"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
    return path;
  }

  test("is searched without a network, and its addresses lead to its texts", async () => {
    const path = await folder({
      "tides.md": "# Tides of the North Sea\n\nHigh water comes twice a day.",
      "deep/月亮 1.md": "# 月亮\n\n潮汐由月亮引起。",
      "page.html": "<title>Harbour</title><article><p>The harbour master knows the tide.</p></article>",
      ".hidden.md": "# Hidden tide",
      "data.bin": "tide",
    });
    await symlink("/etc/passwd", join(path, "link.md"));
    const { provider, resolve } = createCorpus({ folder: path });
    expect((await search(provider, "high water", 5)).map(({ url, title }) => [url, title])).toEqual([
      ["corpus:tides.md", "Tides of the North Sea"],
    ]);
    const [moon] = await search(provider, "潮汐", 5);
    expect(moon).toMatchObject({ title: "月亮", snippet: expect.stringContaining("潮汐由月亮引起") });
    expect(await resolve(moon!.url)).toMatchObject({ title: "月亮", text: expect.stringContaining("月亮引起") });
    expect(await search(provider, "harbour master", 5)).toMatchObject([{ url: "corpus:page.html", title: "Harbour" }]);
    expect(await search(provider, "root", 5)).toEqual([]);
    expect(await search(provider, "Hidden", 5)).toEqual([]);
  });

  test.each(["corpus:../../etc/passwd", "corpus:none.md", "corpus:%ZZ", "corpus:", "corpus:/etc/passwd", "x"])(
    "has nothing under %s",
    async (address) => {
      const { resolve } = createCorpus({ folder: await folder({ "a.md": "a" }) });
      expect(await resolve(address)).toBeUndefined();
    },
  );

  test("a missing folder is reported, and found once it exists", async () => {
    const path = await folder({});
    const { provider } = createCorpus({ folder: join(path, "later") });
    await expect(search(provider, "tide")).rejects.toMatchObject({ reason: "provider_error" });
    await mkdir(join(path, "later"));
    await writeFile(join(path, "later", "a.md"), "# Tide");
    expect(await search(provider, "tide")).toHaveLength(1);
  });
});

describe("the settings", () => {
  const http = createHttpClient(loopbackOnly);

  test("without settings, every provider reports what it needs", () => {
    const { providers } = openProviders({ http, env: {} });
    expect(providers.map(({ name }) => name)).toEqual(["searxng", "brave", "mediawiki", "duckduckgo", "corpus"]);
    expect(providers.map((provider) => provider.configured())).toEqual(
      ["SEARXNG_URL", "BRAVE_API_KEY", "MEDIAWIKI_URL", "DUCKDUCKGO", "CORPUS"].map((name) => ({
        missing: [expect.stringContaining(`WINDLASS_${name}`)],
      })),
    );
  });

  test("settings of the file and of the environment apply, in the requested order", () => {
    const { providers } = openProviders({
      http,
      env: { WINDLASS_SEARXNG_URL: "http://127.0.0.1:1", WINDLASS_CORPUS: " " },
      file: { providers: ["corpus", "brave", "searxng"], brave_api_key: "BRAVE" },
      secret: (name) => (name === "BRAVE" ? "value" : undefined),
    });
    expect(providers.map((provider) => [provider.name, provider.configured() === true])).toEqual([
      ["corpus", false],
      ["brave", true],
      ["searxng", true],
    ]);
  });

  test.each(["not a url", "ftp://a.test"])("an invalid base URL such as %s is reported", async (baseUrl) => {
    await expect(search(searxngProvider({ http, baseUrl }))).rejects.toMatchObject({ reason: "not_configured" });
  });
});
