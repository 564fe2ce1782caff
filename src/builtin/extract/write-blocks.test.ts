import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageSink } from "./page-sink.ts";
import { PageStyles } from "./page-styles.ts";
import { parseInSlices } from "./parse-markup-in-slices.ts";
import { LinkResolver, baseOf } from "./resolve-link.ts";

const styles = new PageStyles();

async function write(html: string): Promise<{ text: string; markdown: string }> {
  const url = "https://a.test/";
  const sink = new PageSink({ links: new LinkResolver(baseOf(undefined, url), url), maxChars: 10_000, styles });
  await parseInSlices(html, sink);
  return sink.content();
}

const cases: readonly (readonly [what: string, html: string, markdown: string, text?: string])[] = [
  ["paragraphs", "<p>One\n  two</p>three<div>four</div>", "One two\n\nthree\n\nfour"],
  ["headings", "<h1>A <em>b</em></h1><h3>C<br>d</h3>x", "# A *b*\n\n### C d\n\nx", "A b\n\nC\nd\n\nx"],
  [
    "marks around words, not around spaces",
    "a<b> bold </b>c <i></i><code>x  y</code>",
    "a **bold** c `x y`",
    "a bold c x y",
  ],
  ["code that holds backticks", "<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``", "a`b `"],
  ["line breaks", "one<br>two<br/>three", "one\ntwo\nthree"],
  ["lists", "<ul><li>a<li>b<ul><li>c</ul><li>d</ul><ol start=3><li>e<li>f</ol>", "- a\n- b\n  - c\n- d\n\n3. e\n4. f"],
  ["paragraphs in items", "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n- c"],
  ["quotations", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc", "a\n\nb\n\nc"],
  [
    "code",
    "<pre><code class='language-js'>if (a) {\n  b();\n}\n</code></pre>",
    "```js\nif (a) {\n  b();\n}\n```",
    "if (a) {\n  b();\n}",
  ],
  [
    "code without a code element",
    "<div class='highlight-python3 x'><pre>\n  a\n\n  b</pre></div>",
    "```python3\n  a\n\n  b\n```",
    "a\n\n  b",
  ],
  ["code in an item", "<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```", "- a\n\n  b\n  c"],
  [
    "code line by line, without its line numbers",
    "<pre><span class=lineno>1</span><div>a</div><div>b</div></pre>",
    "```\na\nb\n```",
    "a\nb",
  ],
  ["code that holds fences", "<pre>```js\nx\n```</pre>", "````\n```js\nx\n```\n````", "```js\nx\n```"],
  [
    "tables",
    "<table><tr><th>A<th>B|C<tr><td>1<td><p>2</p><p>3</p></table>",
    "| A | B\\|C |\n| --- | --- |\n| 1 | 2 3 |",
    "A | B|C\n1 | 2 3",
  ],
  [
    "cells that span",
    "<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
    "| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
    "A |  | B\n1 | 2 | 3\n| 4 | 5",
  ],
  [
    "tables that arrange a page",
    "<table><tr><td><h2>A</h2><p>b</p><td><table><tr><th>x<th>y</table></table>",
    "## A\n\nb\n\n| x | y |\n| --- | --- |",
    "A\n\nb\n\nx | y",
  ],
  ["a list of definitions", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n\nb\n\nc\n\nd"],
  [
    "links",
    "<a href='/x y(1)'>a [b]</a> <a href='#x'>c</a> <a>d</a> <a href='/e'></a>",
    "[a [b]](https://a.test/x%20y%281%29) c d",
    "a [b] c d",
  ],
  ["links around blocks", "<a href=/x><div>a</div><div>b</div></a>", "a\n\nb"],
  [
    "signs that mean something",
    "<p># no *head* `x` &lt;b> _y_ [l](u)</p><p>- a</p><p>1. b</p><p>2.5 c</p><p>&gt; d",
    "\\# no \\*head\\* \\`x\\` \\<b> _y_ [l\\](u)\n\n\\- a\n\n1\\. b\n\n2.5 c\n\n\\> d",
    "# no *head* `x` <b> _y_ [l](u)\n\n- a\n\n1. b\n\n2.5 c\n\n> d",
  ],
  ["a heading's link to itself", "<h2>A<a href='#a'>¶</a></h2><h2>B <a href='#b'>#</a></h2>", "## A\n\n## B", "A\n\nB"],
  ["rules and quotes", "a<hr><q>b</q>", "a\n\n---\n\n“b”", "a\n\n“b”"],
  ["Chinese", "<p>你好，<b>世界</b>。</p>", "你好，**世界**。", "你好，世界。"],
];

describe("blocks", () => {
  const rows = cases.map(([what, html, markdown, text = markdown]) => ({ what, html, markdown, text }));

  test.each(rows)("$what", async ({ html, markdown, text }) => {
    expect(await write(html)).toMatchObject({ markdown, text });
  });

  test("for any elements, open marks are closed and the output fits the limit", async () => {
    const names =
      "div p a b pre code table tr td th ul li h1 blockquote script nav svg br img hr caption dl dd q".split(" ");
    const token = fc.oneof(
      fc
        .constantFrom(...names)
        .map((name) => `<${name} class="language-x" href="/y" colspan=3 rowspan=2 src=/z alt=i>`),
      fc.constantFrom(...names).map((name) => `</${name}>`),
      fc.constantFrom(
        "text",
        " ",
        "\n",
        "&amp;",
        "<",
        ">",
        "`",
        "```",
        "|",
        "- ",
        "# ",
        "\u202e",
        "😀",
        "<!--",
        "-->",
        "]]>",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(token, { maxLength: 120 }),
        fc.integer({ min: 1, max: 300 }),
        async (tokens, maxChars) => {
          const open: string[] = [];
          const url = "https://a.test/";
          const sink = new PageSink({ links: new LinkResolver(baseOf(undefined, url), url), maxChars, styles });
          await parseInSlices(tokens.join(""), {
            open: (name, attributes) => (open.push(name), sink.open(name, attributes)),
            close: (name) => (expect(open.pop()).toBe(name), sink.close(name)),
            text: (data) => sink.text(data),
          });
          const { text, markdown } = sink.content();
          expect(open).toEqual([]);
          expect(Math.max(text.length, markdown.length)).toBeLessThanOrEqual(maxChars);
          expect(`${text}${markdown}`).not.toContain("\u202e");
        },
      ),
    );
  });

  test("a long table is one table", async () => {
    const { markdown, text } = await write(`<table>${"<tr><td>a<td>b".repeat(900)}</table>`);
    expect(text.split("\n").every((line) => line === "a | b")).toBe(true);
    expect(markdown.match(/---/g)).toHaveLength(2);
    expect(markdown).not.toContain("\n\n");
  });
});
