import { afterAll, describe, expect, test } from "vitest";
import { createExtractor } from "./index.ts";

const extractor = createExtractor();
afterAll(() => extractor.close());

const read = (text: string | Uint8Array, contentType?: string, url = "https://a.test/dir/file") =>
  extractor.document(typeof text === "string" ? new TextEncoder().encode(text) : text, {
    url,
    ...(contentType !== undefined && { contentType }),
  });

describe("documents by their type", () => {
  test("HTML, in the charset that it declares", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode("<meta charset=gbk><p>"), 0xc4, 0xe3, 0xba, 0xc3]);
    expect(await read(bytes, "text/html")).toMatchObject({
      kind: "html",
      text: "你好",
      charset: "gbk",
      charsetSource: "meta",
    });
  });

  test("JSON is formatted, and its shape described", async () => {
    const page = await read(`{"title":"T","items":[1,2]}`, "application/json");
    expect(page).toMatchObject({
      kind: "json",
      title: "T",
      excerpt: "an object with the keys title, items",
      method: "document",
    });
    expect(page.text).toBe('{\n  "title": "T",\n  "items": [\n    1,\n    2\n  ]\n}');
    expect(page.markdown).toBe(`\`\`\`json\n${page.text}\n\`\`\``);
    const long = "12345678901234567890";
    expect((await read(`[${long}]`, "application/json")).text).toBe(`[\n  ${long}\n]`);
    expect((await read("[{},{}]", "application/ld+json")).excerpt).toBe("a list of 2 items, the first with no keys");
    expect((await read("{broken", "application/json")).text).toBe("{broken");
    expect((await read(`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "application/json")).kind).toBe("json");
  });

  test("plain text and code are unchanged", async () => {
    expect(await read("a\r\n  b\n", "text/plain")).toMatchObject({ kind: "text", text: "a\n  b\n", links: [] });
    expect(await read("<div>x</div>", "text/css")).toMatchObject({ kind: "text", text: "<div>x</div>" });
    expect(await read("let a;", "application/javascript")).toMatchObject({ kind: "text" });
    expect(await read("a,b\n1,2", "text/csv")).toMatchObject({ kind: "text", text: "a,b\n1,2" });
  });

  test("truncated content is marked, even if little of it is visible", async () => {
    const page = await extractor.document(new TextEncoder().encode("\u202e".repeat(50)), { maxChars: 10 });
    expect(page).toMatchObject({ text: "", truncated: true });
    expect(await read("x".repeat(300_000), "text/plain")).toMatchObject({ truncated: true, text: "x".repeat(200_000) });
  });

  test("Markdown is unchanged, with its title, headings and links", async () => {
    const text =
      "# Guide\n\nSee [more](../more.md) and <https://b.test/>, not ![img](x.png).\n\n```\n# no heading [x](y)\n```\n## Next #\n";
    const page = await read(text, "text/markdown; charset=utf-8");
    expect(page).toMatchObject({ kind: "markdown", title: "Guide", text, markdown: text });
    expect(page.headings).toEqual([
      { level: 1, text: "Guide" },
      { level: 2, text: "Next" },
    ]);
    expect(page.links).toEqual([
      { text: "more", url: "https://a.test/more.md" },
      { text: "https://b.test/", url: "https://b.test/" },
    ]);
    expect((await read("---\ntitle: 'Front'\n---\n# Other", "text/plain", "https://a.test/x.md")).title).toBe("Front");
  });

  test("content without a type, or with a wrong one, is recognized by its first bytes", async () => {
    expect((await read("\n<!doctype html><p>x")).kind).toBe("html");
    expect((await read("<!-- c --><html><p>x", "text/plain")).kind).toBe("html");
    expect((await read(`{"a":1}`, "application/octet-stream")).kind).toBe("json");
    expect((await read("<rss><channel></channel></rss>", "text/plain")).kind).toBe("feed");
    expect((await read("just text")).kind).toBe("text");
    expect((await read("<b>x</b>", "text/plain")).text).toBe("<b>x</b>");
  });

  test.each([
    ["%PDF-1.7 …", "application/pdf", /application\/pdf/],
    ["%PDF-1.7 …", "text/html", /text\/html/],
    ["\u0089PNG", "image/png", /image\/png/],
    ["PK\u0003\u0004", "application/zip", /application\/zip/],
    ["a\0b\0\0c\0\0\0d", undefined, /binary/],
    ["<svg/>", "image/svg+xml", /svg/],
    ["x", "video/mp4", /video\/mp4/],
  ])("%j of type %s holds no text", async (text, type, message) => {
    await expect(read(Buffer.from(text, "latin1"), type)).rejects.toMatchObject({
      code: "execution_error",
      reason: "unsupported_type",
      message: expect.stringMatching(message) as string,
    });
  });
});

describe("feeds", () => {
  test("RSS", async () => {
    const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><description>All of it</description>
      <language>en</language><link>https://a.test/</link><image><title>Logo</title><link>https://logo.test/</link></image>
      <item><title>First</title><link>/1</link><pubDate>Mon, 18 Mar 2024</pubDate><description><![CDATA[<p>One <b>bold</b></p><script>x</script>]]></description></item>
      <item><title>Second [2]</title><link>javascript:x</link><description>&lt;i&gt;Two&lt;/i&gt;</description></item></channel></rss>`;
    const page = await read(rss, "application/rss+xml");
    expect(page).toMatchObject({ kind: "feed", title: "News & more", excerpt: "All of it", language: "en" });
    expect(page.links).toEqual([{ text: "First", url: "https://a.test/1" }]);
    expect(page.text).toBe("First\nMon, 18 Mar 2024\nOne bold\n\nSecond [2]\nTwo");
    expect(page.markdown).toContain("## [First](https://a.test/1)\n");
  });

  test("Atom", async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link rel="self" href="/feed"/>
      <entry><title type="html">A</title><link rel="edit" href="/edit"/><link href="/a"/><updated>2024-03-18</updated><summary>S</summary></entry></feed>`;
    const page = await read(atom, "application/xml");
    expect(page).toMatchObject({ kind: "feed", title: "Blog", links: [{ text: "A", url: "https://a.test/a" }] });
    expect(page.text).toBe("A\n2024-03-18\nS");
  });

  test("other XML is its text", async () => {
    const page = await read("<catalog><book>\n <name>A</name>\n <name>B &lt; C</name></book></catalog>", "text/xml");
    expect(page).toMatchObject({ kind: "xml", text: "A\nB < C" });
  });

  test("XML that is nested endlessly, or declares its own entities, is handled safely", async () => {
    const deep = await read(`${"<a>".repeat(50_000)}x`, "application/xml");
    expect(deep).toMatchObject({ kind: "xml", text: "x" });
    const laughs = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><l>&b;&c;</l>`;
    expect((await read(laughs, "text/xml")).text).toBe("&b;&c;");
    const many = await read(
      `<rss><channel>${"<item><title>t</title></item>".repeat(2000)}</channel></rss>`,
      "text/xml",
    );
    expect(many.truncated).toBe(true);
  });
});
