import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpClientOptions, createHttpClient } from "../net/index.ts";
import { type Attachment, type ToolContext, isOk } from "../tool/index.ts";
import { type HttpRequestInput, type HttpRequestOutput, httpRequestTool } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
type HttpTool = ReturnType<typeof httpRequestTool>;

async function site(handler: Handler, options: HttpClientOptions = {}): Promise<{ url: string; tool: HttpTool }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handler(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`], ...options });
  closing.push(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/`, tool: httpRequestTool({ http }) };
}

interface Answer {
  readonly output: HttpRequestOutput;
  readonly attachments?: readonly Attachment[];
}

/** Validates, runs and checks the output, as the engine does. */
async function call(tool: HttpTool, input: unknown, signal = new AbortController().signal): Promise<Answer> {
  const validated = await tool.input.validate(input);
  if (validated.issues !== undefined) throw new Error(validated.issues.map(({ message }) => message).join("; "));
  // The tool uses only the signal of its context.
  const returned: unknown = await tool.run(validated.value, { signal } as ToolContext & { callTool: never });
  if (!isOk(returned)) throw new Error("not an output");
  const checked = await tool.output!.validate(returned.output);
  expect(checked.issues).toBeUndefined();
  return returned as Answer;
}

const mirror: Handler = (request, response, body) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
};

describe("[B07] http_request sends", () => {
  test("a GET by default", async () => {
    const { url, tool } = await site(mirror);
    const { output } = await call(tool, { url: `${url}a?b=1` });
    expect(output).toMatchObject({
      status_code: 200,
      url: `${url}a?b=1`,
      body: { method: "GET", url: "/a?b=1", body: "" },
    });
    expect(output).not.toHaveProperty("truncated");
  });

  test.each([
    [{ a: [1, "二"] }, '{"a":[1,"二"]}', "application/json"],
    [[1, 2], "[1,2]", "application/json"],
    [7, "7", "application/json"],
    [false, "false", "application/json"],
    ["a=1&b=2", "a=1&b=2", undefined],
    ["", "", undefined],
    [null, "", undefined],
  ])("the body %j as %j", async (body, sent, type) => {
    const { url, tool } = await site(mirror);
    const { output } = await call(tool, { url, method: "POST", body });
    const got = output.body as { body: string; headers: Record<string, string> };
    expect(got.body).toBe(sent);
    expect(got.headers["content-type"]).toBe(type);
  });

  test("a custom content type", async () => {
    const { url, tool } = await site(mirror);
    const headers = { "Content-Type": "application/vnd.api+json", "X-N": 5, "X-B": true, "X-None": null };
    const { output } = await call(tool, { url, method: "PATCH", headers, body: {} });
    const got = output.body as { headers: Record<string, string> };
    expect(got.headers).toMatchObject({ "content-type": "application/vnd.api+json", "x-n": "5", "x-b": "true" });
    expect(got.headers).not.toHaveProperty("x-none");
  });

  test.each([
    ["", { q: "a b&c", n: 1, t: true, none: null, list: [1, "x"] }, "?q=a+b%26c&n=1&t=true&list=1&list=x"],
    ["?x=%20y", { z: "中" }, "?x=%20y&z=%E4%B8%AD"],
    ["?", { z: 1 }, "?&z=1"],
    ["#frag", { z: 1 }, "?z=1"],
    ["?a=1", {}, "?a=1"],
  ])("%j with the query %j as %j", async (tail, query, expected) => {
    const { url, tool } = await site(mirror);
    const { output } = await call(tool, { url: url + tail, query });
    expect((output.body as { url: string }).url).toBe(`/${expected}`);
  });
});

