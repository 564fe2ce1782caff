import { describe, expect, test } from "vitest";
import { type Passage, SeenUrls } from "./seen-urls.ts";

const url = "https://a.example/x";

function seenIn(...passages: readonly Passage[]): SeenUrls {
  const seen = new SeenUrls();
  for (const passage of passages) seen.add(passage);
  return seen;
}

const tool = (content: unknown): Passage => ({ by: "tool", content });
const model = (content: unknown): Passage => ({ by: "model", content });
const user = (content: unknown): Passage => ({ by: "user", content });

describe("[S3] a URL is found in a result", () => {
  test.each([
    ["a sentence", "see https://a.example/x."],
    ["parentheses", "(https://a.example/x)"],
    ["Markdown", "[link](https://a.example/x), and more"],
    ["CSV", "https://a.example/x,First page"],
    ["quotes", "“https://a.example/x” 'https://a.example/x'"],
    ["HTML", '<a href="https://a.example/x">x</a>'],
    ["escaped quotes of HTML", "&quot;https://a.example/x&quot; &lt;https://a.example/x&gt;"],
    ["escaped JSON", '{"url":"https:\\/\\/a.example\\/x"}'],
    ["a key", { [url]: { title: "x" } }],
    ["a list in a list", [[{ deep: [url] }]]],
    ["other letters of the host", "HTTPS://A.example/x"],
  ])("in %s", (_form, content) => {
    expect(seenIn(tool(content)).has(url)).toBe(true);
  });

  test("with & as HTML has it, without a path, with other scripts, and without the fragment", () => {
    const seen = seenIn(tool("https://a.example/?a=1&amp;b=2 https://b.example https://c.example/中国#top"));
    expect(seen.has("https://a.example/?a=1&b=2")).toBe(true);
    expect(seen.has("https://b.example/")).toBe(true);
    expect(seen.has("https://c.example/%E4%B8%AD%E5%9B%BD")).toBe(true);
    expect(seen.has("https://c.example/中国#other")).toBe(true);
  });

  test.each([
    "https://a.example/x?d=1",
    "https://a.example/xy",
    "https://a.example/",
    "a.example/x",
    "ftp://a.example/x",
  ])("not %s", (other) => {
    expect(seenIn(tool(`see ${url}`)).has(other)).toBe(false);
  });
});

describe("[S3] a URL that a model wrote first", () => {
  test.each([
    ["in its arguments", { text: url }],
    ["as a key", { [url]: 1 }],
    ["as the beginning of a longer text", `${url}AAAA`],
    ["in other letters", "HTTPS://A.EXAMPLE/x"],
  ])("is not known from a later result: %s", (_form, content) => {
    expect(seenIn(model(content), tool(url)).has(url)).toBe(false);
    expect(seenIn(tool(url), model(content)).has(url)).toBe(true);
  });

  test("is known if a user wrote it, before or after", () => {
    expect(seenIn(model(url), user(`read ${url}`)).has(url)).toBe(true);
    expect(seenIn(user(`read ${url}`), model(url)).has(url)).toBe(true);
  });
});

test("[S3] many URLs are looked up in large results", () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => ({ url: `https://a.example/${at}`, text: "a".repeat(100) }));
  const seen = seenIn(tool(rows), tool("a".repeat(5_000_000)), tool("https://".repeat(500_000)));
  for (let at = 0; at < 1000; at++) {
    expect(seen.has(`https://a.example/${at}`)).toBe(true);
    expect(seen.has(`https://b.example/${at}`)).toBe(false);
  }
});
