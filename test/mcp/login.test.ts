import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { McpHttpAddress } from "../../src/hub/mcp/mcp-port.ts";
import { always, connecting, failureOf, textOf } from "./connecting.ts";
import { type Exchange, type HttpSite, httpSite, shakesHands } from "./http-site.ts";

/** A server that requires a login, and its authorization server, at one address. */
interface Guarded {
  readonly site: HttpSite;
  readonly address: McpHttpAddress;
  /** Valid tokens. */
  readonly keys: Set<string>;
  readonly requests: URLSearchParams[];
}

async function guarded(more: { page?: (origin: string) => string; refresh?: boolean } = {}): Promise<Guarded> {
  const keys = new Set<string>();
  const requests: URLSearchParams[] = [];
  const answers: Record<string, (exchange: Exchange) => void> = {
    "/.well-known/oauth-protected-resource/mcp": ({ json }) =>
      json({ resource: site.url, authorization_servers: [site.origin], scopes_supported: ["use"] }),
    "/.well-known/oauth-authorization-server": ({ json }) =>
      json({
        issuer: site.origin,
        authorization_endpoint: more.page?.(site.origin) ?? `${site.origin}/authorize`,
        token_endpoint: `${site.origin}/token`,
        registration_endpoint: `${site.origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      }),
    "/register": ({ json, message }) => json({ ...message, client_id: "me" }, 201),
    "/token": ({ json, body }) => {
      const requested = new URLSearchParams(body);
      requests.push(requested);
      if (requested.get("grant_type") === "refresh_token" && more.refresh === false)
        return json({ error: "invalid_grant" }, 400);
      const key = `key-${requests.length}`;
      keys.add(key);
      json({ access_token: key, token_type: "Bearer", refresh_token: `again-${requests.length}`, expires_in: 3600 });
    },
  };
  const site = await httpSite((exchange) => {
    const answer = answers[exchange.path];
    if (answer !== undefined) return answer(exchange);
    if (exchange.path !== "/mcp") return exchange.json({}, 404);
    const key = exchange.request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (!keys.has(key)) {
      return exchange.json({}, 401, {
        "www-authenticate": `Bearer resource_metadata="${site.origin}/.well-known/oauth-protected-resource/mcp"`,
      });
    }
    if (!shakesHands(exchange)) exchange.result({ content: [{ type: "text", text: `with ${key}` }] });
  });
  return { site, keys, requests, address: { kind: "http", url: site.url, headers: {} } };
}

/** A browser in which the user confirms the login. */
function agree(page: string, change: (back: URL) => void = () => {}): void {
  const requested = new URL(page).searchParams;
  const back = new URL(requested.get("redirect_uri") ?? "");
  back.searchParams.set("code", "c");
  back.searchParams.set("state", requested.get("state") ?? "");
  change(back);
  void fetch(back).then((response) => response.text());
}

describe("a server that requires a login", () => {
  test("explains how to log in if no login is stored, and receives no further requests", async () => {
    const { address, site } = await guarded();
    const { connect } = connecting();
    const failure = await failureOf(connect(address));
    expect(failure.toFailure()).toMatchObject({ code: "not_available", reason: "unauthorized", retry: "never" });
    expect(failure.message).toContain("windlass mcp login test");
    expect(site.requested).toEqual(["POST server/discover"]);
  });

  test("is logged in to once; the token is stored readable by this user only, and refreshed", async () => {
    const { address, keys, requests } = await guarded();
    const { connect, connector, stateDir } = connecting();
    const pages: URL[] = [];
    const open = (page: string): void => {
      pages.push(new URL(page));
      agree(page);
    };
    expect(await connector.login("test", address, { signal: always, open })).toBe(true);
    // With a valid token the user is not prompted again.
    expect(await connector.login("test", address, { signal: always, open })).toBe(false);
    expect(pages).toHaveLength(1);
    expect(Object.fromEntries(pages[0]?.searchParams ?? [])).toMatchObject({
      client_id: "me",
      code_challenge_method: "S256",
      scope: "use",
      resource: address.url,
    });
    const folder = join(stateDir, "mcp", "auth");
    const [file = ""] = readdirSync(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600]);

    const connection = await connect(address);
    expect(await textOf(connection.callTool("t", {}, { signal: always }))).toBe("with key-1");
    keys.clear();
    expect(await textOf(connection.callTool("t", {}, { signal: always }))).toBe("with key-2");
    expect(requests.map((requested) => requested.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
    expect(readFileSync(join(folder, file), "utf8")).toContain("again-2");
  });

  test("a server whose token cannot be refreshed requires another login", async () => {
    const { address, keys } = await guarded({ refresh: false });
    const { connect, connector } = connecting();
    await connector.login("test", address, { signal: always, open: (page) => agree(page) });
    const connection = await connect(address);
    keys.clear();
    expect(await failureOf(connection.callTool("t", {}, { signal: always }))).toMatchObject({ reason: "unauthorized" });
    expect(await failureOf(connect(address))).toMatchObject({ reason: "unauthorized" });
  });

  test("receives the headers of its entry, and an authorization server elsewhere does not", async () => {
    const seen: [string, unknown][] = [];
    const note = ({ request, path }: Exchange): void => void seen.push([path, request.headers["x-api-key"]]);
    const store = await httpSite((exchange) => {
      note(exchange);
      const { json, path, message } = exchange;
      if (path === "/register") return json({ ...message, client_id: "me" }, 201);
      if (path === "/token") return json({ access_token: "good", token_type: "Bearer" });
      if (path !== "/.well-known/oauth-authorization-server") return json({}, 404);
      const [issuer, endpoint] = [store.origin, (name: string) => `${store.origin}/${name}`];
      json({
        issuer,
        authorization_endpoint: endpoint("authorize"),
        token_endpoint: endpoint("token"),
        registration_endpoint: endpoint("register"),
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    });
    const server = await httpSite((exchange) => {
      note(exchange);
      const { json, path, request } = exchange;
      const metadata = "/.well-known/oauth-protected-resource/mcp";
      if (path === metadata) return json({ resource: server.url, authorization_servers: [store.origin] });
      const challenge = { "www-authenticate": `Bearer resource_metadata="${server.origin}${metadata}"` };
      if (request.headers.authorization !== "Bearer good") return json({}, 401, challenge);
      if (!shakesHands(exchange)) json({}, 404);
    });
    const { connector } = connecting();
    const address = { kind: "http", url: server.url, headers: { "X-Api-Key": "for the server alone" } } as const;
    expect(await connector.login("test", address, { signal: always, open: (page) => agree(page) })).toBe(true);
    const withKey = new Set(seen.filter(([, key]) => key !== undefined).map(([path]) => path));
    const without = new Set(seen.filter(([, key]) => key === undefined).map(([path]) => path));
    expect(withKey).toEqual(new Set(["/mcp", "/.well-known/oauth-protected-resource/mcp"]));
    expect(without).toEqual(new Set(["/.well-known/oauth-authorization-server", "/register", "/token"]));
  });

  test("a server under another address does not get the token of this one", async () => {
    const { address, site } = await guarded();
    const { connect, connector } = connecting();
    await connector.login("test", address, { signal: always, open: (page) => agree(page) });
    const keys: unknown[] = [];
    const other = await httpSite((exchange) => {
      keys.push(exchange.request.headers.authorization);
      exchange.json({}, 401);
    });
    await failureOf(connect({ ...address, url: other.url }));
    expect(keys).toEqual([undefined]);
    expect(site.requested).toContain("POST /token");
  });

  test.each([
    ["refuses", (back: URL) => back.searchParams.set("error", "access_denied"), "was rejected: access_denied"],
    ["answers for another login", (back: URL) => back.searchParams.set("state", "x"), "belongs to another login"],
    [
      "comes from another issuer",
      (back: URL) => back.searchParams.set("iss", "https://evil.example"),
      "Issuer mismatch",
    ],
  ])("is not logged in to if the page %s", async (_, change, reported) => {
    const { address, requests } = await guarded();
    const { connector } = connecting();
    const failure = await failureOf(
      connector.login("test", address, { signal: always, open: (page) => agree(page, change) }),
    );
    expect(failure).toMatchObject({ reason: "unauthorized" });
    expect(failure.message).toContain(reported);
    expect(requests).toEqual([]);
  });

  test("is not logged in to at a page that no browser is to open", async () => {
    const { address } = await guarded({ page: () => "http://elsewhere.example/authorize" });
    const { connector } = connecting();
    const opened: string[] = [];
    const open = (page: string) => opened.push(page);
    const failure = await failureOf(connector.login("test", address, { signal: always, open }));
    expect([failure.reason, opened]).toEqual(["unauthorized", []]);
  });

  test("is not awaited when the user cancels", async () => {
    const { address } = await guarded();
    const { connector } = connecting();
    const cancel = new AbortController();
    const open = () => cancel.abort();
    expect(await failureOf(connector.login("test", address, { signal: cancel.signal, open }))).toMatchObject({
      code: "cancelled",
    });
  });
});
