import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What came of reading a body. */
export type Body =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "too_large" }
  | { readonly kind: "gone" };

/** Reads a body, up to a size. What is larger is not read to its end. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return { kind: "too_large" };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostBytes) return { kind: "too_large" };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "gone" };
  }
  return { kind: "read", text: Buffer.concat(chunks).toString("utf8") };
}

/** The head of a request as the web knows it; its body goes beside it. Aborted when the client goes away. */
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

/** Sends an answer as fast as the client reads it, and lets go of it when the client goes away. */
export async function sendWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  // Said for each connection by Node itself.
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
