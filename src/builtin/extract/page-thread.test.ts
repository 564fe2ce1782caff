import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { PageThread, type PageThreadOptions } from "./page-thread.ts";
import type { DocumentJob } from "./read-document.ts";
import { createExtractor } from "./index.ts";
import { workerUrl } from "./extractor.ts";

const slow = `<body>${"<ul><li>".repeat(100)}x${"<li>y".repeat(20_000)}`;
const job = (html: string): DocumentJob => ({ kind: "html", body: Buffer.from(html), maxChars: 1000 });

function makeThread(options: Partial<PageThreadOptions> = {}): PageThread {
  return new PageThread({
    url: workerUrl(),
    clock: systemClock,
    limitMs: 20_000,
    idleMs: 20_000,
    maxWaiting: 10,
    ...options,
  });
}

test("the thread's code is at the expected location", () => {
  expect(existsSync(workerUrl())).toBe(true);
});

describe("the thread that reads documents", () => {
  test("starts with the first page and is reused", async () => {
    const thread = makeThread();
    expect(thread.running).toBe(false);
    const pages = await Promise.all([thread.read(job("<body><p>one")), thread.read(job("<body><p>two"))]);
    expect(pages.map((page) => page?.text)).toEqual(["one", "two"]);
    expect(thread.running).toBe(true);
    await thread.close();
    expect(thread.running).toBe(false);
    expect(await thread.read(job("<body><p>late"))).toBeUndefined();
  });

  test("is terminated if a page takes too long; the next page gets another", async () => {
    const thread = makeThread({ limitMs: 150 });
    await thread.read(job("<body><p>warm"));
    const [hung, after] = await Promise.all([thread.read(job(slow)), thread.read(job("<body><p>after"))]);
    expect(hung).toBeUndefined();
    expect(after?.text).toBe("after");
    await thread.close();
  });

  test("ends when idle, and starts again", async () => {
    const thread = makeThread({ idleMs: 20 });
    await thread.read(job("<body><p>one"));
    await expect.poll(() => thread.running).toBe(false);
    expect((await thread.read(job("<body><p>two")))?.text).toBe("two");
    await thread.close();
  });

  test("accepts no more than the maximum number of waiting pages", async () => {
    const thread = makeThread({ maxWaiting: 2 });
    const reading = ["a", "b", "c", "d"].map((text) => thread.read(job(`<body><p>${text}`)));
    const texts = (await Promise.all(reading)).map((page) => page?.text);
    expect(texts.filter((text) => text === undefined)).toHaveLength(2);
    await thread.close();
  });

  test("drops a page whose caller has cancelled", async () => {
    const thread = makeThread();
    const leaving = new AbortController();
    const first = thread.read(job("<body><p>first"));
    const left = thread.read(job("<body><p>left"), leaving.signal);
    leaving.abort();
    expect(await left).toBeUndefined();
    expect((await first)?.text).toBe("first");
    await thread.close();
  });

  test("receives only the bytes of the document, as a copy", async () => {
    const thread = makeThread();
    const all = Buffer.from("secret<p>shown</p>secret");
    const body = all.subarray(6, 18);
    const read = await Promise.all([thread.read({ ...job(""), body }), thread.read({ ...job(""), body })]);
    expect(read.map((page) => page?.text)).toEqual(["shown", "shown"]);
    expect(body.toString()).toBe("<p>shown</p>");
    await thread.close();
  });

  test("a thread that cannot start is not retried endlessly", async () => {
    const thread = makeThread({ url: new URL("data:text/javascript,throw new Error('broken')") });
    expect(await thread.read(job("<body><p>x"))).toBeUndefined();
    expect(await thread.read(job("<body><p>x"))).toBeUndefined();
    expect(thread.running).toBe(false);
    await thread.close();
  });

  test("close settles the waiting calls", async () => {
    const thread = makeThread();
    const reading = [thread.read(job(slow)), thread.read(job("<body><p>x"))];
    await thread.close();
    expect(await Promise.all(reading)).toEqual([undefined, undefined]);
  });
});

test("a page that is too slow for the thread is read as a stream", async () => {
  const extractor = createExtractor({ limitMs: 1 });
  const page = await extractor.page(slow);
  expect(page.method).toBe("stream");
  expect(page.text).toContain("y");
  await extractor.close();
  await expect(extractor.page("<p>x")).rejects.toMatchObject({ code: "not_available", reason: "closed" });
});

test("a document that is too slow for the thread is returned unprocessed, within its limits", async () => {
  const extractor = createExtractor({ limitMs: 1 });
  const json = JSON.stringify({ title: "T", list: Array.from({ length: 100_000 }, (_, at) => at) });
  const read = (text: string, contentType: string) =>
    extractor.document(Buffer.from(text), { contentType, maxChars: 1000 });
  expect(await read(json, "application/json")).toMatchObject({
    kind: "json",
    text: json.slice(0, 1000),
    charset: "utf-8",
    truncated: true,
  });
  const markdown = "# 标题\n".repeat(20_000);
  expect(await read(markdown, "text/markdown")).toMatchObject({ kind: "markdown", truncated: true });
  expect(await read(`<a>${"<b>x</b>".repeat(20_000)}</a>`, "text/xml")).toMatchObject({ kind: "xml" });
  await extractor.close();
});

test("a process exits once its pages are read", async () => {
  const program = `import { extractPage } from ${JSON.stringify(new URL("index.ts", import.meta.url).href)};
    const { text } = await extractPage("<p>read</p>");
    process.stdout.write(text);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  const began = performance.now();
  const [code] = (await once(child, "close")) as [number];
  expect({ code, printed }).toEqual({ code: 0, printed: "read" });
  // Earlier than the idle time of the thread.
  expect(performance.now() - began).toBeLessThan(12_000);
});
