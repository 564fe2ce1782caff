import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
const extractor = createExtractor({ limitMs: 600 });
const url = "https://hostile.test/page";

beforeAll(() => extractor.page("<p>The thread starts.</p>"));
afterAll(() => extractor.close());

function html(input: Row["input"]): string {
  if (typeof input === "string") return input;
  return (input.prefix ?? "") + input.$repeat.repeat(input.n) + (input.suffix ?? "");
}

interface Held {
  readonly page: ExtractedPage;
  /** The longest time that the event loop was held, in milliseconds of this thread's own work. */
  readonly heldMs: number;
  readonly tookMs: number;
}

/** Work, not clock time: on a busy machine the clock also counts what others do. */
async function held(work: () => Promise<ExtractedPage>): Promise<Held> {
  const workMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let heldMs = 0;
  let last = workMs();
  const beat = (): void => {
    const now = workMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
  };
  const timer = setInterval(beat, 1);
  const began = performance.now();
  const page = await work();
  beat();
  clearInterval(timer);
  return { page, heldMs, tookMs: performance.now() - began };
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
    const { page, heldMs, tookMs } = await held(() => extractor.page(html(input)));
    expect(Object.keys(checks)).toContain(expected);
    checks[expected]?.(page, tookMs);
    expect(heldMs).toBeLessThan(50);
  });
});

const many = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join("");

/** What each holds for its reader: text that has to come out. */
const bombs: Readonly<Record<string, readonly [html: string, holds: string]>> = {
  "elements that never end": [`<p>kept</p>${"<p><b><i><a href=x>".repeat(20_000)}`, "kept"],
  "depth with all its end tags": [`${"<div>".repeat(100_000)}kept${"</div>".repeat(100_000)}`, "kept"],
  "end tags that fit nothing": [`${"<div>".repeat(20_000)}${"</span>".repeat(100_000)}kept`, "kept"],
  "an element with 100,000 attributes": [`<div ${many(100_000, (at) => `a${at}=1 `)}>kept</div>`, "kept"],
  "many attributes on many elements": [many(500, () => `<p ${many(200, (at) => `a${at}=1 `)}>kept</p>`), "kept"],
  "an attribute of five million characters": [`<a href="${"x".repeat(5_000_000)}">kept</a>`, "kept"],
  "a table of 100,000 cells": [
    `<table>${`<tr>${"<td>kept</td>".repeat(10)}</tr>`.repeat(10_000)}</table>`,
    "kept | kept",
  ],
  "a row of 50,000 cells": [`<table><tr>${"<td>kept".repeat(50_000)}</table>`, "kept"],
  "cells that claim to span 64 by 64": [
    `<table>${`<tr>${"<td colspan=64 rowspan=64>kept</td>".repeat(50)}</tr>`.repeat(100)}</table>`,
    "kept",
  ],
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

describe("pages made to do harm end, give their text and never hold the event loop", () => {
  test.each(Object.entries(bombs))("%s", async (_, [page, holds]) => {
    const found = await held(() => extractor.page(page, { url }));
    expect(found.page.text).toContain(holds);
    expect(found.page.text.length).toBeLessThanOrEqual(200_000);
    expect(found.page.markdown.length).toBeLessThanOrEqual(200_000);
    expect(found.heldMs).toBeLessThan(50);
  });
});

describe("what nobody sees is no text", () => {
  const hidden = [
    `<p hidden>secret</p>`,
    `<div aria-hidden="true">secret</div>`,
    `<span style="DISPLAY : NONE">secret</span>`,
    `<span style="color:red;visibility:hidden">secret</span>`,
    `<span style="font-size:0">secret</span>`,
    `<span style="font-size:0px;color:#fff">secret</span>`,
    `<span style="opacity:0.0">secret</span>`,
    `<div style="position:absolute;left:-9999px">secret</div>`,
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

  test("a size that only begins with zero is seen", async () => {
    const { text } = await extractor.page(`<p style="font-size:0.9em">one</p><p style="opacity:0.5">two</p>`);
    expect(text).toBe("one\n\ntwo");
  });
});
