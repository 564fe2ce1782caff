import { describe, expect, test } from "vitest";
import { hostileGraph } from "../../../test/support/hostile-graph.ts";
import type { ChainGraph, GraphStep } from "./graph.ts";
import { textWidth } from "./svg/text-width.ts";
import { toSvg } from "./to-svg.ts";

const step = (id: string, more: Partial<GraphStep> = {}): GraphStep => ({
  key: `steps.${id}`,
  kind: "tool",
  id,
  tool: "web_search",
  effect: "read",
  fallbacks: [],
  ...more,
});

const sample: ChainGraph = {
  name: "research",
  description: "研究主题，总结结果",
  version: "1.2.0",
  nodes: [
    { key: "input", kind: "input", fields: ["topic"] },
    step("search", { fallbacks: [{ tool: "memory_recall", kind: "tool", condition: "steps.search.error" }] }),
    step("抓取", { forEach: { items: "steps.search.output[*]", concurrency: 5 }, condition: "input.topic != ''" }),
    step("write", {
      kind: "chain",
      effect: "once",
      approval: "Send?",
      retry: 3,
      cacheMs: 3_600_000,
      compensate: "undo",
    }),
    { key: "output", kind: "output", fields: [] },
  ],
  edges: [
    { from: "input", to: "steps.search", kind: "data", reads: ["topic"], label: "topic" },
    { from: "steps.search", to: "steps.抓取", kind: "data", reads: ["output[*].url"], label: "[*].url" },
    { from: "steps.search", to: "steps.write", kind: "condition", reads: ["output.size"], label: "size" },
    { from: "steps.抓取", to: "steps.write", kind: "order", reads: [] },
    { from: "steps.write", to: "output", kind: "data", reads: ["output"] },
  ],
  fallbacks: [{ tool: "notify", kind: "tool" }],
};

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

/** Reads XML strictly: anything that is not well-formed, or not plain elements and text, is an error. */
function readXml(text: string): Element {
  const root: Element = { name: "", attributes: {}, children: [] };
  const open = [root];
  const token = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="(?:[^"<>&]|&#\d+;)*")*)(\/?)>|((?:[^<>&]|&#\d+;)+)|([\s\S])/gy;
  for (const [, closing, name = "", attributes = "", empty, content, wrong] of text.matchAll(token)) {
    if (wrong !== undefined) throw new Error(`not XML: ${wrong}`);
    const top = open.at(-1)!;
    if (content !== undefined) top.children.push(unescape(content));
    else if (closing === "/") {
      if (open.pop()?.name !== name) throw new Error(`not XML: </${name}>`);
    } else {
      const pairs = [...attributes.matchAll(/ ([a-zA-Z:-]+)="([^"]*)"/g)].map(([, key, value]) => [
        key,
        unescape(value!),
      ]);
      const element: Element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, children: [] };
      top.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  expect(open).toHaveLength(1);
  return root.children[0] as Element;
}

const unescape = (text: string): string => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const isElement = (child: Element | string): child is Element => typeof child !== "string";

function* walk(element: Element): Generator<Element> {
  yield element;
  for (const child of element.children) if (isElement(child)) yield* walk(child);
}

const textOf = (element: Element): string =>
  element.children.map((child) => (isElement(child) ? textOf(child) : child)).join("");
const all = (element: Element, name: string): Element[] => [...walk(element)].filter((each) => each.name === name);
const shown = (svg: Element): string[] => all(svg, "text").map(textOf);

