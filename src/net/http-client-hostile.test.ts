import { readFileSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { type AddressInfo, Socket, createServer as createTcpServer } from "node:net";
import { Readable, pipeline } from "node:stream";
import { constants, createBrotliCompress, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import {
  type DialSocket,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  createHttpClient,
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
  for (const close of closing.splice(0)) await close();
});

function open(options: HttpClientOptions = {}): HttpClient {
  const http = createHttpClient({ timeoutMs: 5000, connectTimeoutMs: 500, ...options });
  closing.push(() => http.close());
  return http;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<{ port: number; hits: IncomingMessage[] }> {
  const hits: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    hits.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, hits };
}

/** The reason a request fails with; a success fails the test. */
async function reasonOf(http: HttpClient, request: HttpRequest): Promise<string | undefined> {
  try {
    await http.request(request);
  } catch (error) {
    if (isFailureError(error)) return error.reason;
    throw error;
  }
  throw new Error("the request went through");
}

/** A listener on every local address that counts what reaches it. */
let connections = 0;
let port = 0;
const listener = createTcpServer((socket) => {
  connections++;
  socket.destroy();
});

beforeAll(async () => {
  // "::" accepts IPv4 as well; without IPv6, IPv4 has to suffice.
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

describe("[B07] URLs that lead inside are refused, and nothing reaches the listener", () => {
  test.each(rowsOf<string>("ssrf-url"))("%s", async (_name, { input, expected }) => {
    const http = open();
    const reason = expected.replace("refuse:", "");
    expect(await reasonOf(http, { url: input })).toBe(reason);
    // The same host on the port of the listener, which would notice.
    const withPort = input.replace(/^(http:\/\/[^/]*)/, `$1:${port}`);
    expect(await reasonOf(http, { url: withPort })).toBe(reason);
    expect(connections).toBe(0);
  });
});

/** A dialer that never connects: it records the addresses of attempted connections, and rejects them. */
function deadEnd(): { dialled: string[]; dial: DialSocket } {
  const dialled: string[] = [];
  const dial: DialSocket = ({ host, lookup }) => {
    const socket = new Socket();
    lookup?.(host ?? "", { all: true }, (_error, addresses) => {
      for (const { address } of Array.isArray(addresses) ? addresses : []) dialled.push(address);
      socket.destroy(Object.assign(new Error("nobody is there"), { code: "ECONNREFUSED" }));
    });
    return socket;
  };
  return { dialled, dial };
}

interface DnsInput {
  readonly host: string;
  readonly answers: readonly (readonly string[])[];
}

describe("names that lead inside are refused, and nothing reaches the listener", () => {
  test.each(rowsOf<DnsInput>("ssrf-dns"))("%s", async (_name, { input, expected }) => {
    let requested = 0;
    const resolve = (host: string): Promise<readonly string[]> => {
      expect(host).toBe(input.host);
      return Promise.resolve(input.answers[Math.min(requested++, input.answers.length - 1)] ?? []);
    };
    const { dialled, dial } = deadEnd();
    const http = open({ resolve, dial });
    const request = { url: `http://${input.host}:${port}/` };
    // If the first answer is public, the request goes there and nowhere else.
    const refused = expected.startsWith("refuse:ssrf_dns");
    expect(await reasonOf(http, request)).toBe(refused ? "ssrf_dns" : "connect_failed");
    expect(dialled).toEqual(refused ? [] : input.answers[0]);
    expect(requested, "one request resolves once").toBe(1);
    // A later, different answer is checked like the first.
    expect(await reasonOf(http, request)).toBe("ssrf_dns");
    expect(connections).toBe(0);
  });

  test.each(["::ffff:127.0.0.1", "fe80::1%lo", "127.1", "not an address", "", "0.0.0.0"])(
    "an answer of %j is refused",
    async (answer) => {
      const http = open({ resolve: () => Promise.resolve(["93.184.216.34", answer]) });
      expect(await reasonOf(http, { url: `http://host.test:${port}/` })).toBe("ssrf_dns");
      expect(connections).toBe(0);
    },
  );

  test("an answer that changes after the check is not used", async () => {
    // A resolver that hands out one list and rewrites it while the connection is being made.
    const answer = ["93.184.216.34"];
    const resolve = (): Promise<readonly string[]> => {
      queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => (answer[0] = "127.0.0.1"))));
      return Promise.resolve(answer);
    };
    const { dialled, dial } = deadEnd();
    const reason = await reasonOf(open({ resolve, dial }), { url: `http://host.test:${port}/` });
    expect(reason).toMatch(/^(?:connect_failed|ssrf_dns)$/);
    expect(dialled).not.toContain("127.0.0.1");
    expect(connections).toBe(0);
  });
});

