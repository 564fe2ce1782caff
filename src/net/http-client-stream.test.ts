import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type StreamingHttpClient, createHttpClient } from "./http-client.ts";

const opened: { http: StreamingHttpClient; server: Server }[] = [];

afterEach(async () => {
  for (const { http, server } of opened.splice(0)) {
    await http.close();
    server.closeAllConnections();
    server.close();
  }
});

/** A server, an HTTP client for it, and its address. */
async function site(handler: Parameters<typeof createServer>[1]): Promise<{ http: StreamingHttpClient; url: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const http = createHttpClient({ allow: [`127.0.0.1:${port}`] });
  opened.push({ http, server });
  return { http, url: `http://127.0.0.1:${port}/` };
}

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

describe("a response that is read while it arrives", () => {
  test("resolves with the headers and streams the body", async () => {
    let go: () => void = () => {};
    const { http, url } = await site((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("one ");
      go = () => response.end("two");
    });
    const stream = await http.open({ url });
    expect(stream).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream" }, url });
    const pieces = stream.body[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("one ");
    go();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("two");
    expect((await pieces.next()).done).toBe(true);
  });

  test("is decoded, and receives the caller's body", async () => {
    const { http, url } = await site((request, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "x-method": request.method });
      response.end(gzipSync(String(request.headers["x-key"])));
    });
    const stream = await http.open({ url, method: "POST", body: "{}", headers: { "x-key": "k" } });
    expect([stream.headers["x-method"], await read(stream.body)]).toEqual(["POST", "k"]);
  });

  test("ends with the caller's signal, and with the HTTP client", async () => {
    const closed: string[] = [];
    const { http, url } = await site((request, response) => {
      response.writeHead(200).write("x");
      response.on("close", () => closed.push(request.url ?? ""));
    });
    const cancel = new AbortController();
    const first = await http.open({ url: `${url}a`, signal: cancel.signal });
    const reading = read(first.body);
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: "cancelled", reason: "aborted" });
    const second = await http.open({ url: `${url}b` });
    const other = read(second.body).catch((error: unknown) => error);
    await http.close();
    expect(await other).toMatchObject({ reason: "closed" });
    await expect.poll(() => closed.toSorted()).toEqual(["/a", "/b"]);
  });

  test("releases its connection when it is closed unread", async () => {
    let closed = 0;
    const { http, url } = await site((_, response) => {
      response.writeHead(200).write("x");
      response.on("close", () => closed++);
    });
    (await http.open({ url })).close();
    await expect.poll(() => closed).toBe(1);
  });

  test("a response that breaks off fails, and one that never begins fails in time", async () => {
    const { http, url } = await site((request, response) => {
      if (request.url === "/never") return;
      response.writeHead(200).write("x");
      setTimeout(() => response.destroy(), 20);
    });
    const stream = await http.open({ url });
    await expect(read(stream.body)).rejects.toMatchObject({ reason: "reset" });
    await expect(http.open({ url: `${url}never`, headTimeoutMs: 50 })).rejects.toMatchObject({ reason: "timeout" });
  });

  test("is checked like every other, and returns a redirect unfollowed if requested", async () => {
    const { http, url } = await site((request, response) => {
      if (request.url === "/") response.writeHead(307, { location: "/there" }).end();
      else response.end("there");
    });
    expect(await read((await http.open({ url })).body)).toBe("there");
    const manual = await http.open({ url, redirect: "manual" });
    expect(manual).toMatchObject({ status: 307, headers: { location: "/there" } });
    manual.close();
    await expect(http.open({ url: "http://127.0.0.1:1/" })).rejects.toMatchObject({ reason: "ssrf_ip" });
    await expect(http.open({ url, headers: { host: "evil" } })).rejects.toMatchObject({ reason: "forbidden_header" });
  });
});
