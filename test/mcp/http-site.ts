import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";

/** A message of the protocol. */
export type Message = Readonly<Record<string, unknown>> & { readonly id?: unknown; readonly method?: string };

/** A request, and the ways to answer it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The body, if it is a message. */
  readonly message: Message;
  readonly body: string;
  /** Answers with JSON. */
  readonly json: (value: unknown, status?: number, headers?: Record<string, string>) => void;
  /** Answers with the result of the message. */
  readonly result: (result: unknown, headers?: Record<string, string>) => void;
  /** Sends one message of a stream of them. */
  readonly event: (message: unknown) => void;
}

/** A handwritten server on loopback. */
export interface HttpSite {
  readonly origin: string;
  readonly url: string;
  /** The requests received: `POST tools/call`, `GET /`. */
  readonly requested: string[];
  stop(): void;
}

const sites: Server[] = [];

afterEach(() => {
  for (const server of sites.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Opens it for one test. */
export async function httpSite(answer: (exchange: Exchange) => void): Promise<HttpSite> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const exchange = exchangeOf(request, response, body);
      requested.push(`${request.method} ${exchange.message.method ?? exchange.path}`);
      answer(exchange);
    });
  });
  sites.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin, url: `${origin}/mcp`, requested, stop };
}

function exchangeOf(request: IncomingMessage, response: ServerResponse, body: string): Exchange {
  const message = parse(body);
  const json: Exchange["json"] = (value, status = 200, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  return {
    request,
    response,
    path: new URL(request.url ?? "/", "http://x").pathname,
    message,
    body,
    json,
    result: (result, headers) => json({ jsonrpc: "2.0", id: message.id, result }, 200, headers),
    event: (sent) => {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(sent)}\n\n`);
    },
  };
}

function parse(body: string): Message {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return {};
  }
}

/**
 * Answers like a server of an older protocol version before a tool is called; false if it is a call, or something else.
 */
export function shakesHands({ message, request, response, result, json }: Exchange): boolean {
  if (request.method === "GET") {
    json({}, 405);
    return true;
  }
  switch (message.method) {
    case "initialize":
      result(
        {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "site", version: "1" },
        },
        { "mcp-session-id": "s1" },
      );
      return true;
    case "server/discover":
      json({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: "no session" } }, 400);
      return true;
    case "notifications/initialized":
      response.writeHead(202).end();
      return true;
    default:
      if (request.method !== "DELETE") return false;
      json({});
      return true;
  }
}
