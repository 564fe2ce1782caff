import { describe, expect, test, vi } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { formatAccess } from "../../src/server/index.ts";
import { files } from "./route-samples.ts";
import {
  type Received,
  type ServedWorkspace,
  adminToken,
  serveAgain,
  serveWorkspace,
  sharedWorkspace,
} from "./serve-workspace.ts";

const shared = sharedWorkspace(files);

/** Another server over the workspace of all tests. */
const serve = async (options?: Parameters<typeof serveWorkspace>[1]): Promise<ServedWorkspace> =>
  serveAgain(await shared(), options);

const list = ({ send }: ServedWorkspace, token: string): Promise<Received> => send("GET", "/v1/tools", { token });

function problemOf({ status, body }: Received): unknown {
  const { code, detail } = body as { readonly code: string; readonly detail: string };
  return [status, code, detail];
}

describe("stored tokens", () => {
  test("a token opens the routes of its scopes, as its principal [P06]", async () => {
    const served = await serve();
    const { token } = await served.workspace.tokens.create({ name: "ci", scopes: ["call"] });
    const called = await served.send("POST", "/v1/tools/say/call", { token, body: { args: { text: "hi" } } });
    expect(called.status).toBe(200);
    expect(await list(served, token)).toMatchObject({ status: 403 });
    const { records } = await served.workspace.engine.records.query({ limit: 1 });
    expect(records).toMatchObject([{ tool: "say", principal: "ci" }]);
  });

  test("only a hash of a token is stored, and its text is redacted where it would be stored [P06]", async () => {
    const served = await serve();
    const { token, stored } = await served.workspace.tokens.create({ name: "ci", scopes: ["call"] });
    const secret = token.slice(-43);
    expect(JSON.stringify(await served.workspace.tokens.list())).not.toContain(secret);
    expect(stored.hash).toMatch(/^[\da-f]{64}$/);
    await served.send("POST", "/v1/tools/say/call", { token, body: { args: { text: `the token is ${token}` } } });
    const { records } = await served.workspace.engine.records.query({ limit: 1 });
    expect(JSON.stringify(records)).not.toContain(secret);
  });

  test("an expired and a revoked token are refused, and the response says why [P06]", async () => {
    const served = await serve();
    const { tokens } = served.workspace;
    const expired = await tokens.create({ name: "old", scopes: ["read"], expiresMs: 1 });
    const revoked = await tokens.create({ name: "lost", scopes: ["read"] });
    await tokens.revoke(revoked.stored.id);
    await vi.waitFor(() => expect(tokens.stateOf(expired.stored)).toBe("expired"));
    expect(problemOf(await list(served, expired.token))).toEqual([
      401,
      "unauthorized",
      expect.stringMatching("expired"),
    ]);
    expect(problemOf(await list(served, revoked.token))).toEqual([
      401,
      "unauthorized",
      expect.stringMatching("revoked"),
    ]);
    const wrong = revoked.token.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect(problemOf(await list(served, wrong))).toEqual([401, "unauthorized", expect.stringMatching("not valid")]);
  });

  test("a token that another process revoked opens nothing within a second [P06]", async () => {
    const served = await serve();
    const other = await openWorkspace(served.workspace.dir, { reload: false });
    const { token, stored } = await other.tokens.create({ name: "ci", scopes: ["read"] });
    expect(await list(served, token)).toMatchObject({ status: 200 });
    await other.tokens.revoke(stored.id);
    // The requests in between keep the token in use.
    await vi.waitFor(async () => expect(await list(served, token)).toMatchObject({ status: 401 }), { timeout: 10_000 });
    await other.close();
  });

  test("the use of a token is recorded [P06]", async () => {
    const served = await serve();
    const { token, stored } = await served.workspace.tokens.create({ name: "ci", scopes: ["read"] });
    expect(stored).not.toHaveProperty("lastUsedAt");
    await list(served, token);
    await vi.waitFor(async () =>
      expect(await served.workspace.tokens.list()).toContainEqual(
        expect.objectContaining({ id: stored.id, lastUsedAt: expect.any(Number) }),
      ),
    );
  });

  test.each([
    [{ name: "", scopes: ["read"] }, "cannot name a token"],
    [{ name: "a\nb", scopes: ["read"] }, "cannot name a token"],
    [{ name: " a", scopes: ["read"] }, "cannot name a token"],
    [{ name: "x".repeat(101), scopes: ["read"] }, "cannot name a token"],
    [{ name: "a", scopes: [] }, "at least one scope"],
    [{ name: "a", scopes: ["red"] }, 'did you mean "read"?'],
    [{ name: "a", scopes: ["call"], runId: "r1" }, "can only read"],
    [{ name: "a", scopes: ["read"], expiresMs: 0 }, "3650 days"],
    [{ name: "a", scopes: ["read"], expiresMs: Number.NaN }, "3650 days"],
  ] as const)("a token of %j is refused [P06]", async (request, message) => {
    const { workspace } = await serve();
    const before = await workspace.tokens.list();
    const created = workspace.tokens.create(request as Parameters<typeof workspace.tokens.create>[0]);
    await expect(created).rejects.toMatchObject({
      code: "validation_error",
      message: expect.stringContaining(message),
    });
    expect(await workspace.tokens.list()).toEqual(before);
  });

  test("a token of one run opens no other route [P06]", async () => {
    const served = await serve();
    const { token } = await served.workspace.tokens.create({ name: "link", scopes: ["read"], runId: "r1" });
    for (const path of ["/v1/tools", "/v1/records", "/v1/approvals", "/openapi.json"])
      expect(problemOf(await served.send("GET", path, { token }))).toEqual([403, "forbidden", expect.any(String)]);
  });
});

