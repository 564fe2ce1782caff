import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FailureError, isFailureError } from "../base/index.ts";
import { type HttpClient, createHttpClient } from "../net/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import { isOk } from "./result.ts";
import { parseToolFile } from "./tool-file.ts";
import type { AnyTool } from "./tool.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let base: string;
let httpClient: HttpClient;
const seen: Seen[] = [];
/** The next response of the server. */
let answer: { status?: number; headers?: Record<string, string>; body?: string | Buffer } = {};

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body ?? '{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  httpClient = createHttpClient({ allow: [`127.0.0.1:${port}`] });
});

afterAll(async () => {
  await httpClient.close();
  await new Promise((resolve) => server.close(resolve));
});

const secrets = new Map([["KEY", "k3y/&="]]);
const context = (signal = new AbortController().signal) =>
  ({ signal, secrets: { get: (name: string) => secrets.get(name) } }) as unknown as ToolContext & CompositeContext;

function file(entry: string, parameters = "id: string, tag: string, n: number, opt: object, list: array"): string {
  const rows = parameters.split(", ").map((pair) => {
    const [name, type] = pair.split(": ");
    return `  - { name: ${name}, type: ${type} }`;
  });
  return `name: t\ndescription: d\nparameters:\n${rows.join("\n")}\nentry:\n  type: external\n${entry
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")}\n`;
}

const parse = (text: string, http: HttpClient | undefined = httpClient) =>
  parseToolFile(text, { file: "t.yaml", http, secretNames: ["KEY", "MISSING"] });

