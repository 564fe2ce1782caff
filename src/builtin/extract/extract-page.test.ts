import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { type ExtractedPage, createExtractor } from "./index.ts";

interface Marks {
  readonly page: string;
  readonly url: string;
  readonly title: string;
  readonly language?: string;
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
  readonly code: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly headings: readonly string[];
  readonly links: readonly string[];
}

const folder = new URL("../../../test/data/pages/", import.meta.url);
const pages = JSON.parse(readFileSync(new URL("marks.json", folder), "utf8")) as readonly Marks[];
const extractor = createExtractor({ limitMs: 20_000 });
afterAll(() => extractor.close());

const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ");

describe.each(pages)("the content of $page", (marks) => {
  let found: Promise<ExtractedPage> | undefined;
  const page = (): Promise<ExtractedPage> => (found ??= extractor.page(read(marks.page), { url: marks.url }));

  test("is found with its title", async () => {
    const { title, language, method, truncated } = await page();
    expect({ title, language, truncated }).toEqual({ title: marks.title, language: marks.language, truncated: false });
    expect(["article", "main", "page"]).toContain(method);
  });

  test("has the annotated sentences, and none of the boilerplate", async () => {
    const text = squeeze((await page()).text);
    const missing = marks.must.filter((sentence) => !text.includes(sentence));
    const stray = marks.mustNot.filter((sentence) => text.includes(sentence));
    expect({ missing, stray }).toEqual({ missing: [], stray: [] });
  });

  test("keeps code line by line, in text and in fences", async () => {
    const { text, markdown } = await page();
    const fenced = markdown
      .split("\n")
      .map((line) => line.replace(/^> /, ""))
      .join("\n");
    const blocks = [...fenced.matchAll(/^ *(`{3,})\S*\n([^]*?)\n *\1$/gm)].map((match) => `${match[2]}\n`);
    for (const code of marks.code) {
      expect(text).toContain(code.trimEnd());
      expect(blocks.some((block) => block.includes(code))).toBe(true);
    }
  });

  test("keeps tables, headings and absolute links", async () => {
    const { tables, headings, links, markdown } = await page();
    const rows = tables.flatMap((table) => table.rows.map((row) => row.join(" | ")));
    for (const row of marks.rows) expect(rows).toContain(row.join(" | "));
    expect(markdown.includes("| --- |")).toBe(tables.length > 0);
    expect(headings.map((heading) => heading.text)).toEqual(expect.arrayContaining([...marks.headings]));
    expect(links.map((link) => link.url)).toEqual(expect.arrayContaining([...marks.links]));
    for (const { url } of links) expect(url).toMatch(/^https?:/);
  });
});

test("metadata of a page: author, site, date and description as stated", async () => {
  const page = await extractor.page(read("article-zh.html"), { url: "https://news.test/2024/03/tides.html" });
  expect(page).toMatchObject({
    kind: "html",
    byline: "林小舟",
    site: "海边日报",
    published: "2024-03-18T08:00:00+08:00",
    excerpt: "一座小港口怎样跟着潮水安排一天的工作。",
    tables: [{ caption: "三月十八日潮位" }],
  });
});

test("the links of the whole page include those of the navigation", async () => {
  const url = "https://news.test/2024/03/tides.html";
  const html = read("article-zh.html");
  const { links } = await extractor.page(html, { url, as: "links" });
  expect(links.map((link) => link.text)).toEqual(
    expect.arrayContaining(["国际新闻", "排班系统", "海堤修好了，居民说放心了"]),
  );
  const { links: own } = await extractor.page(html, { url });
  expect(own).toEqual([{ text: "排班系统", url: "https://news.test/projects/schedule" }]);
});

test("the structured form has at most 20 links", async () => {
  const html = `<p>Many links.</p>${Array.from({ length: 50 }, (_, at) => `<p>See <a href="/${at}">page ${at}</a>.</p>`).join("")}`;
  const page = await extractor.page(html, { url: "https://a.test/", as: "structured" });
  expect(page.links).toHaveLength(20);
  expect(page.links[0]).toEqual({ text: "page 0", url: "https://a.test/0" });
  expect((await extractor.page(html, { url: "https://a.test/" })).links).toHaveLength(50);
});

test("addresses: scripts, data, mail and fragments of the same page are not links; images are listed", async () => {
  const html = `<base href="/docs/"><main><p>Text <a href="guide">Guide</a> <a href="javascript:alert(1)">run</a>
    <a href="data:text/html,x">data</a> <a href="mailto:a@b.test">mail</a> <a href=" JAVASCRIPT:x">run2</a>
    <a href="#top">top</a> <a href="https://a.test/page#x">here</a> <a href="//cdn.test/x">other</a>
    <img src="pic.png" alt="A chart"> <img src="data:image/png;base64,AA" alt="inline"></p></main>`;
  const page = await extractor.page(html, { url: "https://a.test/page" });
  expect(page.links).toEqual([
    { text: "Guide", url: "https://a.test/docs/guide" },
    { text: "other", url: "https://cdn.test/x" },
  ]);
  expect(page.images).toEqual([{ text: "A chart", url: "https://a.test/docs/pic.png" }]);
  expect(page.markdown).toContain("![A chart](https://a.test/docs/pic.png)");
  expect(page.markdown).not.toMatch(/javascript|data:|mailto/i);
  expect(page.text).toMatch(/run.*data.*mail/s);
});

test("relative links of a page without an address are plain text", async () => {
  const page = await extractor.page(`<p>See <a href="/x">there</a> or <a href="https://b.test/">B</a>.</p>`);
  expect(page.links).toEqual([{ text: "B", url: "https://b.test/" }]);
  expect(page.markdown).toBe("See there or [B](https://b.test/).");
});

test("a long text is cut at a line or a word, and marked as truncated", async () => {
  const html = `<article>${"<p>Some words that make up a sentence of moderate length, again.</p>".repeat(100)}</article>`;
  const page = await extractor.page(html, { maxChars: 1000 });
  expect(page.truncated).toBe(true);
  expect(page.text.length).toBeLessThanOrEqual(1000);
  expect(page.text.length).toBeGreaterThan(700);
  expect(page.markdown.length).toBeLessThanOrEqual(1000);
  const emoji = await extractor.page(`<p>${"😀".repeat(100)}</p>`, { maxChars: 51 });
  expect(emoji.text).toBe("😀".repeat(25));
});

test("text contains no control, bidi or escape characters", async () => {
  const page = await extractor.page(
    `<title>a\u202Eb</title><p>red \u001b[31mtext\u001b[0m \u202Eevil\u{E0041} <a href="https://a.test/">\u0007go</a></p>`,
  );
  // oxlint-disable-next-line no-control-regex
  expect(JSON.stringify(page)).not.toMatch(/\\u001b|\\u0007|[\u001b\u202e\u{e0041}]/iu);
  expect(page.title).toBe("ab");
});

test.each([
  ["a fragment", "<p>kept</p>"],
  ["a body alone", "<body><p>kept</p></body>"],
  ["a head without a body", "<!doctype html><html><head><title>T</title></head><p>kept</p></html>"],
  ["a title alone", "<!doctype html><title>T</title><p>kept"],
  ["text before its root", "kept<html><body></body></html>"],
  ["elements before its root", "<p>kept</p><html><body></body></html>"],
  ["two bodies", "<html><body></body><body><p>kept</p></body></html>"],
  ["text alone", "kept"],
  ["frames", "<html><frameset><frame src=x><noframes>x</noframes></frameset></html>kept"],
  ["navigation that never ends", "<html><body><nav><a href=/x>kept</a>"],
])("a page of unusual shape is read: %s", async (_, html) => {
  expect((await extractor.page(html)).text).toBe("kept");
});

test("an aborted signal stops the extraction", async () => {
  const reason = new AbortController();
  reason.abort();
  await expect(extractor.page("<p>x", { signal: reason.signal })).rejects.toMatchObject({
    code: "cancelled",
    reason: "aborted",
  });
  const late = new AbortController();
  const reading = extractor.page(`<body>${"<p>words</p>".repeat(20_000)}`, { signal: late.signal });
  setImmediate(() => late.abort());
  await expect(reading).rejects.toMatchObject({ code: "cancelled" });
});
