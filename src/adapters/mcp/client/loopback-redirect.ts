import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** The address that a browser is redirected to after a login. */
export interface LoopbackRedirect {
  readonly url: string;
  /** Query parameters of the redirect. */
  wait(signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const page = `<!doctype html><meta charset="utf-8"><title>Windlass</title><p>Done. You can close this window.</p>\n`;

/** Listens on the loopback interface, on a free port or on the one registered with the server. */
export async function openLoopbackRedirect(port = 0): Promise<LoopbackRedirect> {
  const { createServer } = await import("node:http");
  const redirected = Promise.withResolvers<URLSearchParams>();
  // No caller may be waiting yet.
  redirected.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const isCallback = request.method === "GET" && url?.pathname === "/callback" && url.searchParams.has("state");
    response.writeHead(isCallback ? 200 : 404, { "content-type": "text/html; charset=utf-8", connection: "close" });
    response.end(isCallback ? page : "");
    if (isCallback) redirected.resolve(url.searchParams);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A listening server has a port.
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actualPort}/callback`,
    wait: (signal) => {
      const abort = (): void => redirected.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      return redirected.promise.finally(() => signal.removeEventListener("abort", abort));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
