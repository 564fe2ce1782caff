import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type StreamingDoor, createDoor } from "./door.ts";

const opened: { door: StreamingDoor; server: Server }[] = [];

afterEach(async () => {
  for (const { door, server } of opened.splice(0)) {
    await door.close();
    server.closeAllConnections();
    server.close();
  }
});

/** A server, the door to it, and its address. */
async function site(handler: Parameters<typeof createServer>[1]): Promise<{ door: StreamingDoor; url: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const door = createDoor({ allow: [`127.0.0.1:${port}`] });
  opened.push({ door, server });
  return { door, url: `http://127.0.0.1:${port}/` };
}

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

describe("a response that is read while it arrives", () => {
  test("is there as soon as its head is, and its body as it comes", async () => {
    let go: () => void = () => {};
    const { door, url } = await site((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("one ");
      go = () => response.end("two");
    });
    const stream = await door.open({ url });
    expect(stream).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream" }, url });
    const pieces = stream.body[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("one ");
    go();
    expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe("two");
    expect((await pieces.next()).done).toBe(true);
  });

  test("is decoded, and sent what the caller sends", async () => {
    const { door, url } = await site((request, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "x-method": request.method });
      response.end(gzipSync(String(request.headers["x-key"])));
    });
    const stream = await door.open({ url, method: "POST", body: "{}", headers: { "x-key": "k" } });
    expect([stream.headers["x-method"], await read(stream.body)]).toEqual(["POST", "k"]);
  });

  test("ends with the caller's signal, and with the door", async () => {
    const closed: string[] = [];
    const { door, url } = await site((request, response) => {
      response.writeHead(200).write("x");
      response.on("close", () => closed.push(request.url ?? ""));
    });
    const cancel = new AbortController();
    const first = await door.open({ url: `${url}a`, signal: cancel.signal });
    const reading = read(first.body);
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: "cancelled", reason: "aborted" });
    const second = await door.open({ url: `${url}b` });
    const other = read(second.body).catch((error: unknown) => error);
    await door.close();
    expect(await other).toMatchObject({ reason: "closed" });
    await expect.poll(() => closed.toSorted()).toEqual(["/a", "/b"]);
  });

  test("lets go of its connection when it is closed unread", async () => {
    let closed = 0;
    const { door, url } = await site((_, response) => {
      response.writeHead(200).write("x");
      response.on("close", () => closed++);
    });
    (await door.open({ url })).close();
    await expect.poll(() => closed).toBe(1);
  });

  test("that breaks off fails, and one that never begins fails in time", async () => {
    const { door, url } = await site((request, response) => {
      if (request.url === "/never") return;
      response.writeHead(200).write("x");
      setTimeout(() => response.destroy(), 20);
    });
    const stream = await door.open({ url });
    await expect(read(stream.body)).rejects.toMatchObject({ reason: "reset" });
    await expect(door.open({ url: `${url}never`, headTimeoutMs: 50 })).rejects.toMatchObject({ reason: "timeout" });
  });

  test("is guarded like every other, and gives a redirect as it is where that is asked for", async () => {
    const { door, url } = await site((request, response) => {
      if (request.url === "/") response.writeHead(307, { location: "/there" }).end();
      else response.end("there");
    });
    expect(await read((await door.open({ url })).body)).toBe("there");
    const manual = await door.open({ url, redirect: "manual" });
    expect(manual).toMatchObject({ status: 307, headers: { location: "/there" } });
    manual.close();
    await expect(door.open({ url: "http://127.0.0.1:1/" })).rejects.toMatchObject({ reason: "ssrf_ip" });
    await expect(door.open({ url, headers: { host: "evil" } })).rejects.toMatchObject({ reason: "forbidden_header" });
  });
});
