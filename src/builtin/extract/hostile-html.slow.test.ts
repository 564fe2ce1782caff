import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loopDelay } from "../../../test/support/loop-delay.ts";
import { type ExtractedPage, createExtractor } from "./index.ts";

interface Repeated {
  readonly $repeat: string;
  readonly n: number;
  readonly prefix?: string;
  readonly suffix?: string;
}

interface Row {
  readonly area: string;
  readonly input: string | Repeated;
  readonly expected: string;
}

const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as readonly Row[]).filter(
  ({ area }) => area === "html",
);
// Pages that are too slow for the thread take their time, and a busy machine makes more of them too slow.
vi.setConfig({ testTimeout: 60_000 });

// With the default settings.
const extractor = createExtractor();
const url = "https://hostile.test/page";

beforeAll(() => extractor.page("<p>The thread starts.</p>"));
afterAll(() => extractor.close());

function html(input: Row["input"]): string {
  if (typeof input === "string") return input;
  return (input.prefix ?? "") + input.$repeat.repeat(input.n) + (input.suffix ?? "");
}

describe("rows of bad inputs", () => {
  const checks: Readonly<Record<string, (page: ExtractedPage, tookMs: number) => void>> = {
    "links: only http(s), absolute, base href resolved but not fetched": ({ links }) => {
      expect(links).toEqual([{ text: "y", url: "http://e.com/a" }]);
    },
    "meta refresh is never followed": ({ text, links }) => {
      expect({ text, links }).toEqual({ text: "", links: [] });
    },
    "script text absent; hidden text dropped or marked": ({ text, markdown }) => {
      expect({ text, markdown }).toEqual({ text: "real", markdown: "real" });
    },
    "ok within 2 s via SAX fallback (depth > 256); main thread not blocked": ({ text, method }, tookMs) => {
      expect({ text, method }).toEqual({ text: "x", method: "stream" });
      expect(tookMs).toBeLessThan(2000);
    },
  };

  test("there are some", () => {
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });

  test.each(rows)("$expected", async ({ input, expected }) => {
    const page = html(input);
    const { result, delayMs, tookMs } = await loopDelay(() => extractor.page(page));
    expect(Object.keys(checks)).toContain(expected);
    checks[expected]?.(result, tookMs);
    expect(delayMs).toBeLessThan(50);
  });
});

const many = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join("");