describe("limits", () => {
  test("a token that sends too many requests gets 429, and others do not [P06]", async () => {
    const served = await serve({ limits: { requestsPerSecond: 5 } });
    const { token } = await served.workspace.tokens.create({ name: "ci", scopes: ["read"] });
    const all = await Promise.all(Array.from({ length: 50 }, () => list(served, token)));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(problemOf(refused[0] as Received)).toEqual([429, "too_many_requests", expect.stringContaining('"ci"')]);
    expect(refused[0]?.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(await list(served, adminToken)).toMatchObject({ status: 200 });
  });

  test("a token has a limited number of requests at the same time [P06]", async () => {
    const served = await serveWorkspace(
      {
        "windlass.yaml": "",
        "tools/wait.ts": `import { defineTool } from ${JSON.stringify(new URL("../../src/tool/index.ts", import.meta.url).href)};
export const hold = defineTool({
  name: "hold", description: "Waits.", effect: "pure", input: { type: "object", properties: {} },
  run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
});
`,
      },
      { limits: { concurrentRequests: 2 } },
    );
    const controllers = [new AbortController(), new AbortController()];
    const held = controllers.map(({ signal }) =>
      fetch(`${served.url}/v1/tools/hold/call`, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}` },
        signal,
      }).catch(() => undefined),
    );
    await vi.waitFor(() => expect(served.workspace.engine.metrics().currentConcurrent).toBe(2));
    const refused = await list(served, adminToken);
    expect(problemOf(refused)).toEqual([429, "too_many_requests", expect.stringContaining("have not ended")]);
    for (const controller of controllers) controller.abort();
    await Promise.all(held);
    await vi.waitFor(async () => expect(await list(served, adminToken)).toMatchObject({ status: 200 }));
  });
});

describe("wrong tokens", () => {
  test("after some wrong tokens an address is slowed down, but not the tokens that it already used [P06]", async () => {
    const served = await serve();
    const [used, unused] = await Promise.all(
      ["used", "unused"].map((name) => served.workspace.tokens.create({ name, scopes: ["read"] })),
    );
    expect(await list(served, used?.token ?? "")).toMatchObject({ status: 200 });
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) statuses.push((await list(served, `wrong-token-number-${count}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 11 }, () => 401), 429]);
    const refused = await list(served, unused?.token ?? "");
    expect(problemOf(refused)).toEqual([429, "too_many_requests", expect.stringContaining("wrong tokens")]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await list(served, used?.token ?? "")).toMatchObject({ status: 200 });
    expect(await list(served, adminToken)).toMatchObject({ status: 429 });
    await vi.waitFor(async () => expect(await list(served, adminToken)).toMatchObject({ status: 200 }), {
      timeout: 10_000,
    });
  });

  test("thousands of wrong tokens at the same time are hardly ever checked [P06]", async () => {
    const served = await serve();
    let reads = 0;
    const find = served.workspace.tokens.find.bind(served.workspace.tokens);
    served.workspace.tokens.find = (token) => (reads++, find(token));
    const statuses = new Map<number, number>();
    for (let round = 0; round < 30; round++) {
      const all = Array.from({ length: 100 }, (_, at) =>
        list(served, `wlt_${"0".repeat(12)}_${`${round}-${at}-`.padEnd(43, "x")}`),
      );
      for (const { status } of await Promise.all(all)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(new Set(statuses.keys())).toEqual(new Set([401, 429]));
    // The first requests arrive before the first of them has failed.
    expect(reads).toBeLessThan(250);
    expect(statuses.get(401)).toBe(reads);
  }, 60_000);
});