describe("http_request gives", () => {
  test.each([404, 429, 500, 503, 304])("status %i as an output", async (status) => {
    const { url, tool } = await site((_request, response) => response.writeHead(status, { "retry-after": "9" }).end());
    expect((await call(tool, { url })).output).toMatchObject({
      status_code: status,
      headers: { "retry-after": "9" },
      body: "",
    });
  });

  test.each<[string, string | Buffer, unknown]>([
    ["application/json", '{"a":1}', { a: 1 }],
    ["application/problem+json; charset=utf-8", '\ufeff{"a":1}', { a: 1 }],
    ["text/json", "[1]", [1]],
    ["application/json", "{not json", "{not json"],
    [
      "application/json",
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    ],
    ["application/json", "1e999", "1e999"],
    ["text/plain", '{"a":1}', '{"a":1}'],
    ["text/html; charset=gbk", Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), "你好"],
    ['text/html; Charset="Shift_JIS"', Buffer.from([0x93, 0xfa]), "日"],
    ["text/plain; charset=iso-8859-1", Buffer.from([0x63, 0x61, 0x66, 0xe9]), "café"],
    ["text/plain; charset=nonsense", "héllo", "héllo"],
    ["text/plain", Buffer.from([0xff, 0xfe, 0x60, 0x4f]), "你"],
    ["image/svg+xml", "<svg/>", "<svg/>"],
    ["application/x-ndjson", "{}\n{}", "{}\n{}"],
    ["", "plain", "plain"],
    ["", "中文", "中文"],
  ])("%s as it should be read", async (type, body, expected) => {
    const { url, tool } = await site((_request, response) => {
      response.writeHead(200, type === "" ? {} : { "content-type": type }).end(body);
    });
    expect((await call(tool, { url })).output.body).toEqual(expected);
  });

  test.each([
    ["image/png", "logo.png", { kind: "image", mimeType: "image/png", name: "logo.png" }],
    ["audio/mpeg", "a/b.mp3", { kind: "audio", mimeType: "audio/mpeg", name: "b.mp3" }],
    ["application/pdf", "", { kind: "file", mimeType: "application/pdf" }],
    ["", "x", { kind: "file", mimeType: "application/octet-stream" }],
    ["not a type", "..%2fx", { kind: "file", mimeType: "application/octet-stream" }],
  ])("binary content (%j) beside the output", async (type, path, expected) => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]);
    const { url, tool } = await site((_request, response) => {
      response.writeHead(200, type === "" ? {} : { "content-type": type }).end(bytes);
    });
    const { output, attachments } = await call(tool, { url: url + path });
    expect(output.body).toBeNull();
    expect(attachments).toHaveLength(1);
    expect(attachments?.[0]).toMatchObject(expected);
    expect(Buffer.from(attachments?.[0]?.data ?? [])).toEqual(bytes);
  });

  test("a truncated body with a mark, and no split characters", async () => {
    const { url, tool } = await site(
      (_request, response) =>
        response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync("中文中文")),
      { maxBytes: 7 },
    );
    expect((await call(tool, { url })).output).toMatchObject({ body: "中文", truncated: true });
  });

  test("the response to HEAD is empty", async () => {
    const { url, tool } = await site((_request, response) => {
      response.writeHead(200, { "content-type": "image/png", "content-length": "5" }).end();
    });
    const { output, attachments } = await call(tool, { url, method: "HEAD" });
    expect([output.body, attachments]).toEqual(["", undefined]);
  });
});

