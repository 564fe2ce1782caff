import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { folderWith, writeFiles } from "../support/workspace.ts";
import { files } from "./route-samples.ts";
import { type ServedWorkspace, adminToken, readToken, serveFolder, serveWorkspace } from "./serve-workspace.ts";

const connectionLimits = { headersMs: 400, requestMs: 800, unauthenticated: 50 };

function serve(options: Parameters<typeof serveWorkspace>[1] = {}): Promise<ServedWorkspace> {
  return serveWorkspace(files, { connectionLimits, ...options });
}

/** A further response would follow within this time. */
const quietMs = 200;

/** Everything that the server sends on a connection of its own, until it closes it or is silent for a moment. */
async function exchange({ url }: ServedWorkspace, pieces: readonly string[], maxMs = 3_000): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  let text = "";
  const answered = Promise.withResolvers<void>();
  let silence: NodeJS.Timeout | undefined;
  socket.setEncoding("latin1").on("data", (received: string) => {
    text += received;
    clearTimeout(silence);
    silence = setTimeout(answered.resolve, quietMs);
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (const piece of pieces) socket.write(piece.replaceAll("PORT", port));
  await Promise.race([closed, answered.promise, wait(maxMs)]);
  socket.destroy();
  return text;
}

/** The statuses of all responses in what a server sent. */
function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

const host = "host: 127.0.0.1:PORT\r\n";
const token = `authorization: Bearer ${adminToken}\r\n`;
const json = "content-type: application/json\r\n";
const call = "POST /v1/tools/say/call HTTP/1.1\r\n";
const body = '{"args":{"text":"hi"}}';
const deep = `{"args":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
const wide = `{"args":{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join(",")}}}`;

const sized = (text: string): string => `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Bytes to send, and the status of the only response. */
const requests: readonly (readonly [what: string, sent: string, status: number | readonly number[]])[] = [
  ["a length and chunks together", `${call}${host}${token}${json}transfer-encoding: chunked\r\n${sized(body)}`, 400],
  ["two lengths", `${call}${host}${token}${json}content-length: 1\r\n${sized(body)}`, 400],
  ["a negative length", `${call}${host}${token}${json}content-length: -1\r\n\r\n`, 400],
  ["two encodings", `${call}${host}${token}${json}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400],
  ["a chunk of no size", `${call}${host}${token}${json}transfer-encoding: chunked\r\n\r\nxyz\r\n\r\n`, 400],
  ["two Hosts", `GET /v1/tools HTTP/1.1\r\n${host}host: evil.example\r\n${token}\r\n`, 400],
  ["two equal Hosts", `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`, 400],
  ["no Host", `GET /v1/tools HTTP/1.1\r\n${token}\r\n`, 400],
  ["a Host with a user", `GET /v1/tools HTTP/1.1\r\nhost: a@127.0.0.1:PORT\r\n${token}\r\n`, 400],
  ["a foreign Host", `GET /v1/tools HTTP/1.1\r\nhost: evil.example\r\n${token}\r\n`, 403],
  ["a foreign Host of MCP", `POST /mcp HTTP/1.1\r\nhost: evil.example\r\n${token}${json}${sized("{}")}`, 403],
  ["a Host without its port", `GET /v1/tools HTTP/1.1\r\nhost: 127.0.0.1\r\n${token}\r\n`, 403],
  ["a foreign Origin", `GET /v1/tools HTTP/1.1\r\n${host}origin: https://evil.example\r\n${token}\r\n`, 403],
  ["an Origin of a file", `GET /v1/tools HTTP/1.1\r\n${host}origin: null\r\n${token}\r\n`, 403],
  ["another site", `GET /v1/tools HTTP/1.1\r\n${host}sec-fetch-site: cross-site\r\n${token}\r\n`, 403],
  ["an absolute target", `GET http://127.0.0.1:PORT/v1/tools HTTP/1.1\r\n${host}${token}\r\n`, 400],
  ["an absolute target of another host", `GET http://evil.example/healthz HTTP/1.1\r\n${host}\r\n`, 400],
  ["a target with two slashes", `GET //evil.example/healthz HTTP/1.1\r\n${host}\r\n`, 400],
  ["a target of the whole server", `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 400],
  ["a backslash in the path", `GET /v1\\tools HTTP/1.1\r\n${host}${token}\r\n`, 400],
  ["a folded header", `GET /v1/tools HTTP/1.1\r\n${host}x-a: b\r\n c: d\r\n${token}\r\n`, 400],
  ["a NUL in a header", `GET /v1/tools HTTP/1.1\r\n${host}x-a: \0\r\n${token}\r\n`, 400],
  ["an unknown method", `BREW /v1/tools HTTP/1.1\r\n${host}${token}\r\n`, 400],
  ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
  ["headers of 40 kB", `GET /v1/tools HTTP/1.1\r\n${host}x-a: ${"a".repeat(40_000)}\r\n\r\n`, 431],
  ["a path of 40 kB", `GET /${"a".repeat(40_000)} HTTP/1.1\r\n${host}\r\n`, 431],
  ["an unknown expectation", `GET /v1/tools HTTP/1.1\r\n${host}expect: tea\r\n${token}\r\n`, 417],
  ["an upgrade", `GET /v1/tools HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: websocket\r\n\r\n`, 401],
  ["two tokens", `GET /v1/tools HTTP/1.1\r\n${host}${token}authorization: Bearer x\r\n\r\n`, [200, 401]],
  ["deep JSON", `${call}${host}${token}${json}${sized(deep)}`, 400],
  ["wide JSON", `${call}${host}${token}${json}${sized(wide)}`, 413],
  ["JSON that ends early", `${call}${host}${token}${json}${sized('{"args":')}`, 400],
  ["bytes that are no text", `${call}${host}${token}${json}${sized("\xff\xfe")}`, 400],
  ["a body of a wrong type", `${call}${host}${token}content-type: text/plain\r\n${sized(body)}`, 415],
  ["a length above the limit", `${call}${host}${token}${json}content-length: 999999999\r\n\r\n{`, 413],
  [
    "chunks above the limit",
    `${call}${host}${token}${json}transfer-encoding: chunked\r\n\r\n${chunk("x".repeat(3_000_000))}`,
    413,
  ],
  ["a length above the limit, without a token", `${call}${host}${json}content-length: 999999999\r\n\r\n{`, 401],
  [
    "chunks without an end, without a token",
    `${call}${host}${json}transfer-encoding: chunked\r\n\r\n${chunk("x")}`,
    401,
  ],
  ["chunks without an end", `${call}${host}${token}${json}transfer-encoding: chunked\r\n\r\n${chunk("{")}`, 408],
  ["a head without an end", `GET /v1/tools HTTP/1.1\r\n${host}`, 408],
  ["a body without an end", `${call}${host}${token}${json}content-length: 100\r\n\r\n{`, 408],
];

describe("hostile requests", () => {
  let shared: ServedWorkspace;
  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), "windlass-hostile-"));
    await writeFiles(dir, files);
    shared = await serveFolder(dir, { connectionLimits });
  });
  afterAll(async () => {
    await shared.close();
    await rm(shared.workspace.dir, { recursive: true });
  });

  test.each(requests)("%s: refused, and the server lives [P06] [P07]", async (_what, sent, status) => {
    const served = shared;
    const statuses = statusesIn(await exchange(served, [sent]));
    expect([status].flat()).toContain(statuses[0]);
    // No second response: the rest of the bytes is not another request.
    expect(statuses).toHaveLength(1);
    expect((await served.send("GET", "/healthz")).status).toBe(200);
    expect((await served.workspace.engine.records.query({ tool: "say" })).records).toEqual([]);
  });

  test("a request that is smuggled behind another one is not handled [P06]", async () => {
    const served = await serve();
    const hidden = `POST /v1/tools/delete_note/call HTTP/1.1\r\n${host}${token}${json}${sized('{"args":{"id":"x"}}')}`;
    for (const head of [
      "transfer-encoding: chunked\r\n",
      "transfer-encoding : chunked\r\n",
      "transfer-encoding:\tchunked, identity\r\n",
    ]) {
      const sent = `${call}${host}${token}${json}content-length: 5\r\n${head}\r\n0\r\n\r\n${hidden}`;
      expect(statusesIn(await exchange(served, [sent])).filter((status) => status !== 400)).toEqual([]);
    }
    expect((await served.workspace.engine.records.query({})).records).toEqual([]);
    expect(await served.workspace.approvals.list("pending")).toEqual([]);
  });

  test("a client that sends one byte at a time is cut off, and others are still served [P11]", async () => {
    const served = await serve();
    const { port } = new URL(served.url);
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.resume();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const drip = setInterval(() => socket.write("x"), 50);
    socket.write("GET /v1/tools HTTP/1.1\r\nx-a: ");
    expect((await served.send("GET", "/v1/tools")).status).toBe(200);
    await closed;
    clearInterval(drip);
  });

  test("connections without a token do not keep clients with one out [P11]", async () => {
    const served = await serve({ connectionLimits: { ...connectionLimits, headersMs: 5_000, requestMs: 5_000 } });
    const { port } = new URL(served.url);
    const silent = (): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => resolve(socket)).on("error", () => {});
        socket.resume();
      });
    const sockets = await Promise.all(Array.from({ length: 300 }, silent));
    expect((await served.send("GET", "/v1/tools")).status).toBe(200);
    await vi.waitFor(() => expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(50));
    expect((await served.send("GET", "/v1/tools")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("closing ends connections that are idle, silent, or in the middle of a request [P11]", async () => {
    const served = await serve({ drainMs: 200, connectionLimits: { headersMs: 60_000, requestMs: 60_000 } });
    await served.send("GET", "/v1/tools");
    const open = [[], [`GET /v1/tools HTTP/1.1\r\n`], [`${call}${host}${token}${json}content-length: 100\r\n\r\n{`]];
    const ended = open.map((pieces) => exchange(served, pieces, 60_000));
    await wait(100);
    await served.server.close();
    expect(await Promise.all(ended)).toHaveLength(3);
    await expect(served.send("GET", "/healthz")).rejects.toThrow("fetch failed");
  });
});

describe("static files", () => {
  async function withPage(): Promise<ServedWorkspace> {
    const outside = await folderWith({ "secret.txt": "secret" });
    const staticFolder = join(outside, "page");
    await mkdir(join(staticFolder, "assets"), { recursive: true });
    await writeFile(join(staticFolder, "index.html"), "<!doctype html><title>page</title>");
    await writeFile(join(staticFolder, "assets/main-Ab12Cd34.js"), "export {};");
    await symlink(join(outside, "secret.txt"), join(staticFolder, "link.txt"));
    return serve({ staticFolder });
  }

  test("a page is served with a policy, and its hashed files are cached without a check [P11]", async () => {
    const served = await withPage();
    const page = await served.send("GET", "/", { token: null });
    expect([page.status, page.text]).toEqual([200, "<!doctype html><title>page</title>"]);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const asset = await served.send("GET", "/assets/main-Ab12Cd34.js", { token: null });
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const again = await served.send("GET", "/", { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await served.send("HEAD", "/", { token: null })).status).toBe(200);
    expect((await served.send("POST", "/", { token: null })).status).toBe(404);
  });

  test.each([
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "/..%5csecret.txt",
    "/assets/../../secret.txt",
    "/.%00./secret.txt",
    "/link.txt",
    "/assets/",
    "/assets",
    "/index.html%00.js",
    "/%",
    "/%c0%ae%c0%ae/secret.txt",
    "/etc/passwd",
    "/.windlass/token",
    "/windlass.yaml",
  ])("%s leads to no file [P06]", async (path) => {
    const served = await withPage();
    const sent = await exchange(served, [`GET ${path} HTTP/1.1\r\n${host}connection: close\r\n\r\n`]);
    expect(statusesIn(sent)).toEqual([404]);
    expect(sent).not.toContain("secret\r\n");
    expect(sent).toContain("application/problem+json");
  });

  test("without a studio there is a page that describes the server, and the one of the API needs no other site [P01]", async () => {
    const served = await serve({ staticFolder: "/nowhere" });
    for (const path of ["/", "/docs", "/docs.js", "/docs.css"]) {
      const { status, text, headers } = await served.send("GET", path, { token: null });
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/https?:\/\/|style=|<script(?![^>]* src=)|onclick=|innerHTML/);
      expect(headers.get("content-security-policy")).toContain("script-src 'self'");
    }
    expect((await served.send("GET", "/openapi.json", { token: null })).status).toBe(401);
    expect((await served.send("GET", "/openapi.json", { token: readToken })).status).toBe(200);
  });
});