/** Hostile pages, each with a text that must be extracted. */
const bombs: Readonly<Record<string, readonly [html: string, holds: string]>> = {
  "elements that never end": [`<p>kept</p>${"<p><b><i><a href=x>".repeat(20_000)}`, "kept"],
  "depth with all its end tags": [`${"<div>".repeat(100_000)}kept${"</div>".repeat(100_000)}`, "kept"],
  "end tags that fit nothing": [`${"<div>".repeat(20_000)}${"</span>".repeat(100_000)}kept`, "kept"],
  "an element with 400,000 attributes": [`<div ${many(400_000, (at) => `a${at}=1 `)}>kept</div>`, "kept"],
  "attributes full of entities": [`<div ${many(100_000, (at) => `a${at}="&amp;&lt;" `)}>kept</div>`, "kept"],
  "a page that is all styles": [`<style>${many(40_000, (at) => `.a${at}{display:none}`)}</style><p>kept`, "kept"],
  "many rules for one class": [
    `<style>${".a{display:none}".repeat(20_000)}.a{display:block}</style>${many(9000, (at) => `<p class="a b${at}">kept`)}`,
    "",
  ],
  "a selector without an end": [`<style>${"a".repeat(400_000)} >{display:none}</style><p>kept`, "kept"],
  "a value without an end": [
    `<style>.a{filter:${"opacity(".repeat(50_000)};transform:${"scale(".repeat(8000)}}</style><p class=a>kept`,
    "kept",
  ],
  "escapes and comments": [`<style>${"/*".repeat(100_000)}${'"\\'.repeat(100_000)}</style><p>kept`, "kept"],
  "styles in styles": [`<style>${"@media all{".repeat(40_000)}</style><p>kept`, "kept"],
  "many attributes on many elements": [many(500, () => `<p ${many(200, (at) => `a${at}=1 `)}>kept</p>`), "kept"],
  "an attribute of five million characters": [`<a href="${"x".repeat(5_000_000)}">kept</a>`, "kept"],
  "a table of 100,000 cells": [
    `<table>${`<tr>${"<td>kept</td>".repeat(10)}</tr>`.repeat(10_000)}</table>`,
    "kept | kept",
  ],
  "twenty tables of 15,000 cells": [`<table>${`<tr>${"<td>x".repeat(30)}`.repeat(500)}</table>`.repeat(20), "x | x"],
  "a row of 50,000 cells": [`<table><tr>${"<td>kept".repeat(50_000)}</table>`, "kept"],
  "cells that claim to span 64 by 64": [
    `<table>${`<tr>${"<td colspan=64 rowspan=64>kept</td>".repeat(50)}</tr>`.repeat(100)}</table>`,
    "kept",
  ],
  "blocks in code": [`<pre>kept${"x<div>y</div>".repeat(100_000)}`, "kept"],
  "line ends in code": [`<pre>kept${"x<br>".repeat(200_000)}`, "kept"],
  "marks in marks": [`<p>kept${"<b>x<i>y".repeat(100_000)}`, "kept"],
  "tables in tables": [`${"<table><tr><td>".repeat(200)}kept`, "kept"],
  "lists in lists": [`${"<ul><li>".repeat(100)}kept${"<li>more".repeat(10_000)}`, "kept"],
  "a hundred thousand entities": [`<p>kept ${"&amp;&lt;&#x41;&nonsense;".repeat(100_000)}`, "kept"],
  "a comment without an end": [`<p>kept</p><!--${"x".repeat(3_000_000)}`, "kept"],
  "a script without an end": [`<p>kept</p><script>${"x()</".repeat(500_000)}`, "kept"],
  "nothing but less-than signs": [`<p>kept</p>${"<".repeat(1_000_000)}`, "kept"],
  "white space": [`<p>${" \n".repeat(1_000_000)}kept`, "kept"],
  "ten million characters of text": [`<p>kept ${"word ".repeat(2_000_000)}`, "kept"],
  "thousands of links": [`<p>kept</p>${many(30_000, (at) => `<a href=/${at}>y</a> `)}`, "kept"],
  "thousands of headings": ["<h2>kept</h2>".repeat(20_000), "kept"],
  "zeros between all characters": ["\0k\0e\0p\0t<\0b\0>".repeat(50_000), "kept"],
};

describe("hostile pages end, return their text and never block the event loop", () => {
  test.each(Object.entries(bombs))("%s", async (_, [page, holds]) => {
    const { result, delayMs } = await loopDelay(() => extractor.page(page, { url }));
    expect(result.text).toContain(holds);
    expect(result.text.length).toBeLessThanOrEqual(200_000);
    expect(result.markdown.length).toBeLessThanOrEqual(200_000);
    expect(delayMs).toBeLessThan(50);
  });
});

const encoded: Readonly<Record<string, readonly [body: Buffer, type: string]>> = {
  "JSON: 400 kB, 300 levels deep": [jsonBomb(300), "application/json"],
  "JSON: 400 kB, 1,250 levels deep": [jsonBomb(1250), "application/json"],
  "JSON: 350 kB of 50,000 levels": [Buffer.from('[{"a":'.repeat(50_000)), "application/json"],
  "JSON: 200,000 levels, closed": [Buffer.from("[".repeat(200_000) + "]".repeat(200_000)), "application/json"],
  "JSON: 5 MB of numbers": [Buffer.from(`[${"1,".repeat(2_500_000)}1]`), "application/json"],
  "JSON: 5 MB of objects": [Buffer.from(`[${'{"a":{}},'.repeat(550_000)}1]`), "application/json"],
  "JSON: backslashes": [Buffer.from(`["${"\\\\".repeat(2_000_000)}"]`), "application/json"],
  "Markdown: 5 MB of headings": [Buffer.from("# a\n".repeat(1_250_000)), "text/markdown"],
  "Markdown: 5 MB of links": [Buffer.from("[a](b) ".repeat(700_000)), "text/markdown"],
  "Markdown: brackets": [Buffer.from("[".repeat(5_000_000)), "text/markdown"],
  "Markdown: one line of hashes": [Buffer.from("#".repeat(5_000_000)), "text/markdown"],
  "Markdown: fences": [Buffer.from("```\n".repeat(1_250_000)), "text/markdown"],
  "Markdown: a title without an end": [Buffer.from(`---\n${"title: ".repeat(500_000)}`), "text/markdown"],
  "text: 5 MB of Chinese": [Buffer.from("字".repeat(1_700_000)), "text/plain"],
  "text: 5 MB of Chinese in GBK": [Buffer.alloc(5_000_000, Buffer.from([0xc4, 0xe3])), "text/plain; charset=gbk"],
  "text: 5 MB of nothing that can be seen": [Buffer.from("\u202e".repeat(1_700_000)), "text/plain"],
  "HTML: 5 MB of Chinese in GBK": [Buffer.alloc(5_000_000, Buffer.from([0xc4, 0xe3])), "text/html; charset=gbk"],
  "XML: 5 MB of elements": [Buffer.from(`<a>${"<b>x</b>".repeat(600_000)}</a>`), "text/xml"],
  "a feed of 5 MB": [Buffer.from(`<rss><channel>${"<item><title>t".repeat(350_000)}`), "application/rss+xml"],
};

