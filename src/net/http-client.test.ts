import { execFile } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, type Server, Socket, createServer as createTcpServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect, promisify } from "node:util";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Failure, isFailureError } from "../base/index.ts";
import { type HttpClient, type HttpClientOptions, type HttpRequest, createHttpClient, netReasons } from "./index.ts";
import { isExpectedPeer } from "./resolve-target.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const patience = { timeout: 10_000, interval: 5 };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Site {
  readonly port: number;
  readonly url: string;
  readonly http: HttpClient;
  /** Connections so far. */
  readonly sockets: Socket[];
}

async function listening(server: Server): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

async function site(handler: Handler | Server, options: HttpClientOptions = {}): Promise<Site> {
  const { port, sockets } = await listening(typeof handler === "function" ? createServer(handler) : handler);
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`], timeoutMs: 5000, ...options });
  closing.push(() => http.close());
  return { port, url: `http://127.0.0.1:${port}/`, http, sockets };
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    if (isFailureError(error)) return error.toFailure();
    throw error;
  }
  throw new Error("nothing failed");
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

describe("a request", () => {
  test("[B07] is sent as requested and received completely", async () => {
    const { http, url } = await site((request, response) => {
      const { method, headers } = request;
      request.once("data", (body) => {
        response.setHeader("set-cookie", ["a=1", "b=2"]).setHeader("vary", ["x", "y"]).writeHead(201);
        response.end(JSON.stringify({ method, url: request.url, headers, body: String(body) }));
      });
    });
    const answer = await http.request({
      url: `${url}a%20b?q=1#f`,
      method: "post",
      body: "你好",
      headers: { "X-A": "1" },
    });
    expect(answer).toMatchObject({ status: 201, truncated: false, url: `${url}a%20b?q=1#f` });
    expect(answer.headers).toMatchObject({ "set-cookie": ["a=1", "b=2"], vary: "x, y" });
    expect(JSON.parse(textOf(answer.body))).toMatchObject({
      method: "POST",
      url: "/a%20b?q=1",
      body: "你好",
      headers: { "x-a": "1", "content-length": "6", accept: "*/*", "user-agent": "windlass", host: url.slice(7, -1) },
    });
  });

  test("may bring its own user agent, accept and accept-encoding", async () => {
    const { http, url } = await site((request, response) => response.end(JSON.stringify(request.headers)));
    const headers = { "User-Agent": "me", Accept: "text/plain", "Accept-Encoding": "identity" };
    expect(JSON.parse(textOf((await http.request({ url, headers })).body))).toMatchObject({
      "user-agent": "me",
      accept: "text/plain",
      "accept-encoding": "identity",
    });
  });

  test.each(["HEAD", "OPTIONS", "DELETE", "GET"])("%s works without a body", async (method) => {
    const { http, url } = await site((request, response) => {
      response.writeHead(200, { "x-method": request.method, "content-encoding": "gzip" }).end();
    });
    const { headers, body } = await http.request({ url, method });
    expect(headers["x-method"]).toBe(method);
    expect(body).toHaveLength(0);
  });

  test("keeps no cookies", async () => {
    const seen: (string | undefined)[] = [];
    const { http, url } = await site((request, response) => {
      seen.push(request.headers.cookie);
      response.writeHead(200, { "set-cookie": "session=1" }).end();
    });
    await http.request({ url });
    await http.request({ url });
    expect(seen).toEqual([undefined, undefined]);
  });

  test("survives response headers named like parts of an object", async () => {
    const { http, url } = await site((_request, response) => {
      response.setHeader("constructor", "a").setHeader("__proto__", ["b", "c"]).end();
    });
    const { headers } = await http.request({ url });
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    expect(headers["constructor"]).toBe("a");
  });

  test.each(["CONNECT", "TRACE", "TRACK", "", "GE T", "GET\r\n", "方法"])(
    "the method %j is refused",
    async (method) => {
      const { http, url, sockets } = await site((_request, response) => response.end());
      expect(await failureOf(http.request({ url, method }))).toMatchObject({
        code: "validation_error",
        reason: "bad_method",
      });
      expect(sockets).toHaveLength(0);
    },
  );

  test("follows redirects and returns the final URL", async () => {
    const { http, url } = await site((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < 5) response.writeHead(302, { location: `/${step + 1}` }).end("ignored");
      else response.end("there");
    });
    const { body, url: end } = await http.request({ url: `${url}0` });
    expect([textOf(body), end]).toEqual(["there", `${url}5`]);
    expect(await failureOf(http.request({ url: `${url}0`, maxRedirects: 4 }))).toMatchObject({
      code: "execution_error",
      reason: "too_many_redirects",
      retry: "never",
    });
  });

  test("gives another origin neither the body nor headers of the caller's own", async () => {
    const seen: unknown[] = [];
    const other = await site((request, response) => {
      seen.push([request.method, request.headers]);
      response.end("there");
    });
    const { port, url } = await site((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { location: other.url }).end();
    });
    const http = createHttpClient({ allow: [`127.0.0.1:${port}`, `127.0.0.1:${other.port}`] });
    closing.push(() => http.close());
    const requested = { method: "POST", headers: { "x-company": "k" }, body: "secret" };
    expect(await failureOf(http.request({ ...requested, url: `${url}307` }))).toMatchObject({
      code: "execution_error",
      reason: "cross_origin_body",
      retry: "never",
    });
    expect(other.sockets).toHaveLength(0);
    expect(textOf((await http.request({ ...requested, url: `${url}303` })).body)).toBe("there");
    expect(seen).toEqual([["GET", expect.not.objectContaining({ "x-company": "k" })]]);
  });

  test("runs a hundred times at once", async () => {
    const { http, url, sockets } = await site((request, response) => response.end(request.url));
    const paths = Array.from({ length: 100 }, (_, i) => `p${i}`);
    const answers = await Promise.all(paths.map((path) => http.request({ url: url + path })));
    expect(answers.map(({ body }) => textOf(body))).toEqual(paths.map((path) => `/${path}`));
    expect(sockets.length).toBeLessThanOrEqual(32);
  });

  test("reuses connections", async () => {
    const { http, url, sockets } = await site((_request, response) => response.end("x"));
    for (let i = 0; i < 20; i++) await http.request({ url });
    // A second one is opened if a request arrives just before the first is free again.
    expect(sockets.length).toBeLessThanOrEqual(2);
  });
});

