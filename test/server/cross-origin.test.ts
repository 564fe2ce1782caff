import { expect, test } from "vitest";
import { files } from "./route-samples.ts";
import { adminToken, serveWorkspace } from "./serve-workspace.ts";

const origin = "https://app.example";

test("a page of an allowed origin may send requests with a token, and read the responses and their headers [P06]", async () => {
  const { url, send } = await serveWorkspace(files, { allowedOrigins: [origin] });
  const preflight = await fetch(`${url}/v1/tools/say/call`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": "authorization,content-type,idempotency-key",
    vary: "origin",
  });
  const body = { args: { text: "hi" } };
  const called = await send("POST", "/v1/tools/say/call", { body, headers: { origin } });
  const refused = await send("POST", "/v1/tools/say/call", { body, headers: { origin }, token: null });
  const unknown = await send("GET", "/v1/nothing", { headers: { origin } });
  expect([called.status, refused.status, unknown.status]).toEqual([200, 401, 404]);
  for (const { headers } of [called, refused, unknown]) {
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-expose-headers")).toBe("*");
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  }
});

test("other pages are refused, and requests without an Origin get no such headers [P06]", async () => {
  const { url, send } = await serveWorkspace(files, { allowedOrigins: [origin] });
  const preflight = await fetch(`${url}/v1/tools`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example.evil", "access-control-request-method": "GET" },
  });
  const foreign = await send("GET", "/v1/tools", { headers: { origin: "https://app.example.evil" } });
  const plain = await send("GET", "/v1/tools");
  // Not a preflight: it names no method.
  const odd = await fetch(`${url}/v1/tools`, { method: "OPTIONS", headers: { origin } });
  expect([preflight.status, foreign.status, plain.status, odd.status]).toEqual([405, 403, 200, 405]);
  for (const { headers } of [preflight, foreign, plain]) expect(headers.has("access-control-allow-origin")).toBe(false);
});

test("a foreign Host is refused from a page of an allowed origin, too [P06]", async () => {
  const { server } = await serveWorkspace(files, { allowedOrigins: [origin] });
  const headers = { origin, host: "evil.example", authorization: `Bearer ${adminToken}` };
  const response = await server.fetch(new Request("http://127.0.0.1/v1/tools", { headers }));
  expect(response.status).toBe(403);
});
