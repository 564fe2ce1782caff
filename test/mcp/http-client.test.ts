import { describe, expect, test } from "vitest";
import type { McpHttpAddress } from "../../src/hub/mcp/mcp-port.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { always, connecting, failureOf, textOf } from "./connecting.ts";
import { type Exchange, httpSite, shakesHands } from "./http-site.ts";

const at = (url: string, more: Partial<McpHttpAddress> = {}): McpHttpAddress => ({
  kind: "http",
  url,
  headers: {},
  ...more,
});
const messageText = (text: string) => ({ content: [{ type: "text", text }] });

/** The name of the tool that is called. */
function toolOf({ message }: Exchange): unknown {
  return (message["params"] as Record<string, unknown> | undefined)?.["name"];
}

describe("[C04] a server over HTTP", () => {
  test("is called, with the configured headers and in its session, which is ended", async () => {
    const seen: unknown[] = [];
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      const { authorization, "mcp-session-id": session } = exchange.request.headers;
      seen.push([authorization, session]);
      if (exchange.message.method === "tools/list")
        exchange.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
      else exchange.result(messageText("hello"));
    });
    const { connect, reported } = connecting();
    const connection = await connect(at(site.url, { headers: { Authorization: "Bearer k" } }));
    expect(connection).toMatchObject({ protocol: "2025-11-25", server: { name: "site" } });
    expect(await connection.listTools(always)).toHaveLength(1);
    expect(await textOf(connection.callTool("t", {}, { signal: always }))).toBe("hello");
    expect(seen).toEqual([
      ["Bearer k", "s1"],
      ["Bearer k", "s1"],
    ]);
    await connection.close();
    expect(site.requested.at(-1)).toBe("DELETE /mcp");
    await expect.poll(() => reported.ends).toEqual([undefined]);
  });

  test("reports progress, elicits on the stream of a call, and the right caller answers", async () => {
    const waiting = new Map<unknown, Exchange>();
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      const { message, event, response } = exchange;
      if (message.method === undefined) {
        // An answer to an elicitation.
        response.writeHead(202).end();
        const call = waiting.get(message.id);
        const { content } = message["result"] as { content?: object };
        call?.event({ jsonrpc: "2.0", id: call.message.id, result: messageText(JSON.stringify(content)) });
        call?.response.end();
        return;
      }
      const name = toolOf(exchange);
      waiting.set(`q-${String(name)}`, exchange);
      const requestedSchema = { type: "object", properties: {} };
      event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: message.id, progress: 1 } });
      // Both calls are in flight before either elicits.
      if (waiting.size < 2) return;
      for (const [id, call] of waiting) {
        call.event({
          jsonrpc: "2.0",
          id,
          method: "elicitation/create",
          params: { message: `for ${String(id)}`, requestedSchema },
        });
      }
    });
    const { connect } = connecting();
    const connection = await connect(at(site.url));
    const progress: unknown[] = [];
    const call = (name: string) =>
      textOf(
        connection.callTool(
          name,
          {},
          {
            signal: always,
            onProgress: (reported) => progress.push(reported),
            elicit: ({ message }) => Promise.resolve({ action: "accept", content: { caller: name, message } }),
          },
        ),
      );
    expect(await Promise.all([call("a"), call("b")])).toEqual([
      '{"caller":"a","message":"The MCP server \\"test\\" requests input:\\n\\nfor q-a"}',
      '{"caller":"b","message":"The MCP server \\"test\\" requests input:\\n\\nfor q-b"}',
    ]);
    expect(progress).toEqual([{ progress: 1 }, { progress: 1 }]);
  });

  test("a server that floods notifications is read more slowly, and other calls continue", async () => {
    const flood = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "flood" } };
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      if (toolOf(exchange) === "other") return exchange.result(messageText("ok"));
      const { response, event } = exchange;
      event(flood);
      const more = (): void => {
        if (response.destroyed) return;
        if (response.write(`data: ${JSON.stringify(flood)}\n\n`.repeat(500))) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    });
    const { connect, reported } = connecting({ limits: { notificationsPerSecond: 100, logLinesPerSecond: 1e6 } });
    const connection = await connect(at(site.url));
    const flooding = failureOf(connection.callTool("flood", {}, { signal: AbortSignal.timeout(1_500) }));
    expect(await textOf(connection.callTool("other", {}, { signal: always }))).toBe("ok");
    await flooding;
    // Beyond the limit, only data of the same chunk is read.
    expect(reported.lines.length).toBeLessThan(1_000);
    expect(reported.lines.filter((line) => line.includes("floods"))).toHaveLength(1);
  });

  test("a stream that breaks off fails the call as possibly executed; the next one succeeds", async () => {
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      if (toolOf(exchange) === "good") return exchange.result(messageText("ok"));
      if (toolOf(exchange) === "drop") return void exchange.response.destroy();
      exchange.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "soon" } });
      if (toolOf(exchange) === "end") exchange.response.end();
      else setTimeout(() => exchange.response.destroy(), 10);
    });
    const { connect } = connecting();
    const connection = await connect(at(site.url));
    for (const name of ["break", "end", "drop"]) {
      const failure = await failureOf(connection.callTool(name, {}, { signal: always }));
      expect(failure.toFailure("safe")).toMatchObject({
        code: "not_available",
        reason: "connection_lost",
        retry: "unsafe",
      });
    }
    expect(await textOf(connection.callTool("good", {}, { signal: always }))).toBe("ok");
    site.stop();
    const failure = await failureOf(connection.callTool("good", {}, { signal: always }));
    expect(failure.toFailure("unsafe")).toMatchObject({ code: "not_available", reason: "unreachable", retry: "safe" });
  });

  test("an answer that is too large fails that call, as JSON and as events", async () => {
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      const name = toolOf(exchange);
      if (name === "json") return exchange.result(messageText("x".repeat(3_000_000)));
      const parts = name === "many" ? 30 : 0;
      for (let part = 0; part < parts; part++) {
        exchange.event({ jsonrpc: "2.0", method: "notifications/other", params: { text: "x".repeat(100_000) } });
      }
      exchange.event({
        jsonrpc: "2.0",
        id: exchange.message.id,
        result: messageText(name === "event" ? "x".repeat(3_000_000) : "ok"),
      });
      exchange.response.end();
    });
    const { connect } = connecting({ limits: { messageBytes: 1_000_000 } });
    const connection = await connect(at(site.url));
    for (const name of ["json", "event"]) {
      const failure = await failureOf(connection.callTool(name, {}, { signal: always }));
      expect(failure.toFailure("safe")).toMatchObject({ code: "output_invalid", reason: "too_large", retry: "never" });
    }
    expect(await textOf(connection.callTool("many", {}, { signal: always }))).toBe("ok");
  });

  test("is notified of a cancelled call, which fails at once and releases its stream", async () => {
    let closed = 0;
    const cancelled: unknown[] = [];
    const site = await httpSite((exchange) => {
      if (shakesHands(exchange)) return;
      if (exchange.message.method === "notifications/cancelled") {
        cancelled.push(exchange.message["params"]);
        return void exchange.response.writeHead(202).end();
      }
      exchange.response.on("close", () => closed++);
      exchange.event({ jsonrpc: "2.0", method: "notifications/other" });
    });
    const { connect } = connecting();
    const connection = await connect(at(site.url));
    const cancel = new AbortController();
    const hanging = failureOf(connection.callTool("hang", {}, { signal: cancel.signal }));
    await expect.poll(() => site.requested).toContain("POST tools/call");
    cancel.abort();
    expect(await hanging).toMatchObject({ code: "cancelled" });
    await expect.poll(() => [cancelled, closed]).toEqual([[{ requestId: expect.any(Number), reason: "cancelled" }], 1]);
  });

  test("a server that has forgotten the session ends the connection, and the call may be retried", async () => {
    const site = await httpSite((exchange) => {
      if (!shakesHands(exchange))
        exchange.json({ jsonrpc: "2.0", id: null, error: { code: -32_001, message: "gone" } }, 404);
    });
    const { connect, reported } = connecting();
    const connection = await connect(at(site.url));
    const failure = await failureOf(connection.callTool("t", {}, { signal: always }));
    expect(failure.toFailure("unsafe")).toMatchObject({ reason: "not_sent", retry: "safe" });
    await expect.poll(() => reported.ends).toMatchObject([{ reason: "not_sent" }]);
  });

  test.each([
    [401, "unauthorized", "never"],
    [403, "forbidden", "never"],
    [429, "busy", "safe"],
    [503, "busy", "safe"],
    [500, "http_error", "unsafe"],
    [418, "http_error", "never"],
  ] as const)("a call that is answered with HTTP %i gives %s, with retry: %s", async (status, reason, retry) => {
    const site = await httpSite((exchange) => {
      if (!shakesHands(exchange)) exchange.json({ error: "no" }, status);
    });
    const { connect } = connecting();
    const connection = await connect(at(site.url));
    const failure = await failureOf(connection.callTool("t", {}, { signal: always }));
    expect(failure.toFailure("safe")).toMatchObject({ reason, retry });
  });

  test.each([
    [
      "no JSON",
      (exchange: Exchange) => exchange.response.writeHead(200, { "content-type": "application/json" }).end("{"),
    ],
    ["a page", (exchange: Exchange) => exchange.response.writeHead(200, { "content-type": "text/html" }).end("<p>")],
    ["no message", (exchange: Exchange) => exchange.json({ hello: 1 })],
    ["no result", (exchange: Exchange) => exchange.result(5)],
  ])("a call that is answered with %s fails as a bad answer", async (_, answer) => {
    const site = await httpSite((exchange) => void (shakesHands(exchange) || answer(exchange)));
    const { connect } = connecting();
    const connection = await connect(at(site.url));
    expect(await failureOf(connection.callTool("t", {}, { signal: always }))).toMatchObject({ code: "output_invalid" });
  });

  test.each(['{"hello":"world"}', "<html>", ""])(
    "a response of %j is reported as not being a message of MCP",
    async (body) => {
      const site = await httpSite(({ response }) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body),
      );
      const { connect } = connecting();
      const failure = await failureOf(connect(at(site.url)));
      expect(failure.reason).toBe("handshake_failed");
      expect(failure.message).toMatch(
        / sent a response that is not a message of MCP; check that its address is that of an/,
      );
    },
  );

  test("is reached only through the HTTP client", async () => {
    const site = await httpSite((exchange) => void shakesHands(exchange));
    const http = createHttpClient();
    const { connect } = connecting({ http });
    const failure = await failureOf(connect(at(site.url)));
    expect(failure.toFailure()).toMatchObject({ code: "permission_denied", reason: "ssrf_ip", retry: "never" });
    expect(site.requested).toEqual([]);
    await http.close();
  });

  test("cannot redirect a request with a key to another origin", async () => {
    const elsewhere = await httpSite((exchange) => void shakesHands(exchange));
    const site = await httpSite(({ response }) => response.writeHead(307, { location: elsewhere.url }).end());
    const { connect } = connecting();
    await failureOf(connect(at(site.url, { headers: { "x-api-key": "k" } })));
    expect(elsewhere.requested).toEqual([]);
  });

  test("a server that refuses connections, or never answers, fails in time", async () => {
    const { connect } = connecting({ limits: { handshakeMs: 300 } });
    const gone = await httpSite(() => {});
    gone.stop();
    expect((await failureOf(connect(at(gone.url)))).toFailure()).toMatchObject({
      reason: "unreachable",
      retry: "safe",
    });
    const silent = await httpSite(() => {});
    expect(await failureOf(connect(at(silent.url)))).toMatchObject({ reason: "no_handshake" });
  });

  test("a server of the oldest protocol version has one stream for all responses", async () => {
    let stream: Exchange | undefined;
    const site = await httpSite((exchange) => {
      const { request, path, message, response } = exchange;
      if (path === "/mcp" && request.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: endpoint\ndata: /messages\n\n");
        stream = exchange;
        return;
      }
      if (path !== "/messages") return exchange.json({}, 404);
      response.writeHead(202).end();
      const answer = (result: unknown) => stream?.event({ jsonrpc: "2.0", id: message.id, result });
      if (message.method === "initialize") {
        answer({
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "old", version: "0" },
        });
      } else if (toolOf(exchange) === "cut") stream?.response.destroy();
      else if (message.method === "tools/call") answer(messageText("from of old"));
    });
    const { connect, reported } = connecting();
    const connection = await connect(at(site.url));
    expect(connection.protocol).toBe("2024-11-05");
    expect(await textOf(connection.callTool("t", {}, { signal: always }))).toBe("from of old");
    const failure = await failureOf(connection.callTool("cut", {}, { signal: always }));
    expect(failure.toFailure("safe")).toMatchObject({ reason: "connection_lost", retry: "unsafe" });
    await expect.poll(() => reported.ends).toHaveLength(1);
  });
});
