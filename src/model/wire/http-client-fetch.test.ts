import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import { type HttpClientFetchOptions, httpClientFetch } from "./http-client-fetch.ts";

const opened: { http: HttpClient; server: Server }[] = [];
afterEach(async () => {
  for (const { http, server } of opened.splice(0)) {
    await http.close();
    server.closeAllConnections();
    server.close();
  }
});

async function site(
  handler: Parameters<typeof createServer>[1],
  options: Partial<HttpClientFetchOptions> = {},
): Promise<{ get: (init?: RequestInit) => Promise<Response>; closed: () => number }> {
  let closed = 0;
  const server = createServer((request, response) => {
    response.on("close", () => closed++);
    handler?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`] });
  opened.push({ http, server });
  const fetchThere = httpClientFetch(http, { timeoutMs: 5_000, ...options });
  return { get: (init) => fetchThere(`http://127.0.0.1:${port}/`, init), closed: () => closed };
}

describe("a fetch through the HTTP client", () => {
  test("yields the body as it arrives", async () => {
    let go: () => void = () => {};
    const { get } = await site((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("one");
      go = () => response.end("two");
    });
    const response = await get();
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("one");
    go();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("two");
    expect((await reader?.read())?.done).toBe(true);
  });

  test("ends when the reader stops, and when the caller aborts", async () => {
    const { get, closed } = await site((_, response) => void response.writeHead(200).write("x"));
    await (await get()).body?.cancel();
    await expect.poll(closed).toBe(1);
    const cancel = new AbortController();
    const reading = (await get({ signal: cancel.signal })).text();
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(closed).toBe(2);
  });

  test("limits silence, time and size, and releases the connection", async () => {
    const silent = await site((_, response) => void response.writeHead(200).write("x"), { idleMs: 40 });
    await expect((await silent.get()).text()).rejects.toThrow(/sent nothing more for 0\.04 s/);
    await expect.poll(silent.closed).toBe(1);
    const dripping = await site(
      (_, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write("x"), 10);
        response.on("close", () => clearInterval(drip));
      },
      { timeoutMs: 80, idleMs: 60 },
    );
    await expect((await dripping.get()).text()).rejects.toThrow(/no complete response from .* within 0\.08 s/);
    const huge = await site((_, response) => void response.end("x".repeat(5_000)), { maxBytes: 4_096 });
    await expect((await huge.get()).text()).rejects.toThrow(/is larger than/);
    await expect.poll(dripping.closed).toBe(1);
  });

  test("never leaks a key that an error quotes, nor sends an empty one", async () => {
    const { get } = await site(
      (request, response) => {
        const sent = String(request.headers["x-api-key"]);
        response.writeHead(401).end(`sk-1 is wrong, ${sent}`);
      },
      { secret: "sk-1" },
    );
    expect(await (await get({ headers: { "x-api-key": "" } })).text()).toBe("[redacted] is wrong, undefined");
  });

  test("leaves an error unchanged if the key is so short that it may be part of any word", async () => {
    const { get } = await site((_, response) => void response.writeHead(400).end("tool blocks"), { secret: "k" });
    expect(await (await get()).text()).toBe("tool blocks");
  });

  test("reads the whole body if the HTTP client cannot stream", async () => {
    const plain: HttpClient = {
      request: () =>
        Promise.resolve({ status: 200, headers: {}, body: Buffer.from("all"), truncated: false, url: "x" }),
      close: () => Promise.resolve(),
    };
    expect(await (await httpClientFetch(plain, { timeoutMs: 100 })("http://there.test/")).text()).toBe("all");
  });
});