describe("policy", () => {
  test("a rejection explains how to open the address, to people only", async () => {
    const { http } = await site((_request, response) => response.end());
    const failure = await failureOf(http.request({ url: "http://10.1.2.3:8080/" }));
    expect(failure).toMatchObject({ code: "permission_denied", reason: "ssrf_ip", retry: "never" });
    expect(failure.message).toContain('add "10.1.2.3:8080" to network.allow in windlass.yaml');
    expect(failure.forModel).not.toContain("network.allow");
    const { message } = await failureOf(http.request({ url: "https://[fd00::1]/" }));
    expect(message).toContain('add "[fd00::1]:443"');
  });

  test("an allowed port does not open other ports of the same address", async () => {
    const other = await site((_request, response) => response.end());
    const { http } = await site((_request, response) => response.end());
    expect((await failureOf(http.request({ url: other.url }))).reason).toBe("ssrf_ip");
    expect(other.sockets).toHaveLength(0);
  });

  test("a name needs its own entry, or one for the address it resolves to", async () => {
    const { port, url } = await site((_request, response) => response.end("in"));
    const request = async (host: string, allow: string[]): Promise<string | undefined> => {
      const http = createHttpClient({ allow, resolve: () => Promise.resolve(["127.0.0.1"]) });
      closing.push(() => http.close());
      try {
        return textOf((await http.request({ url: url.replace("127.0.0.1", host) })).body);
      } catch (error) {
        return (error as { reason?: string }).reason;
      }
    };
    expect(await request("intranet.example", [])).toBe("ssrf_dns");
    expect(await request("intranet.example", ["intranet.example"])).toBe("in");
    expect(await request("intranet.example", [`*.example:${port}`])).toBe("in");
    expect(await request("intranet.example", [`127.0.0.0/8:${port}`])).toBe("in");
    expect(await request("intranet.example", ["127.0.0.0/8:1"])).toBe("ssrf_dns");
    expect(await request("intranet.example.", [`intranet.example:${port}`])).toBe("in");
    expect(await request("intranet", [`127.0.0.1:${port}`])).toBe("bad_host");
    expect(await request("intranet", [`intranet:${port}`])).toBe("in");
    expect(await request("localhost", [`localhost:${port}`])).toBe("in");
  });

  test.each([22, 25, 53, 110, 6379, 11_211])(
    "port %i is closed even on public hosts, unless it is named",
    async (port) => {
      const resolve = (): Promise<never> => Promise.reject(new Error("offline"));
      const url = `http://public.test:${port}/`;
      const reason = async (allow: string[]): Promise<string | undefined> =>
        (await failureOf(createHttpClient({ allow, resolve }).request({ url }))).reason;
      expect(await reason([])).toBe("bad_port");
      expect(await reason(["public.test"])).toBe("bad_port");
      expect(await reason([`public.test:${port}`])).toBe("dns_failed");
    },
  );

  test.each([8080, 8443, 3000, 9200])("port %i of public hosts is open", async (port) => {
    const http = createHttpClient({ resolve: () => Promise.resolve([]) });
    expect((await failureOf(http.request({ url: `http://public.test:${port}/` }))).reason).toBe("dns_failed");
  });

  test("credentials in a URL appear in no part of the failure", async () => {
    const { http } = await site((_request, response) => response.end());
    for (const url of [
      "http://me:hunter2@a.test/",
      "http://me:hunter2@127.0.0.1/",
      "http://me:hunter2@[/",
      "hunter2",
    ]) {
      const error: unknown = await http.request({ url }).catch((thrown: unknown) => thrown);
      expect(isFailureError(error)).toBe(true);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("hunter2");
      expect(JSON.stringify(await failureOf(http.request({ url })))).not.toContain("hunter2");
    }
  });

  test("an unchecked peer is not an expected peer", () => {
    const checked = [
      { address: "93.184.216.34", family: 4 as const },
      { address: "2606:4700::1", family: 6 as const },
    ];
    expect(isExpectedPeer("93.184.216.34", checked)).toBe(true);
    expect(isExpectedPeer("2606:4700:0:0:0:0:0:1", checked)).toBe(true);
    for (const peer of ["127.0.0.1", "::ffff:93.184.216.34", "", undefined])
      expect(isExpectedPeer(peer, checked)).toBe(false);
  });

  test("a connection that ends up elsewhere is closed before a byte is sent", async () => {
    let requests = 0;
    const { http, url, sockets } = await site((_request, response) => (requests++, response.end()));
    // The function behind `remoteAddress`; no real network can be made to lie about it.
    const system = Socket.prototype as unknown as { _getpeername(): { address: string } };
    const elsewhere = vi.spyOn(system, "_getpeername").mockReturnValue({ address: "10.0.0.9" });
    closing.push(() => elsewhere.mockRestore());
    expect(await failureOf(http.request({ url }))).toMatchObject({ code: "permission_denied", reason: "ssrf_peer" });
    await expect.poll(() => sockets[0]?.destroyed, patience).toBe(true);
    expect([requests, sockets[0]?.bytesRead]).toEqual([0, 0]);
  });

  test("any text as a URL gives a failure with a known reason, or a request", async () => {
    const http = createHttpClient({ resolve: () => Promise.reject(new Error("offline")) });
    const texts = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `http://${text}`),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.string({ unit: "binary" }), async (url, value) => {
        const { reason = "" } = await failureOf(http.request({ url, headers: { "x-a": value } }));
        expect(netReasons).toHaveProperty(reason);
      }),
      { seed: 3, numRuns: 500 },
    );
    await http.close();
  });
});

