import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { exceedsJsonKeys, inputLimits } from "../../../base/index.ts";

/** Result of reading a body. */
export type Body =
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
