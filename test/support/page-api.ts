import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { blocksOf } from "./pages.ts";

/** An exchange with the API of a page. */
interface Exchange {
  readonly request: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly response: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The address at which the pages call their APIs. */
export const pageApi = "https://api.example.com";

/** Serves the exchanges that a page shows in its blocks of HTTP; a request with other headers is unauthorized. */
export async function servePageApi(page: string): Promise<Server & { readonly host: string }> {
  const exchanges = blocksOf(page, "http").map(exchangeOf);
  const server = createServer(({ method, url, headers }, reply) => {
    const exchange = exchanges.find(({ request }) => request === `${method} ${url}`);
    const known = Object.entries(exchange?.headers ?? {}).every(([name, value]) => headers[name] === value);
    if (exchange === undefined) reply.writeHead(404).end();
    else if (known) reply.writeHead(exchange.status, exchange.response).end(exchange.body);
    else reply.writeHead(401).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return Object.assign(server, { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function exchangeOf(block: string): Exchange {
  const [sent = "", received = "", ...body] = block.trimEnd().split("\n\n");
  const [request = "", ...headers] = sent.split("\n");
  const [status = "", ...response] = received.split("\n");
  return {
    request,
    headers: headersOf(headers),
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(status)?.[1]),
    response: headersOf(response),
    body: body.join("\n\n"),
  };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line.split(": ")[0]?.toLowerCase(), line.split(": ")[1]]));
}