async function load(entry: string, parameters?: string): Promise<AnyTool> {
  const { tool, problems } = await parse(file(entry, parameters));
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

async function call(
  entry: string,
  args: object,
  parameters?: string,
): Promise<{ output?: unknown; failure?: FailureError; sent?: Seen }> {
  seen.length = 0;
  const tool = await load(entry, parameters);
  try {
    const returned: unknown = await tool.run(args, context());
    const sent = seen[0];
    if (isFailureError(returned)) return { failure: returned, ...(sent && { sent }) };
    return { output: isOk(returned) ? returned.output : returned, ...(sent && { sent }) };
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const sent = seen[0];
    return { failure: error, ...(sent && { sent }) };
  }
}

describe("[B07] an HTTP endpoint", () => {
  test("gets its values in path, query and headers, and returns the response", async () => {
    answer = {};
    const { output, sent } = await call(
      `url: "${base}/users/\${input.id}/posts?tag=\${input.tag}"
headers: { Authorization: "Bearer \${secret.KEY}", X-N: "\${input.n}" }
query: { list: "\${input.list}", fixed: 1, gone: "\${input.opt}" }`,
      { id: "a b/c?d#e", tag: "x&y=z", n: 5, list: ["p", "q"] },
    );
    expect(sent).toMatchObject({
      method: "GET",
      url: "/users/a%20b%2Fc%3Fd%23e/posts?tag=x%26y%3Dz&list=p&list=q&fixed=1",
      headers: { authorization: "Bearer k3y/&=", "x-n": "5" },
    });
    expect(output).toMatchObject({
      status_code: 200,
      headers: { "content-type": "application/json" },
      body: { ok: true },
    });
  });

  test("without query, parameters without a reference go into the query of a GET", async () => {
    const { sent } = await call(`url: ${base}/x/\${input.id}`, { id: "1", tag: "t", n: 2, list: [1, 2] });
    expect(sent?.url).toBe("/x/1?tag=t&n=2&list=1&list=2");
    expect(sent?.body).toBe("");
  });

  test("without body, parameters without a reference go into the JSON body of a POST", async () => {
    const { sent } = await call(`url: ${base}/x/\${input.id}\nmethod: POST`, { id: "1", tag: "t", opt: { a: 1 } });
    expect(sent).toMatchObject({ method: "POST", url: "/x/1", headers: { "content-type": "application/json" } });
    expect(JSON.parse(sent?.body ?? "")).toEqual({ tag: "t", opt: { a: 1 } });
  });

  test("an explicit body keeps types, omits missing values and makes the method POST", async () => {
    const { sent } = await call(
      `url: ${base}/x\nbody: { who: "user \${input.id}", n: "\${input.n}", opt: "\${input.opt}", gone: "\${input.tag}", list: ["\${input.tag}"], cost: "$\${5}" }`,
      { id: "7", n: 3, opt: { deep: [1] } },
    );
    expect(sent?.method).toBe("POST");
    expect(JSON.parse(sent?.body ?? "")).toEqual({
      who: "user 7",
      n: 3,
      opt: { deep: [1] },
      list: [null],
      cost: "${5}",
    });
  });

  test("a body that is one reference keeps the type of its value", async () => {
    expect((await call(`url: ${base}/x\nmethod: PUT\nbody: "\${input.opt}"`, { opt: { a: 1 } })).sent?.body).toBe(
      '{"a":1}',
    );
    const { sent } = await call(`url: ${base}/x\nmethod: PUT\nbody: "\${input.tag}"`, { tag: "plain" });
    expect(sent).toMatchObject({ body: "plain", headers: { "content-type": "text/plain; charset=utf-8" } });
  });

  test("references resolve into objects and lists, through own properties only", async () => {
    const { sent } = await call(
      `url: ${base}/x\nquery: { a: "\${input.opt.deep[1].q}", b: "\${input.opt.constructor}" }`,
      {
        opt: { deep: [0, { q: "found" }] },
      },
    );
    expect(sent?.url).toBe("/x?a=found");
  });

  test("result: body returns just the body", async () => {
    expect((await call(`url: ${base}/x\nresult: body`, {})).output).toEqual({ ok: true });
  });

  test.each([
    ["GET", "read", false],
    ["HEAD", "read", false],
    ["PUT", "idempotent", true],
    ["DELETE", "idempotent", true],
    ["POST", "once", true],
    ["PATCH", "once", true],
  ])("%s has the effect %s", async (method, effect, destructive) => {
    expect(await load(`url: ${base}/x\nmethod: ${method}`)).toMatchObject({ effect, destructive });
  });

  test.each(["", ".", "..", undefined, null, { a: 1 }, "\ud800"])(
    "the value %j cannot become a part of the path",
    async (id) => {
      const { failure, sent } = await call(`url: ${base}/users/\${input.id}/x`, { id });
      expect(failure?.toFailure()).toMatchObject({
        code: "validation_error",
        reason: "url_part",
        issues: [{ path: ["id"] }],
      });
      expect(sent).toBeUndefined();
    },
  );

  test.each([
    ["../admin", "/a/..%2Fadmin"],
    ["..\\admin", "/a/..%5Cadmin"],
    ["%2e%2e", "/a/%252e%252e"],
    ["@evil.example", "/a/%40evil.example"],
    ["x?y=1&z", "/a/x%3Fy%3D1%26z"],
    ["...", "/a/..."],
    ["\r\nHost: evil", "/a/%0D%0AHost%3A%20evil"],
  ])("the value %j stays inside its path segment", async (id, url) => {
    expect((await call(`url: ${base}/a/\${input.id}\nquery: {}`, { id })).sent?.url).toBe(url);
  });

  test("literal text around a value belongs to its path segment", async () => {
    expect((await call(`url: ${base}/a/.\${input.id}/b`, { id: "." })).failure?.reason).toBe("url_part");
    expect((await call(`url: ${base}/a/v\${input.id}\nquery: {}`, { id: "" })).sent?.url).toBe("/a/v");
  });

  test("a value that breaks a header is refused and nothing is sent", async () => {
    const { failure, sent } = await call(`url: ${base}/x\nheaders: { X-A: "\${input.id}" }`, { id: "a\r\nX-B: 1" });
    expect(failure?.toFailure().code).toBe("validation_error");
    expect(sent).toBeUndefined();
  });

  test("a missing secret stops the call", async () => {
    const { failure } = await call(`url: ${base}/x\nheaders: { X-A: "\${secret.MISSING}" }`, {});
    expect(failure?.toFailure()).toMatchObject({ code: "not_available", reason: "secret_missing" });
  });

  test("without an HTTP client there is no network access", async () => {
    const { tool } = await parseToolFile(file(`url: ${base}/x`), { file: "t.yaml" });
    await expect(tool?.run({}, context())).rejects.toMatchObject({ code: "not_available" });
  });

  test("an address that the HTTP client does not allow is not reached", async () => {
    const { failure } = await call("url: http://169.254.169.254/latest", {});
    expect(failure?.toFailure()).toMatchObject({ code: "permission_denied", reason: "ssrf_ip" });
  });

  test("the abort signal ends the request", async () => {
    const abort = new AbortController();
    const tool = await load(`url: ${base}/x`);
    abort.abort();
    await expect(tool.run({}, context(abort.signal))).rejects.toMatchObject({ code: "cancelled" });
  });

  test("bytes are returned as an attachment", async () => {
    answer = { headers: { "content-type": "image/png" }, body: Buffer.from([1, 2, 3]) };
    const returned: unknown = await (await load(`url: ${base}/p.png`)).run({}, context());
    answer = {};
    expect(returned).toMatchObject({ output: { body: null }, attachments: [{ kind: "image", mimeType: "image/png" }] });
  });
});

describe("an unsuccessful status", () => {
  test.each([
    { status: 404, method: "GET", headers: {}, expected: { retry: "never", reason: "http_404" } },
    { status: 400, method: "POST", headers: {}, expected: { retry: "never" } },
    { status: 501, method: "GET", headers: {}, expected: { retry: "never" } },
    { status: 304, method: "GET", headers: {}, expected: { retry: "never" } },
    { status: 429, method: "POST", headers: { "retry-after": "2" }, expected: { retry: "safe", retryAfterMs: 2_000 } },
    { status: 425, method: "POST", headers: {}, expected: { retry: "safe" } },
    { status: 503, method: "GET", headers: { "retry-after": "1" }, expected: { retry: "safe", retryAfterMs: 1_000 } },
    { status: 500, method: "POST", headers: {}, expected: { retry: "unsafe" } },
    { status: 408, method: "PUT", headers: {}, expected: { retry: "safe" } },
  ])("$status of $method", async ({ status, method, headers, expected }) => {
    answer = { status, headers: { ...headers }, body: status === 304 ? "" : '{"why":"\\u001b[31mnot so"}' };
    const { failure } = await call(`url: ${base}/x?q=hidden\nmethod: ${method}`, {});
    answer = {};
    // The engine decides by the effect whether a retry is safe.
    const effect = method === "POST" ? "unsafe" : "safe";
    expect(failure?.toFailure(effect)).toMatchObject({ code: "execution_error", ...expected });
    expect(failure?.message).toContain(`${method} ${base}/x answered ${status}`);
    expect(failure?.message).not.toContain("hidden");
    expect(failure?.message).not.toContain("\u001b");
  });
});

describe("unusable files", () => {
  const problemsOf = async (entry: string) => (await parse(file(entry))).problems;

  test.each([
    ['url: "https://${input.id}/x"', "reference_in_host"],
    ['url: "https://api.example.com${input.id}"', "reference_in_host"],
    ['url: "https://api.example.com:${input.n}/"', "reference_in_host"],
    ['url: "${input.id}"', "bad_url"],
    ['url: "${input.id}://h/"', "bad_url"],
    ['url: "/relative"', "bad_url"],
    ['url: "ftp://h/x"', "bad_url"],
    ['url: "https://u:p@h/x"', "bad_url"],
    ['url: "https:///x"', "bad_url"],
    ['url: "https://h/x#${input.id}"', "bad_url"],
    ['url: "https://h/${input.idd}"', "unknown_reference"],
    ['url: "https://h/${inputs.id}"', "unknown_reference"],
    ['url: "https://h/${env.HOME}"', "unknown_reference"],
    ['url: "https://h/${secret.KEYY}"', "unknown_reference"],
    ['url: "https://h/${input.id.x}"', "bad_reference"],
    ['url: "https://h/${input.id"', "bad_reference"],
    ['url: "https://h/${}"', "bad_reference"],
    ['url: "https://h/${input.id | upper}"', "bad_reference"],
    ["url: https://h/\nmethod: FETCH", "bad_value"],
    ["url: https://h/\nmethod: GET\nbody: x", "bad_value"],
    ['url: https://h/\nheaders: { "a b": x }', "bad_value"],
    ["url: https://h/\nheader: {}", "unknown_key"],
    ['url: https://h/\nbody: { a: ["${input.nope}"] }', "unknown_reference"],
  ])("%s is refused with %s", async (entry, code) => {
    const problems = await problemsOf(entry);
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect((await parse(file(entry))).tool).toBeUndefined();
  });

  test("an invalid reference is underlined exactly", async () => {
    const [problem] = await problemsOf('url: "https://h/${input.id}/${input.tagg}"');
    expect(problem).toMatchObject({ line: 11, column: 31, length: 13, hint: 'did you mean "tag"?' });
  });

  test("an unused parameter produces a warning", async () => {
    const problems = await problemsOf(
      'url: https://h/\nquery: { id: "${input.id}${input.tag}${input.n}${input.opt}" }',
    );
    expect(problems).toMatchObject([
      { severity: "warning", code: "unused_parameter", message: expect.stringContaining('"list"') as string },
    ]);
  });
});

describe("values in a text body", () => {
  const json = "headers: { Content-Type: application/json }";
  const form = "headers: { Content-Type: application/x-www-form-urlencoded }";
  const hostile = 'a","role":"admin';

  test.each([
    [`${json}\nbody: '{"name":"\${input.id}"}'`, { id: hostile }, { name: hostile }],
    [`body: '{"name":"\${input.id}"}'`, { id: hostile }, { name: hostile }],
    [`${json}\nbody: '{"name": \${input.id}}'`, { id: hostile }, { name: hostile }],
    [`${json}\nbody: '{"say \\" x":"\${input.id}","n":\${input.n}}'`, { id: '"\n', n: 5 }, { 'say " x': '"\n', n: 5 }],
    [`body: '[\${input.opt}, \${input.tag}, "\${input.opt}"]'`, { opt: { a: 1 } }, [{ a: 1 }, null, '{"a":1}']],
    [`${json}\nbody: '{"key":"\${secret.KEY}"}'`, {}, { key: "k3y/&=" }],
  ])("[S13] %s is sent as JSON with exactly the fields of the file", async (entry, args, expected) => {
    const { sent } = await call(`url: ${base}/x\n${entry}`, args);
    expect(JSON.parse(sent?.body ?? "")).toEqual(expected);
  });

  test("[S13] a value in a form text adds no field", async () => {
    const { sent } = await call(`url: ${base}/x\n${form}\nbody: "name=\${input.id}&role=user"`, {
      id: "a&role=admin =b",
    });
    expect([...new URLSearchParams(sent?.body)]).toEqual([
      ["name", "a&role=admin =b"],
      ["role", "user"],
    ]);
  });

  test("[S13] a map is sent as form fields, if the content type says so", async () => {
    const { sent } = await call(`url: ${base}/x\n${form}\nbody: { name: "\${input.id}", list: "\${input.list}" }`, {
      id: "a&b",
      list: ["p", "q"],
    });
    expect(sent?.body).toBe("name=a%26b&list=p&list=q");
  });

  test("[S13] other texts stay as they are", async () => {
    const { sent } = await call(`url: ${base}/x\nbody: "Hello \${input.id}!"`, { id: hostile });
    expect(sent?.body).toBe(`Hello ${hostile}!`);
  });

  test("[S13] validate recommends a map, and nothing for a map or a text without values", async () => {
    const of = async (entry: string) =>
      (await parse(file(`url: ${base}/x\n${entry}`))).problems.filter(({ code }) => code === "text_body");
    expect(await of(`body: '{"name":"\${input.id}"}'`)).toMatchObject([
      { severity: "warning", line: 12, column: 9, hint: expect.stringContaining("body: { name:") },
    ]);
    expect(await of(`${form}\nbody: "a=\${input.id}"`)).toHaveLength(1);
    expect(await of(`body: { name: "\${input.id}" }`)).toEqual([]);
    expect(await of(`body: '{"name":"x"}'`)).toEqual([]);
    expect(await of('body: "${input.opt}"')).toEqual([]);
  });
});
