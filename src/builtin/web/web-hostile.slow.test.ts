import { readFileSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Readable, pipeline } from "node:stream";
import { constants, createBrotliCompress, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type SiteHandler, loopbackOnly, loopbackSite } from "../../../test/support/loopback-site.ts";
import { type ChainSpec, runChain } from "../../chain/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { type HttpClientOptions, createHttpClient } from "../../net/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import { echoTool } from "../echo-tool.ts";
import { closeExtraction } from "../extract/index.ts";
import {
  type PageReaderOptions,
  crawlBatchTool,
  createPageReader,
  fetchPageTool,
  parallelFetchTool,
  webFetchTool,
} from "./index.ts";

interface Row<Input> {
  readonly area: string;
  readonly input: Input;
  readonly expected: string;
}

const rows = JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row<unknown>[];

function rowsOf<Input>(area: string): [string, Row<Input>][] {
  const found = rows.filter((row) => row.area === area) as Row<Input>[];
  if (found.length === 0) throw new Error(`no rows of ${area}`);
  return found.map((row) => [JSON.stringify(row.input).slice(0, 80), row]);
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

function open(http: HttpClientOptions = {}, options: Partial<PageReaderOptions> = {}): Engine {
  const opened = createHttpClient({ ...loopbackOnly, timeoutMs: 5000, connectTimeoutMs: 500, ...http });
  const pages = createPageReader({ http: opened, ...options });
  const tools = [
    fetchPageTool({ pages }),
    webFetchTool({ pages }),
    crawlBatchTool({ pages }),
    parallelFetchTool({ pages }),
  ];
  const engine = createEngine({ tools: [...tools, echoTool] });
  closing.push(
    () => opened.close(),
    () => engine.close(),
  );
  return engine;
}

const single = ["fetch_page", "web_fetch"];

function call(engine: Engine, name: string, args: unknown): Promise<ToolResult> {
  return engine.call(name, args, { maxRetries: 0 });
}

/** The outcome of each of the four tools for one address: the reason of its failure, or `ok`. */
async function outcomes(engine: Engine, url: string): Promise<string[]> {
  const results = await Promise.all(single.map((name) => call(engine, name, { url })));
  const reasons = results.map((result) => (result.success ? "ok" : (result.error.reason ?? result.error.code)));
  const batches = await Promise.all(
    ["crawl_batch", "parallel_fetch"].map((name) => call(engine, name, { urls: [url] })),
  );
  return [...reasons, ...batches.map(reasonOfOne)];
}

/** Why the only page of a batch is missing, or `ok`. */
function reasonOfOne(result: ToolResult): string {
  if (result.success) return "ok";
  return result.error.reason === "no_page" ? (result.error.issues?.[0]?.code ?? "") : "another failure";
}

/** A listener on every local address that counts connections. */
let connections = 0;
let port = 0;
const listener = createTcpServer((socket) => {
  connections++;
  socket.destroy();
});

beforeAll(async () => {
  const bound = (host: string): Promise<boolean> =>
    new Promise((resolve) => {
      listener.once("error", () => resolve(false)).listen(0, host, () => resolve(true));
    });
  if (!(await bound("::"))) await bound("0.0.0.0");
  port = (listener.address() as AddressInfo).port;
});

afterAll(() => {
  listener.close();
});

describe("[D06] addresses that lead inside are refused by every tool, and nothing reaches them", () => {
  test.each(rowsOf<string>("ssrf-url"))("%s", async (_name, { input, expected }) => {
    const reason = expected.replace("refuse:", "");
    const engine = open();
    for (const url of [input, input.replace(/^(http:\/\/[^/]*)/, `$1:${port}`)]) {
      expect(await outcomes(engine, url)).toEqual([reason, reason, reason, reason]);
    }
    expect(connections).toBe(0);
  });

  test("an address with a password does not make its site forget its robots.txt", async () => {
    const site = await loopbackSite((request, response) => {
      response.end(request.url === "/robots.txt" ? "User-agent: *\nDisallow: /" : "x");
    });
    closing.push(site.close);
    const engine = open({ allow: [`127.0.0.1:${site.port}`] });
    const secret = await call(engine, "web_fetch", { url: `http://u:p@127.0.0.1:${site.port}/` });
    expect(secret).toMatchObject({ error: { reason: "url_credentials" } });
    expect(site.paths).toEqual([]);
    expect(await call(engine, "web_fetch", { url: `${site.origin}/` })).toMatchObject({
      error: { reason: "robots_denied" },
    });
  });
});

interface DnsInput {
  readonly host: string;
  readonly answers: readonly (readonly string[])[];
}

describe("names that lead inside are refused by every tool", () => {
  test.each(rowsOf<DnsInput>("ssrf-dns"))("%s", async (_name, { input, expected }) => {
    let requested = 0;
    const engine = open({
      resolve: () => Promise.resolve(input.answers[Math.min(requested++, input.answers.length - 1)] ?? []),
      dial: () => {
        throw Object.assign(new Error("nobody is there"), { code: "ECONNREFUSED" });
      },
    });
    const [first, ...later] = await outcomes(engine, `http://${input.host}:${port}/`);
    // If the first answer is public, the connection goes there and fails; every other answer is refused.
    expect(first).toBe(expected.startsWith("refuse:ssrf_dns") ? "ssrf_dns" : "connect_failed");
    expect(later.every((reason) => /^(?:ssrf_dns|connect_failed)$/.test(reason))).toBe(true);
    expect(connections).toBe(0);
  });
});

interface RedirectInput {
  readonly status: number;
  readonly location: string;
}

describe("redirects inside are refused by every tool", () => {
  test.each(rowsOf<RedirectInput>("ssrf-redirect"))("%s", async (_name, { input, expected }) => {
    const second = await loopbackSite((_request, response) => response.end("arrived"));
    const location = input.location
      .replace(" (self)", "")
      .replace("PORT", String(port))
      .replace("http://B/", `http://b.test:${second.port}/`);
    const first = await loopbackSite((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else response.writeHead(input.status, { location }).end();
    });
    closing.push(second.close, first.close);
    const engine = open({
      resolve: () => Promise.resolve(["127.0.0.1"]),
      allow: [`a.test:${first.port}`, `b.test:${second.port}`],
    });
    const found = await outcomes(engine, `http://a.test:${first.port}/`);
    const arrives = expected.startsWith("B receives neither");
    const reason = arrives ? "ok" : /refuse:(\w+)/.exec(expected)?.[1];
    expect(found).toEqual([reason, reason, reason, reason]);
    expect(second.requests.filter(({ headers }) => "authorization" in headers || "cookie" in headers)).toEqual([]);
    expect(connections).toBe(0);
  });
});

describe("callers cannot set headers of a request", () => {
  test.each(rowsOf<{ headers: Record<string, string> }>("http-headers"))("%s", async (_name, { input }) => {
    const site = await loopbackSite((_request, response) => response.end("x"));
    closing.push(site.close);
    const engine = open({ allow: [`127.0.0.1:${site.port}`] });
    for (const name of single) await call(engine, name, { url: `${site.origin}/`, ...input });
    await call(engine, "crawl_batch", { urls: [`${site.origin}/`], ...input });
    for (const { headers } of site.requests) {
      expect(headers).not.toHaveProperty("x-a");
      expect(headers).not.toHaveProperty("x-injected");
      expect(headers.host).toBe(`127.0.0.1:${site.port}`);
    }
  });
});

interface LimitInput {
  readonly status?: number;
  readonly chunkedBytes?: number;
  readonly dripEveryMs?: number;
  readonly encoding?: string;
  readonly decodedBytes?: number;
  readonly never?: string;
}

function answerLimits(input: LimitInput): SiteHandler {
  return (request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    if (input.never !== undefined) return;
    const coding = input.encoding === undefined ? {} : { "content-encoding": input.encoding };
    response.writeHead(input.status ?? 200, { "content-type": "text/plain", ...coding });
    if (input.chunkedBytes !== undefined) pipeline(spaces(input.chunkedBytes), response, () => {});
    else if (input.decodedBytes !== undefined) {
      const fast = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
      pipeline(spaces(input.decodedBytes), fast, response, () => {});
    } else if (input.dripEveryMs !== undefined) {
      const timer = setInterval(() => response.write("x"), input.dripEveryMs);
      response.on("close", () => clearInterval(timer));
    } else response.end(input.encoding === undefined ? "" : gzipSync("body"));
  };
}

function spaces(bytes: number): Readable {
  const chunk = Buffer.alloc(65_536, "tide ");
  return Readable.from(
    (function* () {
      for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
    })(),
  );
}

describe("responses without measure end at the limits of every tool", () => {
  test.each(rowsOf<LimitInput>("http-limits"))("%s", async (_name, { input, expected }) => {
    const site = await loopbackSite(answerLimits(input));
    closing.push(site.close);
    const limits = { maxBytes: 2 ** 20, timeoutMs: expected.includes("timeout") ? 700 : 10_000 };
    const engine = open({ allow: [`127.0.0.1:${site.port}`] }, { limits });
    const url = `${site.origin}/`;
    const started = performance.now();
    const page = await call(engine, "fetch_page", { url, max_length: 500_000 });
    expect(performance.now() - started).toBeLessThan(6000);
    const reason = /refuse:(\w+)/.exec(expected)?.[1];
    const cut = expected.startsWith("truncated");
    const output = cut ? { truncated: true } : { text: "" };
    expect(page).toMatchObject(
      reason === undefined ? { success: true, output } : { success: false, error: { reason } },
    );
    const crawled = await call(engine, "crawl_batch", { urls: [url] });
    expect(reasonOfOne(crawled)).toBe(reason ?? (cut ? "page_too_large" : "ok"));
  });
});

describe("[A17] the content of a page is data", () => {
  const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

  test.each(rowsOf<string>("tool-output"))("%s", async (_name, { input }) => {
    const site = await loopbackSite((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else if (request.url === "/plain") response.writeHead(200, { "content-type": "text/plain" }).end(input);
      else {
        const text = escape(`${input} Tides come twice a day.`);
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<title>${escape(input)}</title><article><p>${text}</p></article>`);
      }
    });
    closing.push(site.close);
    const engine = open({ allow: [`127.0.0.1:${site.port}`] });
    const plain = await call(engine, "web_fetch", { url: `${site.origin}/plain`, format: "text" });
    expect(plain).toMatchObject({ success: true, output: { content: input } });
    const html = await call(engine, "fetch_page", { url: `${site.origin}/` });
    expect(html).toMatchObject({ success: true, output: { title: input, text: expect.stringContaining(input) } });
    // It passes through a chain as it is: neither a template, nor a call, nor an address to fetch.
    const chain: ChainSpec = {
      name: "pass-on",
      steps: [
        { id: "fetch", tool: "web_fetch", params: { url: `${site.origin}/plain`, format: "text" } },
        { id: "say", tool: "echo", params: { message: "${steps.fetch.output.content}" } },
      ],
      output: { answer: "${steps.say.output}" },
    };
    const result = await runChain(chain, { engine });
    expect(JSON.stringify(result.output)).toContain(JSON.stringify(input).slice(1, -1));
    expect(new Set(site.paths)).toEqual(new Set(["/robots.txt", "/plain", "/"]));
    const { records } = await engine.records.query({});
    expect(new Set(records.map(({ tool }) => tool))).toEqual(new Set(["web_fetch", "fetch_page", "echo"]));
  });

  test("hidden characters and scripts do not come through", async () => {
    const site = await loopbackSite((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(
        "<title>T\u202e</title><article><p>a\u200bb\u{e0041} tide<script>evil()</script> comes</p></article>",
      );
    });
    closing.push(site.close);
    const engine = open({ allow: [`127.0.0.1:${site.port}`] });
    expect(await call(engine, "web_fetch", { url: `${site.origin}/` })).toMatchObject({
      output: { title: "T", content: expect.stringMatching(/^ab tide\s+comes$/) },
    });
  });
});

// Last, since it makes the listener count.
test("the listener would have noticed: an open address reaches it", async () => {
  const engine = open({ allow: [`127.0.0.1:${port}`] });
  await call(engine, "web_fetch", { url: `http://127.0.0.1:${port}/` });
  expect(connections).toBeGreaterThan(0);
});
