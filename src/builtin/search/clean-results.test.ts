import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl, withoutTracking } from "../../text/index.ts";
import { cleanResults, cleanText } from "./clean-results.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

describe("two addresses are the same page", () => {
  test.each([
    ["https://www.example.com/a/", "http://example.com/a"],
    ["https://example.com:443/a", "https://example.com/a"],
    ["http://example.com:80/a#top", "http://example.com/a"],
    ["https://example.com/a?utm_source=x&gclid=1&b=2", "https://example.com/a?b=2"],
    ["https://example.com/a?b=2&a=1", "https://example.com/a?a=1&b=2"],
    ["https://EXAMPLE.com/%7Ejoe", "https://example.com/~joe"],
    ["https://example.com/index.html", "https://example.com"],
    ["https://example.com./a", "https://example.com/a"],
  ])("%s and %s", (one, other) => {
    expect(canonicalUrl(one)).toBe(canonicalUrl(other));
  });

  test.each([
    ["https://example.com/a?id=1", "https://example.com/a?id=2"],
    ["https://example.com/A", "https://example.com/a"],
    ["https://example.com:8443/a", "https://example.com/a"],
    ["https://de.example.com/", "https://example.com/"],
    ["https://example.com/a%2Fb", "https://example.com/a/b"],
    ["memory:1", "memory:2"],
  ])("%s and %s are two pages", (one, other) => {
    expect(canonicalUrl(one)).not.toBe(canonicalUrl(other));
  });

  test("an address keeps all that leads to it", () => {
    expect(withoutTracking("https://a.test/?q=a%20b&utm_medium=x#part")).toBe("https://a.test/?q=a+b#part");
    expect(withoutTracking("https://a.test/?q=a%20b#part")).toBe("https://a.test/?q=a%20b#part");
  });
});

describe("texts", () => {
  test.each([
    ["The <b>tide</b> comes", "The tide comes"],
    ["one<br>two<p class='x'>three</p>", "one two three"],
    ["Q&amp;A &lt;tide&gt; &#39;s &#x4f60; &amp;lt;", "Q&A <tide> 's 你 &lt;"],
    ["&constructor; &nope; &#0; &#99999999;", "&constructor; &nope; &#0; &#99999999;"],
    ["a\u202eb\u200b\u001b[31mc\u{e0041}", "abc"],
    ["  a \n\n b\t\u00a0c ", "a b c"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
  ])("%j becomes %j", (raw, clean) => {
    expect(cleanText(raw, 100)).toBe(clean);
  });

  test("are cut at the limit, never within a character", () => {
    expect(cleanText("😀".repeat(50), 10)).toBe(`${"😀".repeat(4)}…`);
    assert(
      property(string({ unit: "binary", maxLength: 200 }), (text) => {
        const clean = cleanText(text, 20);
        expect(clean.length).toBeLessThanOrEqual(20);
        expect(clean.isWellFormed()).toBe(true);
      }),
    );
  });

  test("texts of hostile length are cleaned in little time", () => {
    const started = cpuTime();
    for (const text of ["<a ".repeat(500_000), "&".repeat(1_000_000), "<".repeat(1_000_000), " ".repeat(1_000_000)]) {
      cleanText(text, 1000);
    }
    expect(cpuTime() - started).toBeLessThan(1000);
  });
});

test("results that are not pages are omitted, and each page is listed once", () => {
  const found = (url: string, title = "T"): { title: string; url: string; snippet: string } => ({
    title,
    url,
    snippet: "s",
  });
  const raw = [
    found("https://a.test/?utm_source=x", "first"),
    found("http://www.a.test/#again", "second"),
    found("javascript:alert(1)"),
    found("data:text/html,x"),
    found("https://user:pw@a.test/"),
    found("https://b.test/\u202efdp.exe"),
    found(`https://c.test/${"x".repeat(3000)}`),
    found("not a url"),
    found("corpus:a.md"),
    found("memory:1"),
    found("https://d.test/", "  "),
  ];
  expect(cleanResults(raw, { count: 10, schemes: ["corpus"] })).toEqual([
    { title: "first", url: "https://a.test/", snippet: "s" },
    { title: "T", url: "corpus:a.md", snippet: "s" },
    { title: "https://d.test/", url: "https://d.test/", snippet: "s" },
  ]);
  expect(cleanResults(raw, { count: 1 })).toHaveLength(1);
});