describe("bodies", () => {
  const text = "长文本 ".repeat(1000);

  test.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZIP", gzipSync(text)],
    ["identity, gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["identity", Buffer.from(text)],
  ])("%s is decoded", async (encoding, body) => {
    const { http, url } = await site((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    expect(textOf((await http.request({ url })).body)).toBe(text);
  });

  test.each([
    ["gzip", "plain text"],
    ["gzip", gzipSync(text).subarray(0, 30)],
    ["br", brotliCompressSync(text).subarray(0, 20)],
    ["br", "plain text"],
    ["zstd", "plain text"],
    ["deflate", "\x78plain text"],
    ["deflate", "\xff\xff"],
    ["gzip, br", gzipSync(text)],
    ["compress", "x"],
  ])("%s with a wrong body is refused", async (encoding, body) => {
    const { http, url } = await site((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    expect(await failureOf(http.request({ url }))).toMatchObject({
      code: "execution_error",
      reason: "bad_encoding",
      retry: "never",
    });
  });

  test("two content-encoding headers count as stacked", async () => {
    const { http, url } = await site((_request, response) => {
      response.setHeader("content-encoding", ["gzip", "gzip"]).end(gzipSync(gzipSync(text)));
    });
    expect((await failureOf(http.request({ url }))).reason).toBe("bad_encoding");
  });

  test("a zstd frame that requires a huge window is rejected", async () => {
    // Magic number, descriptor, window descriptor for 2^27 bytes, one raw block.
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x09, 0x00, 0x00, 0x61]);
    const { http, url } = await site((_request, response) => {
      response.writeHead(200, { "content-encoding": "zstd" }).end(frame);
    });
    expect((await failureOf(http.request({ url }))).reason).toBe("bad_encoding");
  });

  test("compressed data that unpacks to nothing ends at the wire limit", async () => {
    const nothing = gzipSync("");
    const { http, url } = await site((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      for (let i = 0; i < 10_000 && !response.destroyed; i++) response.write(nothing);
      response.end();
    });
    expect(await failureOf(http.request({ url, maxBytes: 1000 }))).toMatchObject({
      code: "execution_error",
      reason: "too_large",
    });
  });

  test.each([
    [9, true],
    [10, false],
    [11, false],
  ])("a body of ten bytes under a limit of %i is truncated: %s", async (maxBytes, truncated) => {
    const { http, url } = await site((_request, response) => response.end("0123456789"));
    const answer = await http.request({ url, maxBytes });
    expect([answer.truncated, textOf(answer.body)]).toEqual([truncated, "0123456789".slice(0, maxBytes)]);
  });

  test("a truncated body's connection is closed, not read to its end", async () => {
    const closed = Promise.withResolvers<void>();
    const { http, url } = await site((_request, response) => {
      response.on("close", () => closed.resolve());
      const more = (): void => void response.write(Buffer.alloc(65_536), more);
      more();
    });
    await http.request({ url, maxBytes: 1000 });
    await expect(closed.promise).resolves.toBeUndefined();
  });
});

describe("failures of the exchange", () => {
  test("if the connection is refused, a retry is safe for any method", async () => {
    const { http, url, port } = await site((_request, response) => response.end());
    for (const close of closing.splice(0, 1)) await close();
    const failure = await failureOf(http.request({ url, method: "POST", body: "x" }));
    expect(failure).toMatchObject({ code: "not_available", reason: "connect_failed", retry: "safe" });
    expect(failure.message).toContain(`127.0.0.1 on port ${port}`);
  });

  test("an unknown name: another try is safe", async () => {
    const { http } = await site((_request, response) => response.end());
    const failure = await failureOf(http.request({ url: "http://nowhere.invalid/", method: "POST" }));
    expect(failure).toMatchObject({ code: "not_available", reason: "dns_failed", retry: "safe" });
  });

  test.each([
    ["GET", "safe"],
    ["PUT", "safe"],
    ["DELETE", "safe"],
    ["POST", "unsafe"],
    ["PATCH", "unsafe"],
  ])("a connection broken during %s: another try is %s", async (method, retry) => {
    const { http, url } = await site((request) => request.socket.destroy());
    expect(await failureOf(http.request({ url, method }))).toMatchObject({
      code: "not_available",
      reason: "reset",
      retry,
    });
  });

  test("a body that ends too early is a broken connection", async () => {
    const { http, url } = await site((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("only this", () => request.socket.destroySoon());
    });
    expect((await failureOf(http.request({ url }))).reason).toBe("reset");
  });

  test.each([
    ["220 mail.example ESMTP\r\n", "bad_response"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello", "bad_response"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "bad_response"],
    [`HTTP/1.1 200 OK\r\n${"x-a: 0123456789\r\n".repeat(4000)}\r\n`, "too_large"],
    ["", "reset"],
    ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "reset"],
  ])("an answer of %j", async (bytes, reason) => {
    const { http, url } = await site(createTcpServer((socket) => socket.once("data", () => socket.end(bytes))));
    expect((await failureOf(http.request({ url }))).reason).toBe(reason);
  });
});

describe("time", () => {
  test("headers that never come end at the deadline, and the connection with them", async () => {
    const { http, url, sockets } = await site(() => {});
    const failure = await failureOf(http.request({ url, timeoutMs: 100 }));
    expect(failure).toMatchObject({ code: "timeout", reason: "timeout" });
    expect(failure.message).toContain("within 0.1 s");
    await once(sockets[0]!, "close");
  });

  test("the redirect callback may reject a redirect, and its time is not counted", async () => {
    const requested: string[] = [];
    const { url, http } = await site(({ url: path = "" }, response) => {
      requested.push(path);
      if (path === "/end") response.end("there");
      else response.writeHead(302, { location: path === "/" ? "/next" : "/end" }).end();
    });
    const reported: string[] = [];
    const onRedirect = async (to: URL): Promise<void> => {
      reported.push(to.pathname);
      await new Promise((resolve) => setTimeout(resolve, 400));
    };
    expect(await http.request({ url, timeoutMs: 500, onRedirect })).toMatchObject({ status: 200 });
    expect(reported).toEqual(["/next", "/end"]);

    requested.length = 0;
    const refusing = http.request({
      url,
      onRedirect: () => {
        throw new Error("not there");
      },
    });
    await expect(refusing).rejects.toThrow("not there");
    expect(requested).toEqual(["/"]);
  });

  test("a request that waits for its redirect callback ends with the HTTP client", async () => {
    const { url, http } = await site((_request, response) => response.writeHead(302, { location: "/next" }).end());
    const requested = Promise.withResolvers<void>();
    const request = http.request({ url, onRedirect: () => new Promise(() => requested.resolve()) });
    await requested.promise;
    await Promise.all([http.close(), expect(request).rejects.toMatchObject({ reason: "closed" })]);
  });

  test("the deadline covers all redirects together", async () => {
    const { http, url } = await site((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: "/" }).end(), 40);
    });
    expect((await failureOf(http.request({ url, timeoutMs: 150, maxRedirects: 100 }))).reason).toBe("timeout");
  });

  test("a connection that is not made in time fails while the deadline is far", async () => {
    const never = new Promise<never>(() => {});
    const http = createHttpClient({ resolve: () => never, connectTimeoutMs: 50, timeoutMs: 60_000 });
    expect(await failureOf(http.request({ url: "http://slow.test/" }))).toMatchObject({
      reason: "connect_failed",
      retry: "safe",
    });
    await http.close();
  });

  test("a clock can be passed in", async () => {
    const tasks: (() => void)[] = [];
    const timer = { cancel: () => {}, hold: () => {} };
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      after: (_ms: number, task: () => void) => (tasks.push(task), timer),
    };
    const { http, url, sockets } = await site(() => tasks[0]?.(), { clock });
    expect((await failureOf(http.request({ url }))).reason).toBe("timeout");
    expect(sockets).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("ends a request and its connection at once", async () => {
    const controller = new AbortController();
    const { http, url, sockets } = await site(() => controller.abort(new Error("enough")));
    const failure = await failureOf(http.request({ url, signal: controller.signal }));
    expect(failure).toMatchObject({ code: "cancelled", reason: "aborted" });
    await once(sockets[0]!, "close");
  });

  test("ends the reading of a body", async () => {
    const controller = new AbortController();
    const { http, url } = await site((_request, response) => {
      response.write("some");
      setTimeout(() => controller.abort(), 20);
    });
    expect((await failureOf(http.request({ url, signal: controller.signal }))).code).toBe("cancelled");
  });

  test("beforehand makes no connection", async () => {
    const { http, url, sockets } = await site((_request, response) => response.end());
    expect((await failureOf(http.request({ url, signal: AbortSignal.abort() }))).code).toBe("cancelled");
    expect(sockets).toHaveLength(0);
  });

  test("ends a request that still waits for its name", async () => {
    const controller = new AbortController();
    const input: AbortSignal[] = [];
    const resolve = (_host: string, signal: AbortSignal): Promise<never> => {
      input.push(signal);
      controller.abort();
      return new Promise(() => {});
    };
    const http = createHttpClient({ resolve, connectTimeoutMs: 60_000 });
    expect((await failureOf(http.request({ url: "http://slow.test/", signal: controller.signal }))).code).toBe(
      "cancelled",
    );
    await expect.poll(() => input[0]?.aborted, patience).toBe(true);
    await http.close();
  });

  test("ends a connection that is still being made", async () => {
    // Accepts connections and never responds, so that the handshake hangs.
    const { http, port, sockets } = await site(createTcpServer(() => {}));
    const controller = new AbortController();
    const request = failureOf(http.request({ url: `https://127.0.0.1:${port}/`, signal: controller.signal }));
    await expect.poll(() => sockets.length, patience).toBe(1);
    const closed = once(sockets[0]!.resume(), "close");
    controller.abort();
    expect((await request).code).toBe("cancelled");
    await closed;
  });

  test("does not affect other requests that wait for the same connection", async () => {
    const { port } = await site((_request, response) => response.end("fine"));
    const controller = new AbortController();
    let requested = 0;
    const resolve = (): Promise<string[]> =>
      requested++ === 0 ? new Promise(() => {}) : Promise.resolve(["127.0.0.1"]);
    const http = createHttpClient({ resolve, allow: [`a.test:${port}`], connectTimeoutMs: 60_000 });
    closing.push(() => http.close());
    const url = `http://a.test:${port}/`;
    const first = failureOf(http.request({ url, signal: controller.signal }));
    await expect.poll(() => requested, patience).toBe(1);
    controller.abort();
    const second = http.request({ url });
    expect((await first).code).toBe("cancelled");
    expect(textOf((await second).body)).toBe("fine");
  });

  test("leaves the caller's signal without listeners", async () => {
    const { http, url } = await site((_request, response) => response.end());
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => (listeners++, add(...args)),
      removeEventListener: (...args: Parameters<typeof remove>) => (listeners--, remove(...args)),
    });
    await http.request({ url, signal });
    expect(listeners).toBe(0);
  });
});

