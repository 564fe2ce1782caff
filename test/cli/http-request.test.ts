import { readFile } from "node:fs/promises";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const seen: IncomingMessage[] = [];
const server = createServer((request, response) => {
  seen.push(request);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method: request.method, path: request.url }));
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const file = join(import.meta.dirname, "../fixtures/tools/http_request.yaml");

describe("the http_request.yaml of a workspace, dropped into tools/", () => {
  test("[B01] [B07] works against a server that windlass.yaml allows, and is refused otherwise", async () => {
    const tool = { "tools/http_request.yaml": await readFile(file, "utf8") };
    const allowed = await folder({ ...tool, "windlass.yaml": `network: { allow: ["127.0.0.1:${port}"] }\n` });
    const closed = await folder({ ...tool, "windlass.yaml": "" });
    const url = `http://127.0.0.1:${port}/data?q=1`;

    const validated = await windlass(["validate"], { cwd: allowed });
    expect(validated).toMatchObject({ code: 0, stderr: "" });
    const shown = await windlass(["tools", "show", "http_request"], { cwd: allowed });
    expect(shown.stdout).toContain("tools/http_request.yaml");

    const got = await windlass(["call", "http_request", `url=${url}`], { cwd: allowed });
    expect(got.code).toBe(0);
    expect(JSON.parse(got.stdout)).toMatchObject({ status_code: 200, body: { method: "GET", path: "/data?q=1" } });
    const posted = await windlass(["call", "http_request", `url=${url}`, "method=POST", 'body={"a":1}'], {
      cwd: allowed,
    });
    expect(JSON.parse(posted.stdout)).toMatchObject({ body: { method: "POST" } });
    expect(seen).toHaveLength(2);

    const refused = await windlass(["call", "http_request", `url=${url}`, "--json"], { cwd: closed });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "permission_denied", reason: "ssrf_ip" } });
    expect(seen).toHaveLength(2);

    const wrong = await windlass(["call", "http_request", "url=ftp://x", "method=FETCH"], { cwd: allowed });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("url must match");
    expect(wrong.stderr).toContain("method must be one of");
  });
});