describe("the routes of tokens", () => {
  const admin = { name: "deploy", scopes: ["admin"] };

  test("a token is created with its text, listed without it, and opens nothing once it is revoked [P06]", async () => {
    const served = await serveWorkspace(files);
    const created = await served.send("POST", "/v1/tokens", { body: admin });
    const { token, info: shown } = created.body as { readonly token: string; readonly info: { readonly id: string } };
    expect(shown).toMatchObject({ name: "deploy", scopes: ["admin"], status: "active" });
    expect(await list(served, token)).toMatchObject({ status: 200 });
    const { body: page } = await served.send("GET", "/v1/tokens", { token });
    expect(page).toMatchObject({ items: [shown], next_cursor: null });
    expect(JSON.stringify(page)).not.toContain("hash");
    const revoked = await served.send("DELETE", `/v1/tokens/${shown.id}`);
    expect(revoked.body).toMatchObject({ id: shown.id, status: "revoked", revoked_at: expect.any(String) });
    await vi.waitFor(async () => expect(await list(served, token)).toMatchObject({ status: 401 }), { timeout: 10_000 });
  });

  test("a token is created without an expiry by null, and pages of tokens follow each other [P06]", async () => {
    const served = await serveWorkspace(files);
    for (const name of ["a", "b", "c"])
      await served.send("POST", "/v1/tokens", { body: { ...admin, name, expires_in_ms: null } });
    const names: string[] = [];
    let path = "/v1/tokens?limit=2";
    for (let page = 0; page < 2; page++) {
      const { body } = await served.send("GET", path);
      const { items, next_cursor: next } = body as {
        items: { name: string; expires_at: string | null }[];
        next_cursor: string | null;
      };
      expect(items.map(({ expires_at: at }) => at)).not.toContain(expect.any(String));
      names.push(...items.map(({ name }) => name));
      path = `/v1/tokens?limit=2&cursor=${next ?? ""}`;
    }
    expect(names.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("a code is exchanged for a token once; used and wrong codes are refused and slowed down [P06]", async () => {
    const served = await serve();
    const code = served.server.createSessionCode({ name: "ann", scopes: ["read"] });
    const exchange = (text: string): Promise<Received> =>
      served.send("POST", "/v1/session", { token: null, body: { code: text } });
    const [first, ...others] = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    const all = [first, ...others];
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401, 401]);
    const session = all.find(({ status }) => status === 201)?.body as { readonly token: string } | undefined;
    const token = session?.token ?? "";
    expect(await list(served, token)).toMatchObject({ status: 200 });
    expect(await served.send("GET", "/v1/tokens", { token })).toMatchObject({ status: 403 });
    const statuses: number[] = [];
    for (let count = 0; count < 10; count++) statuses.push((await exchange(`wrong-${count}`)).status);
    expect(statuses.at(-1)).toBe(429);
    const fresh = served.server.createSessionCode({ name: "ann", scopes: ["read"] });
    expect(await exchange(fresh)).toMatchObject({ status: 429 });
    await vi.waitFor(async () => expect(await exchange(fresh)).toMatchObject({ status: 201 }), { timeout: 10_000 });
  });
});

test("the access log has a line for each request, without its query, its body and its token [P06] [P11]", async () => {
  const lines: string[] = [];
  const served = await serve({ onAccess: (entry) => lines.push(formatAccess(entry), formatAccess(entry, "json")) });
  const headers = { "request-id": "r-1" };
  await served.send("GET", "/v1/tools?query=hidden-word", { headers });
  await served.send("POST", "/v1/tools/say/call", { body: { args: { text: "hidden-word" } }, headers });
  await served.send("GET", "/v1/tools/say", { token: "a-wrong-token-of-the-tests", headers });
  await served.send("GET", `/v1/${adminToken}/sk-${"a1".repeat(24)}?token=hidden-word`, { headers });
  expect(lines.filter((line) => !line.startsWith("{")).map((line) => line.replace(/^\S+ |[\d.]+ms /g, ""))).toEqual([
    "GET /v1/tools 200 admin r-1",
    "POST /v1/tools/{name}/call 200 admin r-1",
    "GET /v1/tools/{name} 401 - r-1",
    expect.stringMatching(/^GET \/v1\/\S+ 404 - r-1$/),
  ]);
  for (const line of lines) expect(line).not.toMatch(/hidden-word|a1a1a1|wrong-token/);
});