interface RedirectInput {
  readonly from: string;
  readonly status: number;
  readonly location: string;
  readonly requestHeaders?: Record<string, string>;
}

describe("redirects are checked like first requests", () => {
  test.each(rowsOf<RedirectInput>("ssrf-redirect"))("%s", async (_name, { input, expected }) => {
    const second = await serve((_request, response) => response.end("arrived"));
    const location = input.location
      .replace(" (self)", "")
      .replace("PORT", String(port))
      .replace("http://B/", `http://b.test:${second.port}/`);
    const first = await serve((_request, response) => response.writeHead(input.status, { location }).end());
    const http = open({
      resolve: () => Promise.resolve(["127.0.0.1"]),
      allow: [`a.test:${first.port}`, `b.test:${second.port}`],
    });
    const request = { url: `http://a.test:${first.port}/`, headers: input.requestHeaders ?? {} };
    const outcome = await reasonOf(http, request).catch(() => "arrived");
    const arrives = expected.startsWith("B receives neither");
    expect(outcome).toBe(arrives ? "arrived" : /refuse:(\w+)/.exec(expected)?.[1]);
    expect(first.hits).toHaveLength(outcome === "too_many_redirects" ? 6 : 1);
    expect(second.hits).toHaveLength(arrives ? 1 : 0);
    const rawInput = Object.keys(input.requestHeaders ?? {}).map((name) => name.toLowerCase());
    expect(Object.keys(first.hits[0]!.headers)).toEqual(expect.arrayContaining(rawInput));
    expect(rawInput.filter((name) => Object.hasOwn(second.hits[0]?.headers ?? {}, name))).toEqual([]);
    expect(connections).toBe(0);
  });
});

describe("headers that would forge a request are refused before a connection is made", () => {
  test.each(rowsOf<{ headers: Record<string, string> }>("http-headers"))("%s", async (_name, { input, expected }) => {
    const server = await serve((_request, response) => response.end());
    const http = open({ allow: [`127.0.0.1:${server.port}`] });
    const reason = expected.includes("forbidden_header") ? "forbidden_header" : "invalid_header";
    expect(await reasonOf(http, { url: `http://127.0.0.1:${server.port}/`, headers: input.headers })).toBe(reason);
    expect(server.hits).toHaveLength(0);
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

const megabyte = 2 ** 20;

function answerLimits(input: LimitInput): Handler {
  return (_request, response) => {
    if (input.never !== undefined) return;
    response.writeHead(input.status ?? 200, input.encoding === undefined ? {} : { "content-encoding": input.encoding });
    if (input.chunkedBytes !== undefined) pipeline(zeros(input.chunkedBytes), response, () => {});
    else if (input.decodedBytes !== undefined) {
      const fast = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
      pipeline(zeros(input.decodedBytes), fast, response, () => {});
    } else if (input.dripEveryMs !== undefined) {
      const timer = setInterval(() => response.write("x"), input.dripEveryMs);
      response.on("close", () => clearInterval(timer));
    } else response.end(input.encoding === undefined ? "" : gzipSync("body"));
  };
}

function zeros(bytes: number): Readable {
  const chunk = Buffer.alloc(65_536);
  return Readable.from(
    (function* () {
      for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
    })(),
  );
}

describe("unbounded responses end at the limits of the HTTP client", () => {
  test.each(rowsOf<LimitInput>("http-limits"))("%s", async (_name, { input, expected }) => {
    const server = await serve(answerLimits(input));
    const http = open({ allow: [`127.0.0.1:${server.port}`], maxBytes: megabyte });
    const request = { url: `http://127.0.0.1:${server.port}/`, timeoutMs: expected.includes("timeout") ? 700 : 5000 };
    const started = performance.now();
    const outcome = await http.request(request).then(
      ({ body, truncated }) => (truncated ? `truncated at ${body.length}` : `${body.length} bytes`),
      (error: { reason: string }) => `refuse:${error.reason}`,
    );
    const whole = expected.startsWith("truncated") ? `truncated at ${megabyte}` : "0 bytes";
    expect(outcome).toBe(/^refuse:\w+/.exec(expected)?.[0] ?? whole);
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

// Last, since it makes the listener count.
test("the listener would have noticed: an open address reaches it", async () => {
  const http = open({ allow: [`127.0.0.1:${port}`] });
  expect(await reasonOf(http, { url: `http://127.0.0.1:${port}/` })).toBe("reset");
  expect(connections).toBe(1);
});
