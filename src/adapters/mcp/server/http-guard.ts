import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeCrypto, exceedsJsonKeys, inputLimits } from "../../../base/index.ts";
import { createInboundGuard } from "../../../net/index.ts";
import { once } from "node:events";

/** Options that decide which clients may connect to the server. */
export interface HttpGuardOptions {
  /** Address that the server listens on. */
  readonly host: string;
  readonly token: string;
  /** Additional host names under which it may be addressed. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages whose scripts may use it, such as `https://inspector.example`. */
  readonly allowedOrigins?: readonly string[];
}

/** Reason for rejecting a request. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Checks a request before its body is read. */
export interface HttpGuard {
  refuse(request: IncomingMessage): HttpRefusal | undefined;
  /** True if the request has no origin, or one of the allowed ones. */
  isAllowedOrigin(request: IncomingMessage): boolean;
}

/** Checks the Host header, the Origin and site of a page, and the token, which is compared in constant time. */
export function createHttpGuard({ host, token, allowedHosts, allowedOrigins }: HttpGuardOptions): HttpGuard {
  const guard = createInboundGuard({ host, allowedHosts, allowedOrigins });
  const expected = digest(token);
  const isAllowedOrigin = ({ headers: { origin } }: IncomingMessage): boolean => guard.isAllowedOrigin(origin);
  const refuseToken = ({ headers }: IncomingMessage): HttpRefusal | undefined => {
    const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    const isKnown = sent !== undefined && nodeCrypto().timingSafeEqual(digest(sent), expected);
    return isKnown ? undefined : unauthorized;
  };
  return {
    isAllowedOrigin,
    refuse: (request) => {
      const { headers, socket } = request;
      const { host: sent, origin } = headers;
      const site = headers["sec-fetch-site"];
      const refusal = guard.refuse({ host: sent, origin, site: site?.toString(), port: socket.localPort });
      if (refusal !== undefined) return forbidden(refusal);
      // A CORS preflight request carries no token.
      return request.method === "OPTIONS" && isAllowedOrigin(request) ? undefined : refuseToken(request);
    },
  };
}

function forbidden(message: string): HttpRefusal {
  return { status: 403, message };
}

const unauthorized: HttpRefusal = {
  status: 401,
  message: "a valid token is needed: Authorization: Bearer TOKEN",
  headers: { "www-authenticate": 'Bearer realm="windlass"' },
};

function digest(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token, "utf8").digest();
}

/** Result of reading a body. */
type Body =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "too_large" }
  | { readonly kind: "gone" };

/** Reads a body of JSON, up to a size and a number of keys. A larger one is not read completely. */
export async function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return { kind: "too_large" };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return { kind: "too_large" };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "gone" };
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return exceedsJsonKeys(text, inputLimits.requestKeys) ? { kind: "too_large" } : { kind: "read", text };
}

/**
 * Converts the head of a request to a web `Request`; its body is passed separately. Aborted when the client
 * disconnects.
 */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const url = `http://${request.headers.host ?? "localhost"}${request.url ?? "/"}`;
  return new Request(url, { method: request.method ?? "GET", headers, signal: gone.signal });
}

/** Sends a response as fast as the client reads it, and releases it when the client disconnects. */
export async function sendWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  // Node itself sets it for each connection.
  const headers = [...answer.headers].filter(([name]) => name !== "connection");
  response.writeHead(answer.status, Object.fromEntries(headers));
  if (answer.body === null) return void response.end();
  response.flushHeaders();
  const reader = answer.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  response.once("close", cancel);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (response.destroyed) return cancel();
      if (!response.write(next.value)) await Promise.race([once(response, "drain"), once(response, "close")]);
    }
    response.end();
  } catch {
    response.destroy();
  } finally {
    response.off("close", cancel);
  }
}