describe("closing", () => {
  test("ends requests in flight, and rejects later ones", async () => {
    const { http, url, sockets } = await site(() => {});
    const pending = failureOf(http.request({ url }));
    await expect.poll(() => sockets.length, patience).toBe(1);
    await http.close();
    expect(await pending).toMatchObject({ code: "not_available", reason: "closed" });
    expect((await failureOf(http.request({ url }))).reason).toBe("closed");
    await http.close();
  });

  test("an unused HTTP client closes", async () => {
    await expect(createHttpClient().close()).resolves.toBeUndefined();
  });

  test("an idle connection keeps no process alive, and importing loads no HTTP client", async () => {
    let answered = 0;
    const { url } = await site((_request, response) => {
      answered = performance.now();
      response.end("x");
    });
    const script = `
      import { createRequire } from "node:module";
      import { createHttpClient } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("undici"));
      const before = loaded();
      await createHttpClient({ allow: [${JSON.stringify(new URL(url).host)}] }).request({ url: ${JSON.stringify(url)} });
      console.log(before, loaded());
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 10_000,
    });
    expect(stdout.trim()).toBe("false true");
    // The connection itself stays open for four seconds.
    expect(performance.now() - answered).toBeLessThan(3000);
  });
});

// A self-signed certificate for these tests: secure.test and 127.0.0.1.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguJpu1GlB2yNjVno3
RgXIxiQ/ozaTCro9z6t+s7deHfChRANCAAS/HsKjIolPzAAQFRApYCwk7kmHJJ1t
z8xPJBya+7rQ9lZuYdayKYUNims3SYbrig3vyd0OnTvvLL7/NPtiByKf
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUP9RPcCH4Xc+aqXCa4N9SiJR3vK8wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLc2VjdXJlLnRlc3QwIBcNMjYxMTE1MDgwNTUxWhgPMjEyNjEw
MjIwODA1NTFaMBYxFDASBgNVBAMMC3NlY3VyZS50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEvx7CoyKJT8wAEBUQKWAsJO5JhySdbc/MTyQcmvu60PZWbmHW
simFDYprN0mG64oN78ndDp077yy+/zT7Ygcin6NxMG8wHQYDVR0OBBYEFAb+j6Z6
6EZS1jEJf33zwTwV2tQhMB8GA1UdIwQYMBaAFAb+j6Z66EZS1jEJf33zwTwV2tQh
MA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4ILc2VjdXJlLnRlc3SHBH8AAAEw
CgYIKoZIzj0EAwIDSAAwRQIgYNsNgINFmUaXKKDrP/1k5jdBAhBcve2+SbO1HzOK
xvUCIQDrAJVfxrtdStTipjVj+IYSu/su7K+FT1Wdbl524KKyoA==
-----END CERTIFICATE-----`;

describe("TLS", () => {
  async function secureSite(
    handler: Handler,
  ): Promise<{ port: number; requestTo: (host: string) => HttpRequest; http: HttpClient }> {
    const { port } = await listening(createSecureServer({ key, cert }, handler));
    const resolve = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);
    const http = createHttpClient({ allow: ["127.0.0.0/8"], resolve, timeoutMs: 5000 });
    closing.push(() => http.close());
    return { port, requestTo: (host) => ({ url: `https://${host}:${port}/` }), http };
  }

  function trusting(): void {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, cert]);
    closing.push(() => setDefaultCACertificates(before));
  }

  test("an untrusted certificate is rejected", async () => {
    let hits = 0;
    const { requestTo, http } = await secureSite((_request, response) => (hits++, response.end()));
    const failure = await failureOf(http.request(requestTo("secure.test")));
    expect(failure).toMatchObject({ code: "not_available", reason: "tls_failed", retry: "never" });
    expect(hits).toBe(0);
  });

  test("the certificate must name the host of the URL, not the address that was dialed", async () => {
    trusting();
    const { requestTo, http } = await secureSite((_request, response) => response.end("hello"));
    expect(textOf((await http.request(requestTo("secure.test"))).body)).toBe("hello");
    expect(textOf((await http.request(requestTo("127.0.0.1"))).body)).toBe("hello");
    expect((await failureOf(http.request(requestTo("other.test")))).reason).toBe("tls_failed");
  });

  test("plain HTTP on the other side is a failed handshake", async () => {
    const { http, port } = await site((_request, response) => response.end());
    expect((await failureOf(http.request({ url: `https://127.0.0.1:${port}/` }))).reason).toBe("tls_failed");
  });

  test("a redirect from https to http is refused, even to an open address", async () => {
    trusting();
    const plain = await site((_request, response) => response.end());
    const { requestTo, http } = await secureSite((_request, response) => {
      response.writeHead(302, { location: plain.url }).end();
    });
    expect(await failureOf(http.request(requestTo("secure.test")))).toMatchObject({
      code: "permission_denied",
      reason: "https_downgrade",
    });
    expect(plain.sockets).toHaveLength(0);
  });
});
