import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import {
  type LoopbackSite,
  type SiteHandler,
  allNamesLeadTo,
  loopbackOnly,
  loopbackSite,
} from "../../../test/support/loopback-site.ts";
import type { FailureError } from "../../base/index.ts";
import { type HttpClientOptions, createHttpClient } from "../../net/index.ts";
import { closeExtraction } from "../extract/index.ts";
import { type PageReader, type PageReaderOptions, createPageReader } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

type Routes = Record<string, string | SiteHandler>;

function answer(routes: Routes): SiteHandler {
  return (request, response) => {
    const found = routes[request.url ?? ""];
    if (found === undefined) response.writeHead(404).end();
    else if (typeof found === "string") response.writeHead(200, { "content-type": "text/html" }).end(found);
    else found(request, response);
  };
}

async function open(
  routes: Routes,
  options: Partial<PageReaderOptions> = {},
  http: HttpClientOptions = {},
): Promise<{ site: LoopbackSite; pages: PageReader }> {
  const site = await loopbackSite(answer(routes));
  const opened = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${site.port}`], ...http });
  closing.push(site.close, () => opened.close());
  return { site, pages: createPageReader({ http: opened, ...options }) };
}

const article = (text: string): string => `<title>T</title><article><h1>T</h1><p>${text}</p></article>`;

describe("[D07] one page", () => {
  test("is returned as it was sent, with its final address", async () => {
    const { site, pages } = await open({
      "/old": (_request, response) => response.writeHead(302, { location: "/new" }).end(),
      "/new": article("Tides come twice a day."),
    });
    const page = await pages.get(`${site.origin}/old#part`);
    expect(page).toMatchObject({
      url: `${site.origin}/old#part`,
      finalUrl: `${site.origin}/new`,
      status: 200,
      contentType: "text/html",
      truncated: false,
      fromCache: false,
    });
    expect(Buffer.from(page.body).toString()).toContain("twice a day");
  });

  test("is read with its title, text, markdown and links, in its own charset", async () => {
    const gbk = Buffer.concat([
      Buffer.from("<title>"),
      Buffer.from([0xc4, 0xe3, 0xba, 0xc3]),
      Buffer.from('</title><article><p>tide <a href="/b">b</a></p></article>'),
    ]);
    const { site, pages } = await open({
      "/": (_request, response) => response.writeHead(200, { "content-type": "text/html; charset=gbk" }).end(gbk),
    });
    const page = await pages.read(`${site.origin}/`);
    expect(page).toMatchObject({ title: "你好", charset: "gbk", links: [{ text: "b", url: `${site.origin}/b` }] });
    expect(page.text).toContain("tide");
  });

  test.each([
    [404, "never", "check the address"],
    [403, "never", "not public"],
    [500, "safe", "try again later"],
    [429, "safe", "too many requests"],
    [304, "never", "304"],
  ])("a status of %i is a failure", async (status, retry, words) => {
    const { site, pages } = await open({
      "/": (_request, response) => response.writeHead(status, { "retry-after": "7" }).end("no"),
    });
    const failure = await pages.get(`${site.origin}/`).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "execution_error", reason: "http_status" });
    const value = (failure as { toFailure(): { retry: string; retryAfterMs?: number; message: string } }).toFailure();
    expect(value.retry).toBe(retry);
    expect(value.retryAfterMs).toBe(retry === "safe" ? 7000 : undefined);
    expect(value.message).toContain(words);
  });

  test("a page that is larger than the limit is cut and marked", async () => {
    const { site, pages } = await open({ "/": "x".repeat(5000) });
    expect(await pages.get(`${site.origin}/`, { maxBytes: 100 })).toMatchObject({ truncated: true });
    expect((await pages.get(`${site.origin}/`, { maxBytes: 100 })).body).toHaveLength(100);
  });

  test("ends when its caller cancels, and leaves no connection", async () => {
    const controller = new AbortController();
    const { site, pages } = await open({ "/": () => controller.abort() }, { robots: "ignore" });
    await expect(pages.get(`${site.origin}/`, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect.poll(() => site.sockets.size).toBe(0);
  });

  test("a page that hangs ends at its own timeout", async () => {
    const { site, pages } = await open({ "/": () => {} });
    await expect(pages.get(`${site.origin}/`, { timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("addresses of local resolvers", () => {
  const memory = (address: string): Promise<{ title: string; text: string } | undefined> =>
    Promise.resolve(address === "memory:42" ? { title: "Tides\u202e", text: "# High water\n\nat noon" } : undefined);

  test("are resolved, and read like any page", async () => {
    const { pages } = await open({}, { resolvers: { memory } });
    const page = await pages.read("memory:42");
    expect(page).toMatchObject({ url: "memory:42", title: "Tides", kind: "markdown", truncated: false });
    expect(page.markdown).toContain("# High water");
    expect((await pages.getAll(["memory:42", "memory:1"])).map(({ failure }) => failure?.reason)).toEqual([
      undefined,
      "unknown_address",
    ]);
  });

  test("are unknown if nothing is stored under them", async () => {
    const { pages } = await open({}, { resolvers: { memory } });
    await expect(pages.read("memory:1")).rejects.toMatchObject({ reason: "unknown_address" });
  });

  test("addresses of an unknown scheme go to the HTTP client, which refuses them", async () => {
    const { pages } = await open({}, { resolvers: { memory } });
    await expect(pages.read("constructor:1")).rejects.toMatchObject({ reason: "bad_scheme" });
    await expect(pages.read("file:///etc/passwd")).rejects.toMatchObject({ reason: "bad_scheme" });
  });
});

describe("the cache", () => {
  const counting = (headers: Record<string, string>, seen: (string | undefined)[] = []): SiteHandler => {
    return (request, response) => {
      const requested = request.headers["if-none-match"] ?? request.headers["if-modified-since"];
      seen.push(requested);
      const same = requested !== undefined && (requested === headers["etag"] || requested === headers["last-modified"]);
      response.writeHead(same ? 304 : 200, { "content-type": "text/plain", ...headers }).end(same ? "" : "body");
    };
  };

  test.each([
    ["etag", '"v1"'],
    ["last-modified", "Sun, 01 Mar 2026 10:00:00 GMT"],
  ])("checks by %s whether a page changed", async (name, mark) => {
    const seen: (string | undefined)[] = [];
    const { site, pages } = await open({ "/": counting({ [name]: mark }, seen) }, { robots: "ignore" });
    const first = await pages.get(`${site.origin}/`);
    const second = await pages.get(`${site.origin}/#part`);
    expect([first.fromCache, second.fromCache]).toEqual([false, true]);
    expect(Buffer.from(second.body).toString()).toBe("body");
    expect(seen).toEqual([undefined, mark]);
  });

  test("sends no request while a page is fresh, and revalidates it afterwards", async () => {
    const clock = new FakeClock();
    const { site, pages } = await open(
      { "/": counting({ "cache-control": "public, max-age=60", age: "10", etag: "W/1" }) },
      { clock, robots: "ignore" },
    );
    await pages.get(`${site.origin}/`);
    clock.advance(49_000);
    expect((await pages.get(`${site.origin}/`)).fromCache).toBe(true);
    expect(site.paths).toHaveLength(1);
    clock.advance(2000);
    expect((await pages.get(`${site.origin}/`)).fromCache).toBe(true);
    expect(site.paths).toHaveLength(2);
    // The answer that nothing changed made it fresh again.
    clock.advance(40_000);
    await pages.get(`${site.origin}/`);
    expect(site.paths).toHaveLength(2);
  });

  test.each<[Record<string, string>, string]>([
    [{ "cache-control": "no-store, max-age=60", etag: '"1"' }, "no-store"],
    [{ "cache-control": "private, max-age=60", etag: '"1"' }, "private"],
    [{ "cache-control": "max-age=60", etag: '"1"', "set-cookie": "id=1" }, "a cookie"],
    [{ "cache-control": "max-age=60", vary: "*" }, "vary: *"],
    [{}, "no word about it"],
    [{ etag: "bad\u00e9\u00e9", expires: "0" }, "a mark that cannot be sent back"],
  ])("keeps nothing with %j (%s)", async (headers) => {
    const seen: (string | undefined)[] = [];
    const { site, pages } = await open({ "/": counting(headers, seen) }, { robots: "ignore" });
    await pages.get(`${site.origin}/`);
    expect((await pages.get(`${site.origin}/`)).fromCache).toBe(false);
    expect(seen).toEqual([undefined, undefined]);
  });

  test("does not take the mark of another page for an answer", async () => {
    let target = "/a";
    const marked = (body: string): SiteHandler => {
      return (request, response) => {
        const same = request.headers["if-none-match"] === '"1"';
        response.writeHead(same ? 304 : 200, { etag: '"1"', "cache-control": "max-age=60" }).end(same ? "" : body);
      };
    };
    const { site, pages } = await open(
      {
        "/now": (_request, response) => response.writeHead(302, { location: target }).end(),
        "/a": marked("a"),
        "/b": marked("b"),
      },
      { robots: "ignore" },
    );
    const read = async (): Promise<string> => Buffer.from((await pages.get(`${site.origin}/now`)).body).toString();
    expect([await read(), await read()]).toEqual(["a", "a"]);
    target = "/b";
    expect(await read()).toBe("b");
  });

  test("serves no page that a smaller limit would have cut", async () => {
    const { site, pages } = await open({ "/": counting({ "cache-control": "max-age=60" }) }, { robots: "ignore" });
    await pages.get(`${site.origin}/`);
    expect(await pages.get(`${site.origin}/`, { maxBytes: 2 })).toMatchObject({ truncated: true, fromCache: false });
  });
});

describe("robots.txt", () => {
  const rules = "User-agent: *\nDisallow: /private\n";

  test("is requested once per site and respected", async () => {
    const { site, pages } = await open({ "/robots.txt": rules, "/a": "a", "/private/b": "b" });
    await pages.get(`${site.origin}/a`);
    await expect(pages.get(`${site.origin}/private/b`)).rejects.toMatchObject({
      code: "permission_denied",
      reason: "robots_denied",
    });
    expect(site.paths).toEqual(["/robots.txt", "/a"]);
  });

  test("applies to the target of a redirect", async () => {
    const { site, pages } = await open({
      "/robots.txt": rules,
      "/a": (_request, response) => response.writeHead(302, { location: "/private/b" }).end(),
      "/private/b": "b",
    });
    await expect(pages.get(`${site.origin}/a`)).rejects.toMatchObject({ reason: "robots_denied" });
    expect(site.paths).toEqual(["/robots.txt", "/a"]);
  });

  test("applies to every host of a redirect, each checked before it is requested", async () => {
    const requested: string[] = [];
    const next: Record<string, string> = { "a.test": "http://b.test/x", "b.test": "http://c.test/x" };
    const site = await loopbackSite(({ headers: { host = "" }, url }, response) => {
      requested.push(`${host}${url}`);
      if (url === "/robots.txt") response.end(host === "c.test" ? "User-agent: *\nDisallow: /x\n" : "");
      else response.writeHead(302, { location: next[host] }).end();
    });
    const http = createHttpClient(allNamesLeadTo(site, ["*.test"]));
    closing.push(site.close, () => http.close());
    const pages = createPageReader({ http });
    await expect(pages.get("http://a.test/")).rejects.toMatchObject({
      reason: "robots_denied",
      message: expect.stringContaining("c.test") as string,
    });
    expect(requested).toEqual(["a.test/robots.txt", "a.test/", "b.test/robots.txt", "b.test/x", "c.test/robots.txt"]);
  });

  test("is ignored only by setting", async () => {
    const { site, pages } = await open({ "/robots.txt": rules, "/private/b": "b" }, { robots: "ignore" });
    await pages.get(`${site.origin}/private/b`);
    expect(site.paths).toEqual(["/private/b"]);
  });

  test("may name our user agent", async () => {
    const file = "User-agent: Almanac\nDisallow: /\n";
    const { site, pages } = await open({ "/robots.txt": file, "/": "a" }, { userAgent: "Almanac/2.0 (+mail)" });
    await expect(pages.get(`${site.origin}/`)).rejects.toMatchObject({ reason: "robots_denied" });
    expect(site.requests[0]?.headers["user-agent"]).toBe("Almanac/2.0 (+mail)");
  });

  test.each([404, 403, 410])("a robots.txt that answers %i allows everything", async (status) => {
    const { site, pages } = await open({
      "/robots.txt": (_request, response) => response.writeHead(status).end("Disallow: /"),
      "/": "a",
    });
    expect(await pages.get(`${site.origin}/`)).toMatchObject({ status: 200 });
  });

  test.each([500, 503, 429])("a robots.txt that answers %i allows nothing for now", async (status) => {
    const { site, pages } = await open({
      "/robots.txt": (_request, response) => response.writeHead(status).end(),
      "/": "a",
    });
    await expect(pages.get(`${site.origin}/`)).rejects.toMatchObject({
      code: "not_available",
      reason: "robots_unreachable",
    });
    expect(site.paths).toEqual(["/robots.txt"]);
  });

  test.each(["http://169.254.169.254/", "http://localhost/", "ftp://a.test/", "http://u:p@a.test/"])(
    "a robots.txt that redirects to %s, which is forbidden, cannot be read: nothing is allowed",
    async (location) => {
      const { site, pages } = await open({
        "/robots.txt": (_request, response) => response.writeHead(302, { location }).end(),
        "/": "a",
      });
      const failure = await pages.get(`${site.origin}/`).catch((error: unknown) => error as FailureError);
      expect(failure).toMatchObject({
        code: "not_available",
        reason: "robots_unreachable",
        message: expect.stringMatching(
          /robots\.txt of 127\.0\.0\.1:\d+ redirects to an address that may not be fetched/,
        ),
      });
      expect((failure as FailureError).toFailure().retry).toBe("never");
      expect(site.paths).not.toContain("/");
    },
  );

  test("a robots.txt behind a name that leads inside cannot be read", async () => {
    const site = await loopbackSite((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(301, { location: "http://inside.test/robots.txt" }).end();
      else response.end("a");
    });
    const http = createHttpClient({
      ...loopbackOnly,
      allow: [`127.0.0.1:${site.port}`],
      resolve: async () => ["10.0.0.1"],
    });
    closing.push(site.close, () => http.close());
    await expect(createPageReader({ http }).get(`${site.origin}/`)).rejects.toMatchObject({
      reason: "robots_unreachable",
    });
    expect(site.paths).not.toContain("/");
  });

  test("a robots.txt behind endless redirects counts as missing", async () => {
    const { site, pages } = await open({
      "/robots.txt": (_request, response) => response.writeHead(302, { location: "/robots.txt" }).end(),
      "/": "a",
    });
    expect(await pages.get(`${site.origin}/`)).toMatchObject({ status: 200 });
  });

  test("a robots.txt in an unknown content encoding cannot be read", async () => {
    const { site, pages } = await open({
      "/robots.txt": (_request, response) => response.writeHead(200, { "content-encoding": "x-own" }).end("x"),
      "/": "a",
    });
    await expect(pages.get(`${site.origin}/`)).rejects.toMatchObject({ reason: "robots_unreachable" });
  });

  test("is aborted when no caller waits for it any more, and requested once more later", async () => {
    const controller = new AbortController();
    let requested = 0;
    const { site, pages } = await open({
      "/robots.txt": (_request, response) => {
        if (++requested === 1) controller.abort();
        else response.writeHead(404).end();
      },
      "/": "a",
    });
    await expect(pages.get(`${site.origin}/`, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect.poll(() => site.sockets.size).toBe(0);
    expect(await pages.get(`${site.origin}/`)).toMatchObject({ status: 200 });
  });

  test("a dead host is the page's own failure", async () => {
    const { site, pages } = await open({});
    await site.close();
    await expect(pages.get(`${site.origin}/`)).rejects.toMatchObject({ reason: "connect_failed" });
  });
});

describe("[D07] many pages", () => {
  test("pages that hang do not use up the time of the others of their host", async () => {
    const kinds = Array.from({ length: 40 }, (_unused, index) => (index < 10 ? "hang" : "page"));
    const routes = Object.fromEntries(
      kinds.map((kind, index): [string, string | SiteHandler] => [`/${index}`, kind === "hang" ? () => {} : "x"]),
    );
    // One page alone may take as long as the whole batch: ten that hang would take five times that.
    const { site, pages } = await open(routes, { limits: { timeoutMs: 5000, deadlineMs: 5000, hostDelayMs: 5 } });
    const items = await pages.getAll(Object.keys(routes).map((path) => site.origin + path));
    expect(items.map(({ failure }) => failure?.reason)).toEqual(
      kinds.map((kind) => (kind === "hang" ? "timeout" : undefined)),
    );
    expect(items[0]?.failure?.message).toMatch(/its share of the time for all pages \(0\.\d s\); fetch it alone/);
  });

  test("a few pages get longer timeouts", async () => {
    const { site, pages } = await open(
      { "/": (_request, response) => void setTimeout(() => response.end("x"), 700) },
      { limits: { deadlineMs: 3000 } },
    );
    expect((await pages.getAll([`${site.origin}/`]))[0]?.page).toMatchObject({ status: 200 });
  });

  test("come in order, each there or with its reason", async () => {
    const { site, pages } = await open({ "/a": article("a"), "/b": article("b") });
    const urls = [`${site.origin}/b`, `${site.origin}/none`, "not a url", `${site.origin}/a`, `${site.origin}/b`];
    const items = await pages.readAll(urls);
    expect(items.map((item) => item.url)).toEqual(urls);
    expect(items.map((item) => item.page?.text.trim().at(-1) ?? item.failure?.reason)).toEqual([
      "b",
      "http_status",
      "bad_url",
      "a",
      "b",
    ]);
    expect(site.paths.filter((path) => path === "/b")).toHaveLength(1);
  });

  test("pages of one host come two at a time, with a pause between", async () => {
    let under = 0;
    let max = 0;
    const starts: number[] = [];
    const routes = Object.fromEntries(
      Array.from({ length: 6 }, (_unused, index): [string, SiteHandler] => [
        `/${index}`,
        (_request, response) => {
          max = Math.max(max, ++under);
          starts.push(performance.now());
          setTimeout(() => {
            under--;
            response.end("x");
          }, 60);
        },
      ]),
    );
    const { site, pages } = await open(routes, { limits: { hostDelayMs: 40 } });
    const items = await pages.getAll(Object.keys(routes).map((path) => site.origin + path));
    expect(items.every(({ page }) => page !== undefined)).toBe(true);
    expect(max).toBe(2);
    expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(5 * 40 - 20);
  });

  test("pages that are led to one host take turns there, and waiting for a turn is not their time", async () => {
    let under = 0;
    let max = 0;
    const site = await loopbackSite(({ headers: { host }, url = "" }, response) => {
      if (url === "/robots.txt") return void response.writeHead(404).end();
      if (host !== "target.test") return void response.writeHead(302, { location: `http://target.test${url}` }).end();
      max = Math.max(max, ++under);
      setTimeout(() => {
        under--;
        response.end("x");
      }, 100);
    });
    const http = createHttpClient(allNamesLeadTo(site, ["*.test"]));
    closing.push(site.close, () => http.close());
    // All twelve one after another, two at a time, take longer than one may.
    const pages = createPageReader({ http, limits: { hostDelayMs: 1, timeoutMs: 400 } });
    const items = await pages.getAll(Array.from({ length: 12 }, (_unused, at) => `http://short${at}.test/${at}`));
    expect(items.map(({ page, failure }) => page?.status ?? failure?.message)).toEqual(Array(12).fill(200));
    expect(max).toBe(2);
  });

  test("wait as long as the server requests, if that is short", async () => {
    let requested = 0;
    const { site, pages } = await open({
      "/busy": (_request, response) => {
        if (++requested === 1) response.writeHead(429, { "retry-after": "0.3" }).end();
        else response.end("now");
      },
      "/never": (_request, response) => response.writeHead(503, { "retry-after": "3600" }).end(),
      "/stubborn": (_request, response) => response.writeHead(429, { "retry-after": "0" }).end(),
    });
    const [busy, never, stubborn] = await pages.getAll(
      ["/busy", "/never", "/stubborn"].map((path) => site.origin + path),
    );
    expect(busy?.page).toMatchObject({ status: 200 });
    expect(never?.failure).toMatchObject({ reason: "http_status", retryAfterMs: 3_600_000, retry: "safe" });
    expect(stubborn?.failure).toMatchObject({ reason: "http_status" });
    expect(site.paths.filter((path) => path === "/stubborn")).toHaveLength(3);
  });

  test("respect the delay of robots.txt, within bounds", async () => {
    const starts: number[] = [];
    const note: SiteHandler = (_request, response) => {
      starts.push(performance.now());
      response.end("x");
    };
    const { site, pages } = await open(
      { "/robots.txt": "User-agent: *\nCrawl-delay: 9000", "/1": note, "/2": note },
      { limits: { maxWaitMs: 300, hostDelayMs: 0 } },
    );
    await pages.getAll([`${site.origin}/1`, `${site.origin}/2`, `${site.origin}/1#again`]);
    expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(250);
  });

  test("pages that are not read before the deadline are reported, and no connection stays open", async () => {
    let hanging = 0;
    const hang: SiteHandler = (_request, response) => {
      hanging++;
      response.on("close", () => hanging--);
    };
    const paths = ["/fast", "/1", "/2", "/3", "/4", "/5", "/6"];
    const slow = Object.fromEntries(paths.map((path) => [path, hang]));
    const { site, pages } = await open({ ...slow, "/robots.txt": "", "/fast": "x" });
    const started = performance.now();
    const items = await pages.getAll(
      paths.map((path) => site.origin + path),
      { deadlineMs: 500 },
    );
    expect(performance.now() - started).toBeLessThan(1500);
    expect(items.map(({ failure }) => failure?.code)).toEqual([
      undefined,
      ...Array.from({ length: 6 }, () => "timeout"),
    ]);
    // The last ones had no turn any more.
    expect(items.at(-1)?.failure).toMatchObject({ reason: "batch_timeout", retry: "safe" });
    await expect.poll(() => hanging).toBe(0);
  });

  test("are refused if they are too large, since a cut page would go unnoticed", async () => {
    const { site, pages } = await open({ "/": "x".repeat(5000) });
    const [item] = await pages.getAll([`${site.origin}/`], { maxBytes: 1000 });
    expect(item?.failure).toMatchObject({ reason: "page_too_large", retry: "never" });
  });

  test("end together when the caller cancels", async () => {
    const controller = new AbortController();
    const { site, pages } = await open({ "/robots.txt": "", "/": () => controller.abort() });
    const work = pages.getAll([`${site.origin}/`, `${site.origin}/2`], { signal: controller.signal });
    await expect(work).rejects.toMatchObject({ code: "cancelled", reason: "aborted" });
    await expect(pages.getAll([`${site.origin}/`], { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await pages.getAll([])).toEqual([]);
  });

  test("pages of a host that hangs do not keep the others waiting", async () => {
    const site = await loopbackSite((request, response) => {
      if (request.headers.host?.startsWith("slow") !== true) response.end("x");
    });
    const http = createHttpClient(allNamesLeadTo(site, ["*.test"]));
    closing.push(site.close, () => http.close());
    const pages = createPageReader({ http, robots: "ignore", limits: { concurrency: 3, hostDelayMs: 0 } });
    const slow = Array.from({ length: 10 }, (_unused, index) => `http://slow.test/${index}`);
    const fast = Array.from({ length: 10 }, (_unused, index) => `http://host${index}.test/`);
    const items = await pages.getAll([...slow, ...fast], { deadlineMs: 1500 });
    expect(items.slice(10).every(({ page }) => page !== undefined)).toBe(true);
    expect(items.slice(0, 10).every(({ failure }) => failure?.code === "timeout")).toBe(true);
  });
});
