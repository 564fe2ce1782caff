import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Where a browser comes back to after a login. */
export interface LoopbackRedirect {
  readonly url: string;
  /** What it came back with. */
  wait(signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const page = `<!doctype html><meta charset="utf-8"><title>Windlass</title><p>Done. You can close this window.</p>\n`;

/** Waits on this machine, on a port that is free or on the one that the server was told of. */
export async function openLoopbackRedirect(port = 0): Promise<LoopbackRedirect> {
  const { createServer } = await import("node:http");
  const came = Promise.withResolvers<URLSearchParams>();
  // Nobody may wait for it.
  came.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const isCallback = request.method === "GET" && url?.pathname === "/callback" && url.searchParams.has("state");
    response.writeHead(isCallback ? 200 : 404, { "content-type": "text/html; charset=utf-8", connection: "close" });
    response.end(isCallback ? page : "");
    if (isCallback) came.resolve(url.searchParams);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has one.
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/callback`,
    wait: (signal) => {
      const give = (): void => came.reject(signal.reason);
      signal.addEventListener("abort", give, { once: true });
      if (signal.aborted) give();
      return came.promise.finally(() => signal.removeEventListener("abort", give));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