describe("http_request declares", () => {
  const tool = httpRequestTool({ http: createHttpClient() });
  const of = <T>(fact: T | ((args: never) => T), args: Partial<HttpRequestInput>): T =>
    typeof fact === "function" ? (fact as (args: HttpRequestInput) => T)({ url: "http://a.test/", ...args }) : fact;

  test.each([
    ["GET", "read", false],
    ["HEAD", "read", false],
    ["OPTIONS", "read", false],
    ["PUT", "idempotent", true],
    ["DELETE", "idempotent", true],
    ["POST", "once", true],
    ["PATCH", "once", true],
    ["constructor", "once", true],
  ])("%s: effect %s, destructive %s", (method, effect, destructive) => {
    const args = { method: method as "GET" };
    expect([of(tool.effect, args), of(tool.destructive, args)]).toEqual([effect, destructive]);
  });

  test.each<Partial<HttpRequestInput>>([
    { headers: { "X-HTTP-Method-Override": "DELETE" } },
    { headers: { "x-http-method": "DELETE" } },
    { headers: { "X-Method-Override": "DELETE" } },
    { headers: { X_HTTP_Method_Override: "DELETE" } },
    { headers: { "x_http-method.override": "DELETE" } },
    { headers: { "HTTP-Method-Override": "DELETE" } },
    { headers: { _method: "DELETE" } },
    { query: { _method: "delete" } },
    { query: { "X-HTTP-Method-Override": ["DELETE"] } },
    { url: "http://a.test/?a=1&_METHOD=DELETE" },
    { url: "http://a.test/?%5fmethod=DELETE" },
    { body: { query: "mutation" } },
    { method: "OPTIONS", body: "x" },
    { method: "HEAD", body: 0 },
    { method: "PUT", headers: { "X-HTTP-Method": "POST" } },
  ])("%j may do anything", (args) => {
    expect([of(tool.effect, args), of(tool.destructive, args)]).toEqual(["once", true]);
  });

  test.each<Partial<HttpRequestInput>>([
    { headers: { Accept: "text/plain", "X-Method": null } },
    { query: { method: "flickr.photos.search" } },
    { url: "http://a.test/_method?a=_method" },
    { url: "no url" },
    { body: null },
    { body: "" },
  ])("%j only reads", (args) => {
    expect([of(tool.effect, args), of(tool.destructive, args)]).toEqual(["read", false]);
  });

  test("the private addresses that are allowed", () => {
    expect(tool.description).toContain("Only public addresses can be reached.");
    const allow = ["127.0.0.1:8888", "*.corp.example"];
    const { description } = httpRequestTool({ http: createHttpClient({ allow }) });
    expect(description).toContain(
      "Public addresses can be reached, and of private ones 127.0.0.1:8888, *.corp.example.",
    );
    const many = Array.from({ length: 300 }, (_unused, index) => `10.0.0.${index % 255}:80`);
    expect(httpRequestTool({ http: createHttpClient({ allow: many }) }).description.length).toBeLessThan(600);
  });

  test("its deadline from the arguments", () => {
    expect(of(tool.timeoutMs, {})).toBe(30_000);
    expect(of(tool.timeoutMs, { timeout: 2.5 })).toBe(2500);
    expect(tool.category).toBe("http");
  });

  test("defaults for method and timeout", async () => {
    expect(await tool.input.validate({ url: "http://a.test/" })).toEqual({
      value: { url: "http://a.test/", method: "GET", timeout: 30 },
    });
  });

  test.each([
    [{}],
    [{ url: "ftp://a.test/" }],
    [{ url: "javascript:alert(1)" }],
    [{ url: "http://a.test/", method: "TRACE" }],
    [{ url: "http://a.test/", method: "get" }],
    [{ url: "http://a.test/", timeout: 0 }],
    [{ url: "http://a.test/", timeout: 301 }],
    [{ url: "http://a.test/", headers: { a: {} } }],
    [{ url: "http://a.test/", query: { a: {} } }],
    [{ url: "http://a.test/", verb: "GET" }],
  ])("%j is not accepted", async (args) => {
    expect(await tool.input.validate(args)).toHaveProperty("issues");
  });
});

describe("http_request fails", () => {
  test.each([
    [{ url: "http://127.0.0.1:1/" }, "permission_denied", "ssrf_ip"],
    [{ url: "http://localhost/" }, "permission_denied", "bad_host"],
    [{ url: "http://u:p@a.test/" }, "validation_error", "url_credentials"],
    [{ url: "http://" }, "validation_error", "bad_url"],
    [{ url: "http://a.test/", headers: { Host: "b.test" } }, "validation_error", "forbidden_header"],
    [{ url: "http://a.test/", headers: { "X-A": "a\r\nb: c" } }, "validation_error", "invalid_header"],
  ])("%j fails with %s (%s)", async (args, code, reason) => {
    const { tool } = await site(mirror);
    await expect(call(tool, args)).rejects.toMatchObject({ code, reason });
  });

  test("it fails when its call is cancelled", async () => {
    const controller = new AbortController();
    const { url, tool } = await site(() => controller.abort());
    await expect(call(tool, { url }, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
  });

  test("it fails after its own timeout", async () => {
    const { url, tool } = await site(() => {});
    await expect(call(tool, { url, timeout: 1 })).rejects.toMatchObject({ code: "timeout", reason: "timeout" });
  });

  test("it fails on arguments that a looser tool file accepts", async () => {
    const { url, tool } = await site(mirror);
    const run = (args: unknown): unknown =>
      // Arguments from a tool file of the workspace need not have the declared type.
      tool.run(
        args as Parameters<HttpTool["run"]>[0],
        { signal: new AbortController().signal } as ToolContext & { callTool: never },
      );
    await expect(run({ url, headers: { a: {} } })).rejects.toMatchObject({ code: "validation_error" });
    await expect(run({ url, query: { a: { b: 1 } } })).rejects.toMatchObject({ code: "validation_error" });
    await expect(run({ url: 5 })).rejects.toMatchObject({ code: "validation_error", reason: "bad_url" });
    await expect(run({ url })).resolves.toMatchObject({ output: { status_code: 200 } });
  });
});
