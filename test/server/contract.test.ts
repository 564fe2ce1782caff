import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { type Route, type RouteName, type SchemaName, routes, standaloneSchema } from "../../src/api/index.ts";
import { fromJsonSchema, isRecord } from "../../src/schema/index.ts";
import { type RouteSample, files, hookSecret, samples } from "./route-samples.ts";
import { type Received, type ServedWorkspace, readToken, serveAgain, sharedWorkspace } from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

const table = Object.entries(routes) as [RouteName, Route][];

/** Issues of a body against a schema of the API. */
function issuesOf(name: SchemaName, body: unknown): unknown {
  return fromJsonSchema(standaloneSchema(name)).validate(body).issues;
}

/** The status of a response whose body is a problem with the same status; else what is wrong with it. */
function problemStatus({ status, headers, body }: Received): unknown {
  const type = headers.get("content-type");
  const issues = issuesOf("Problem", body);
  const isProblem = type === "application/problem+json" && issues === undefined && isRecord(body);
  return isProblem && body["status"] === status ? status : { status, type, issues };
}

async function goodRequest(
  name: RouteName,
  served: ServedWorkspace,
): Promise<RouteSample & { readonly method: string }> {
  return { method: routes[name].method, ...(await samples[name].good(served)) };
}

describe.each(table)("%s", (name, route) => {
  test("a good request gets a response of its schema [P01] [P07]", async () => {
    const served = await serveAgain(await shared());
    const { method, path, request } = await goodRequest(name, served);
    const { status, headers, body } = await served.send(method, path, request);
    expect([status, body]).toEqual([route.status ?? 200, body]);
    expect(headers.get("request-id")).toMatch(/^[\w.-]+$/);
    const schema = route.response.includes("/") ? undefined : (route.response as SchemaName);
    expect(schema && issuesOf(schema, body)).toBeUndefined();
  });

  const { bad } = samples[name];
  test.runIf(bad !== undefined)("a bad request gets a problem [P07]", async () => {
    const { send } = await serveAgain(await shared());
    expect(problemStatus(await send(route.method, bad?.path ?? "", bad?.request))).toBe(bad?.status ?? 400);
  });

  test("a refusal has no secret of the workspace in it, also if the request has one [P06] [P07]", async () => {
    const { send } = await serveAgain(await shared());
    const path = `${route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(hookSecret))}?x=${encodeURIComponent(hookSecret)}`;
    const body = { [hookSecret]: hookSecret, text: hookSecret };
    const { status, text } = await send(route.method, path, route.body === undefined ? {} : { body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(hookSecret);
  });

  const isByToken = !["none", "code", "signature"].includes(route.access);
  test.runIf(isByToken)("it needs a token with its scope [P06]", async () => {
    const served = await serveAgain(await shared());
    const { method, path, request, isPrivate } = await goodRequest(name, served);
    const statusWith = async (token: string | null): Promise<unknown> =>
      problemStatus(await served.send(method, path, { ...request, token }));
    expect(await statusWith(null)).toBe(401);
    expect(await statusWith("a-token-of-no-one")).toBe(401);
    const limited = await served.send(method, path, { ...request, token: readToken });
    expect(limited.status).toBe(route.access !== "read" ? 403 : isPrivate === true ? 404 : (route.status ?? 200));
  });

  test.runIf(route.access !== "none")("a foreign Origin and a foreign Host are refused [P06]", async () => {
    const served = await serveAgain(await shared());
    const { method, path, request } = await goodRequest(name, served);
    const foreign = await served.send(method, path, { ...request, headers: { origin: "https://evil.example" } });
    expect(problemStatus(foreign)).toBe(403);
    expect(await statusWithHost(served, method, path)).toBe(403);
  });
});

/** The status of a request with a foreign Host header, which `fetch` does not send. */
function statusWithHost({ url }: ServedWorkspace, method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url + path, { method, headers: { host: "evil.example" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("an unknown route, a wrong method, a wrong type and a large body get problems [P07]", async () => {
  const { send } = await serveAgain(await shared(), { maxBodyBytes: 1000 });
  expect(problemStatus(await send("GET", "/v1/nothing"))).toBe(404);
  const wrong = await send("DELETE", "/v1/tools");
  expect(problemStatus(wrong)).toBe(405);
  expect(wrong.headers.get("allow")).toBe("GET");
  const call = "/v1/tools/say/call";
  expect(problemStatus(await send("POST", call, { body: { args: { text: "x".repeat(2000) } } }))).toBe(413);
  expect(problemStatus(await send("POST", call, { body: "{", headers: { "content-type": "text/plain" } }))).toBe(415);
  expect(problemStatus(await send("POST", call, { body: "{" }))).toBe(400);
  expect(problemStatus(await send("POST", call, { body: "[]" }))).toBe(400);
});