function jsonBomb(depth: number): Buffer {
  const items = "1,".repeat(Math.floor((399_000 - 2 * depth) / 2)).slice(0, -1);
  return Buffer.from("[".repeat(depth) + items + "]".repeat(depth));
}

describe("hostile documents of every kind end and never block the event loop", () => {
  test.each(Object.entries(encoded))("%s", async (_, [body, contentType]) => {
    const { result, delayMs } = await loopDelay(() => extractor.document(body, { url, contentType }));
    expect(result.text.length).toBeLessThanOrEqual(200_000);
    expect(result.markdown.length).toBeLessThanOrEqual(200_000);
    expect(delayMs).toBeLessThan(50);
  });

  test("many at once", async () => {
    const work = () => Promise.all(Array.from({ length: 20 }, (_, at) => extractor.document(jsonBomb(1230 + at))));
    const { result, delayMs } = await loopDelay(work);
    expect(result.map(({ kind, truncated }) => `${kind} ${truncated}`)).toEqual(Array(20).fill("json true"));
    expect(delayMs).toBeLessThan(50);
  });
});

describe("invisible content is not text", () => {
  const hidden = [
    `<p hidden>secret</p>`,
    `<div aria-hidden="true">secret</div>`,
    `<span style="DISPLAY : NONE">secret</span>`,
    `<span style="color:red;visibility:hidden">secret</span>`,
    `<span style="font-size:0">secret</span>`,
    `<span style="font-size:0px;color:#fff">secret</span>`,
    `<span style="opacity:0.0">secret</span>`,
    `<div style="position:absolute;left:-9999px">secret</div>`,
    `<span style="display:/**/none">secret</span>`,
    String.raw`<span style="d\69splay:n\00006f ne">secret</span>`,
    `<span style="display:block;/* ; */display:none!important;display:block">secret</span>`,
    `<div style="height:0;overflow:hidden">secret</div>`,
    `<div style="width:1px;height:1px;overflow:hidden;position:absolute">secret</div>`,
    `<div style="width:0;height:0">secret</div>`,
    `<div style="max-height:0">secret</div>`,
    `<div style="clip:rect(0,0,0,0)">secret</div>`,
    `<div style="clip:rect(1px 1px 1px 1px)">secret</div>`,
    `<div style="clip-path:inset(100%)">secret</div>`,
    `<div style="clip-path:inset(50% 0)">secret</div>`,
    `<div style="-webkit-clip-path:circle(0)">secret</div>`,
    `<div style="clip-path:polygon(0 0, 0 0, 0 0)">secret</div>`,
    `<div style="transform:scale(0)">secret</div>`,
    `<div style="transform:rotate(1deg) scaleX(0.0)">secret</div>`,
    `<div style="scale:0">secret</div>`,
    `<div style="transform:translateX(-9999px)">secret</div>`,
    `<div style="text-indent:-999em">secret</div>`,
    `<div style="text-indent:100%;white-space:nowrap;overflow:hidden">secret</div>`,
    `<div style="position:fixed;top:-100vh;margin-top:-1000px">secret</div>`,
    `<span style="color:transparent">secret</span>`,
    `<span style="color:rgba(0, 0, 0, 0)">secret</span>`,
    `<span style="color:#0000">secret</span>`,
    `<span style="color:#fff;background:white">secret</span>`,
    `<span style="background-color:rgb(255,255,255);color:#FFFFFF">secret</span>`,
    `<span style="opacity:.001">secret</span>`,
    `<span style="opacity:0%">secret</span>`,
    `<span style="filter:opacity(0)">secret</span>`,
    `<span style="font-size:1px">secret</span>`,
    `<span style="font:0/0 a">secret</span>`,
    `<span style="content-visibility:hidden">secret</span>`,
    `<span class="sr-only">secret</span>`,
    `<style>.x{display:none}</style><p class="a x">secret</p>`,
    `<style>/* } */ a{content:"}"} p.x, .y { color: red; VISIBILITY: hidden }</style><p class="x">secret</p>`,
    `<style>@import "x.css"; @media screen { #x { opacity: 0 } }</style><p id="x">secret</p>`,
    String.raw`<style>.\78 { d\69splay: none }</style><p class="x">secret</p>`,
    `<style>.x.y{display:none} .x{display:block}</style><p class="x y">secret</p>`,
    `<style>.x{display:none!important} p.x.y{display:block}</style><p class="x y" style="display:inline">secret</p>`,
    `<style>secret-part{display:none}</style><secret-part>secret</secret-part>`,
    `<style>${".x{display:block}".repeat(200)}.x{display:none}</style><p class=x>secret</p>`,
    `<p class=late>secret</p><style>.late{height:0;overflow:hidden}</style>`,
    `<script>secret</script>`,
    `<style>secret</style>`,
    `<template><p>secret</p></template>`,
    `<noscript>secret</noscript>`,
    `<svg><title>secret</title><text>secret</text></svg>`,
    `<textarea>secret</textarea><select><option>secret</select>`,
    `<!-- secret -->`,
    `<iframe srcdoc="secret">secret</iframe>`,
  ];
  const deep = "<div>".repeat(300);

  test.each(hidden)("%s", async (part) => {
    const small = await extractor.page(`<body>${part}<p>seen</p>`);
    expect(small).toMatchObject({ text: "seen", markdown: "seen" });
    const streamed = await extractor.page(`<body>${part}<p>seen</p>${deep}`);
    expect(streamed).toMatchObject({ text: "seen", markdown: "seen", method: "stream" });
  });

  test.each([
    `<style>.tab{display:none}.tab.open{display:block}</style><p class="tab open">`,
    `<style>.x{display:none}</style><p class=x style="display:block">`,
    `<style>.x{display:none}.x{display:block}</style><p class=x>`,
    `<style>.x{display:none}@media (min-width: 600px){.x{display:block}}</style><p class=x>`,
    `<style>@media (max-width: 600px){.x{display:none}}</style><p class=x>`,
    `<style>@media print{.x{display:none}}</style><p class=x>`,
    `<style media=print>.x{display:none}</style><p class=x>`,
    `<noscript><style>.x{display:none}</style></noscript><p class=x>`,
    `<style>.menu .x{display:none}.x:hover{display:none}.x::before{display:none}</style><p class=x>`,
    `<style>@keyframes in{from{opacity:0}}.x{opacity:0;animation:in 1s forwards}</style><p class=x>`,
    `<style>body{opacity:0}html{visibility:hidden}</style><body style="display:none"><p>`,
    `<p style="background-clip:text;-webkit-text-fill-color:transparent;color:transparent">`,
    `<p style="height:0;padding-bottom:56.25%;overflow:hidden">`,
    `<p style="color:#fff;background:#000">`,
    `<p style="clip-path:inset(10%);clip:rect(0,100px,100px,0)">`,
    `<p style="transform:translateX(-50%) scale(.9);margin-left:-20px;font:14px/1.5 serif">`,
    `<p style="height:0;width:100px">`,
    `<p style="opacity:.6;text-indent:2em;max-width:100%">`,
  ])("what is seen is text: %s", async (start) => {
    const page = `${start.includes("<body") ? "" : "<body>"}${start}seen</p><p>also</p>`;
    expect((await extractor.page(page)).text).toBe("seen\n\nalso");
    expect((await extractor.page(page + deep)).text).toBe("seen\n\nalso");
  });

  test("a size that only begins with zero is visible", async () => {
    const { text } = await extractor.page(`<p style="font-size:0.9em">one</p><p style="opacity:0.5">two</p>`);
    expect(text).toBe("one\n\ntwo");
  });
});