describe("a picture", () => {
  test("shows name, version, description, ids, tools, conditions, marks and fallbacks", () => {
    const texts = shown(readXml(toSvg(sample)));
    for (const text of ["researchv1.2.0", "研究主题，总结结果", "search", "web_search", "抓取", "approval", "retry 3"])
      expect(texts).toContain(text);
    for (const text of ["ifinput.topic != ''", "eachsteps.search.output[*]", "cache 1h", "undo", "memory_recall"])
      expect(texts).toContain(text);
    for (const text of ["if it fails", "inputtopic", "output", "topic", "[*].url", "once"])
      expect(texts).toContain(text);
    expect(texts).toContain("Any other step on failure: notify");
  });

  test("has a description for screen readers, and tooltips", () => {
    const svg = readXml(toSvg(sample));
    expect(svg.attributes).toMatchObject({ role: "img", "aria-label": "research" });
    const [title, desc] = svg.children.filter(isElement);
    expect([title!.name, textOf(title!), desc!.name]).toEqual(["title", "research", "desc"]);
    expect(textOf(desc!)).toContain("3 steps: search (web_search)");
    const tips = all(svg, "title").map(textOf);
    expect(tips).toContain("steps.search → steps.write: output.size");
    expect(tips.find((tip) => tip.startsWith("write:"))).toBe(
      "write: chain web_search (once)\nretry up to 3 times\ncache for 1h\napproval: Send?\nundo with undo",
    );
  });

  test("is light, dark, or follows the reader's preference", () => {
    const style = (theme?: "light" | "dark" | "auto"): string =>
      textOf(all(readXml(toSvg(sample, theme === undefined ? {} : { theme })), "style")[0]!);
    expect(style("light")).toContain(".windlass-light .ground{fill:#ffffff}");
    expect(style("light")).not.toContain("@media");
    expect(style("dark")).toContain(".windlass-dark .ground{fill:#0e1116}");
    expect(style("dark")).not.toContain("#ffffff");
    expect(style()).toMatch(/#ffffff.*@media \(prefers-color-scheme:dark\)\{.*#0e1116/s);
  });

  test("needs no external resources", () => {
    const svg = toSvg(sample);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|url\(|@import|href|<script/);
    // Without ids, two pictures in one page cannot disturb each other.
    expect(svg).not.toMatch(/ id="/);
  });

  test("is the same text every time", () => {
    expect(toSvg(sample)).toBe(toSvg(structuredClone(sample)));
  });

  test("a picture of a chain without steps is a title", () => {
    const svg = readXml(toSvg({ ...sample, nodes: [], edges: [], fallbacks: [] }));
    expect(shown(svg)).toEqual(["researchv1.2.0", "研究主题，总结结果"]);
  });

  test("omits connections to nodes that do not exist", () => {
    const edges = [{ from: "steps.x", to: "steps.search", kind: "data", reads: [] } as const];
    const svg = readXml(toSvg({ ...sample, edges }));
    expect(all(svg, "path").filter((path) => path.attributes["class"] === "line data")).toEqual([]);
  });

  test("draws shared parts of lines once", () => {
    const nodes = ["a", "b", "c", "d"].map((id) => step(id));
    const edge = (from: string, to: string) =>
      ({ from: `steps.${from}`, to: `steps.${to}`, kind: "data", reads: [] }) as const;
    const edges = [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("a", "c"), edge("a", "d")];
    const svg = readXml(toSvg({ ...sample, nodes, edges, fallbacks: [] }));
    const lines = all(svg, "path").filter((path) => path.attributes["class"] === "line data");
    expect(lines).toHaveLength(5);
    // The line to d contains only the part that the line to c did not draw: it starts below row b.
    const starts = lines.map((line) => Number(/^M\S+ (\S+?)[VC]/.exec(line.attributes["d"]!)![1]));
    expect(starts[4]).toBeGreaterThan(starts[3]!);
  });
});

describe("hostile text", () => {
  const text = toSvg(hostileGraph());
  const svg = readXml(text);

  test("stays text: the picture is XML of the expected elements only", () => {
    const names = new Set([...walk(svg)].map(({ name }) => name));
    expect(names).toEqual(new Set(["svg", "title", "desc", "style", "rect", "g", "path", "text", "tspan"]));
    const attributes = new Set([...walk(svg)].flatMap((element) => Object.keys(element.attributes)));
    expect([...attributes].filter((name) => name.startsWith("on"))).toEqual([]);
  });

  test("contains no character that XML forbids and none that changes the reading order", () => {
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\ufffe\uffff\u202a-\u202e\u2066-\u2069]/);
    expect(text.isWellFormed()).toBe(true);
  });

  test("does not make the picture large", () => {
    expect(text.length).toBeLessThan(400_000);
    expect(Number(svg.attributes["width"])).toBeLessThan(2000);
  });

  test("stays inside its card", () => {
    let seen = 0;
    for (const group of all(svg, "g")) {
      // The last card of a group is drawn over those behind it.
      const card = group.children.filter(isElement).findLast(({ attributes }) => attributes["class"] === "card");
      if (card === undefined) continue;
      const [left, width] = [Number(card.attributes["x"]), Number(card.attributes["width"])];
      for (const line of group.children.filter(isElement).filter(({ name }) => name === "text")) {
        seen++;
        const from = Number(line.attributes["x"]);
        const size = line.children.some(isElement)
          ? line.children
              .filter(isElement)
              .reduce((sum, span) => sum + widthOf(span) + Number(span.attributes["dx"] ?? 0), 0)
          : widthOf(line);
        const [start, end] = line.attributes["text-anchor"] === "end" ? [from - size, from] : [from, from + size];
        expect(start).toBeGreaterThanOrEqual(left);
        expect(end).toBeLessThanOrEqual(left + width + 0.5);
      }
    }
    expect(seen).toBeGreaterThan(100);
  });

  function widthOf(element: Element): number {
    const classes = element.attributes["class"] ?? "";
    return textWidth(textOf(element), {
      size: Number(element.attributes["font-size"]),
      face: classes.includes("mono") ? "mono" : "sans",
      bold: classes.includes("bold"),
    });
  }
});

describe("large chains", () => {
  function large(count: number): ChainGraph {
    const nodes = Array.from({ length: count }, (_, at) => step(`step_${at}`));
    const edges = nodes.flatMap((_, at) =>
      [1, 7, 20].flatMap((back) =>
        at < back
          ? []
          : [{ from: `steps.step_${at - back}`, to: `steps.step_${at}`, kind: "data", reads: [] } as const],
      ),
    );
    return { ...sample, nodes, edges, fallbacks: [] };
  }

  test("chains of more than three hundred nodes show ids alone, the rest in tooltips", () => {
    const svg = readXml(toSvg(large(400)));
    const texts = shown(svg);
    expect(texts.filter((text) => text.startsWith("step_"))).toHaveLength(400);
    expect(texts).not.toContain("web_search");
    expect(all(svg, "title").map(textOf)).toContain("step_7: web_search (read)");
  });

  test("show the number of connections that are not drawn", () => {
    const edges = Array.from({ length: 400 }, (_, to) =>
      Array.from({ length: to }, (_, from) => ({
        from: `steps.step_${from}`,
        to: `steps.step_${to}`,
        kind: "data" as const,
        reads: [],
      })),
    ).flat();
    const texts = shown(readXml(toSvg({ ...large(400), edges })));
    expect(texts.at(-1)).toBe("79401 connections that others imply are not drawn");
  });
});
