import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Layout, type VerticalSegment, layOut } from "./layout-graph.ts";
import type { LayoutEdge, LayoutNode } from "./layered-graph.ts";

const options = { maxRowWidth: 1400, rowGap: 44 };

/** Boxes of random sizes with random lines from earlier to later ones. */
const graphs = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.record({
    nodes: fc.array(
      fc.record({
        left: fc.integer({ min: 20, max: 140 }),
        right: fc.integer({ min: 20, max: 300 }),
        height: fc.integer({ min: 20, max: 160 }),
      }),
      { minLength: count, maxLength: count },
    ),
    edges: fc
      .uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1), fc.constantFrom("data", "order")), {
        maxLength: count * 3,
        selector: ([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`,
      })
      .map((pairs) =>
        pairs
          .filter(([a, b]) => a !== b)
          .map(([a, b, style]): LayoutEdge => ({ from: Math.min(a, b), to: Math.max(a, b), style })),
      ),
  }),
);

function box(node: LayoutNode, { x, y }: { x: number; y: number }) {
  return { left: x - node.left, right: x + node.right, top: y, bottom: y + node.height };
}

function boxesOf(nodes: readonly LayoutNode[], layout: Layout) {
  return layout.boxes.map((position, at) => box(nodes[at]!, position));
}

function passesThrough(each: ReturnType<typeof box>, { x, top, bottom }: VerticalSegment): boolean {
  return x >= each.left && x <= each.right && bottom >= each.top && top <= each.bottom;
}

const plain = (count: number): LayoutNode[] =>
  Array.from({ length: count }, () => ({ left: 60, right: 60, height: 50 }));
const edge = (from: number, to: number): LayoutEdge => ({ from, to, style: "data" });

describe("for any graph", () => {
  test("no two boxes overlap, and all lie inside the picture", () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges }) => {
        const layout = layOut(nodes, edges, options);
        const boxes = boxesOf(nodes, layout);
        for (const [at, a] of boxes.entries()) {
          expect(a.left).toBeGreaterThan(-0.01);
          expect(a.right).toBeLessThan(layout.width + 0.01);
          expect(a.bottom).toBeLessThan(layout.height + 0.01);
          for (const b of boxes.slice(at + 1))
            expect(a.right + 20 <= b.left || b.right + 20 <= a.left || a.bottom < b.top || b.bottom < a.top).toBe(true);
        }
      }),
    );
  });

  test("every line is drawn, leads down from box to box, and runs through none on its way", () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges }) => {
        const layout = layOut(nodes, edges, options);
        const boxes = boxesOf(nodes, layout);
        for (const [at, { from, to }] of edges.entries()) {
          const line = layout.lines[at]!;
          expect([line[0]!.id, line.at(-1)!.id]).toEqual([from, to]);
          for (const stop of line.slice(1, -1)) expect(boxes.filter((each) => passesThrough(each, stop))).toEqual([]);
          for (const [index, lower] of line.slice(1).entries()) {
            const gap = { top: line[index]!.bottom, bottom: lower.top };
            expect(gap.bottom).toBeGreaterThan(gap.top);
            // Between two rows, where lines turn aside, there is no box at all.
            expect(boxes.filter(({ top, bottom }) => bottom > gap.top && top < gap.bottom)).toEqual([]);
          }
        }
      }),
    );
  });

  test("the same graph is laid out in the same way", () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges }) => {
        expect(layOut(nodes, edges, options)).toEqual(layOut(nodes, edges, options));
      }),
      { numRuns: 20 },
    );
  });
});

test("a sequence is one straight line, also beside lines that skip steps", () => {
  const nodes = plain(6);
  const edges = [0, 1, 2, 3, 4].map((at) => edge(at, at + 1));
  const { boxes } = layOut(nodes, [...edges, edge(0, 4), edge(1, 5), edge(0, 5)], options);
  expect(new Set(boxes.map(({ x }) => x)).size).toBe(1);
});

test("a long line is straight between its ends", () => {
  const edges = [0, 1, 2, 3, 4].map((at) => edge(at, at + 1));
  const { lines } = layOut(plain(6), [...edges, edge(0, 5)], options);
  const inner = lines[5]!.slice(1, -1);
  expect(inner).toHaveLength(4);
  expect(new Set(inner.map(({ x }) => x)).size).toBe(1);
});

test("both sides of a diamond stand side by side, its ends in the middle", () => {
  const { boxes } = layOut(plain(4), [edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)], options);
  const [top, left, right, bottom] = boxes;
  expect(left!.y).toBe(right!.y);
  expect(top!.x).toBe((left!.x + right!.x) / 2);
  expect(bottom!.x).toBe(top!.x);
});

test("lines that need not cross do not", () => {
  // Given in an order in which every pair would cross.
  const edges = [0, 1, 2, 3].map((at) => edge(at, 7 - at));
  const { lines } = layOut(plain(8), edges, options);
  const ends = lines.map((line) => [line[0]!.x, line[1]!.x] as const);
  for (const [a, b] of ends) for (const [c, d] of ends) expect((a - c) * (b - d)).toBeGreaterThanOrEqual(0);
});

test("a row wider than allowed is split into rows of the same length", () => {
  const edges = Array.from({ length: 20 }, (_, at) => [edge(0, at + 1), edge(at + 1, 21)]).flat();
  const { boxes, width } = layOut(plain(22), edges, options);
  const rows = new Map<number, number>();
  for (const { y } of boxes) rows.set(y, (rows.get(y) ?? 0) + 1);
  expect([...rows.values()]).toEqual([1, 7, 7, 6, 1]);
  expect(width).toBeLessThan(options.maxRowWidth);
});

test("a box without inputs stands right above where it is needed", () => {
  const edges = [edge(0, 1), edge(1, 2), edge(2, 3), edge(4, 3)];
  const { boxes } = layOut(plain(5), edges, options);
  expect(boxes[4]!.y).toBe(boxes[2]!.y);
});

test("pinned boxes stand alone at the top and at the bottom", () => {
  const nodes: LayoutNode[] = [{ ...plain(1)[0]!, pin: "first" }, ...plain(3), { ...plain(1)[0]!, pin: "last" }];
  const { boxes } = layOut(nodes, [edge(0, 1), edge(1, 4)], options);
  const heights = boxes.map(({ y }) => y);
  expect(heights.filter((y) => y === heights[0])).toHaveLength(1);
  expect(heights.filter((y) => y === heights[4])).toHaveLength(1);
  expect(Math.min(...heights)).toBe(heights[0]);
  expect(Math.max(...heights)).toBe(heights[4]);
});

test("lines that close a cycle are not drawn, nor are lines from a box to itself", () => {
  const { lines, boxes } = layOut(plain(3), [edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 1)], options);
  expect(boxes).toHaveLength(3);
  expect(lines.map((line) => line.length > 0)).toEqual([true, true, false, false]);
});

test("an empty graph has no size", () => {
  expect(layOut([], [], options)).toEqual({ width: 0, height: 0, boxes: [], lines: [] });
});

describe("large graphs finish in seconds", () => {
  /** Numbers that look random and never change. */
  function chance(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  function randomEdges(count: number, expected: number): LayoutEdge[] {
    const below = chance(7);
    const found = new Map<string, LayoutEdge>();
    while (found.size < expected) {
      const [a, b] = [below(count), below(count)];
      if (a < b) found.set(`${a} ${b}`, edge(a, b));
    }
    return [...found.values()];
  }

  const sequence = (count: number): LayoutEdge[] => Array.from({ length: count - 1 }, (_, at) => edge(at, at + 1));

  test("a thousand boxes and ten thousand lines, not much wider than their widest row", () => {
    const { lines, width } = layOut(plain(1000), randomEdges(1000, 10_000), options);
    expect(lines.filter((line) => line.length > 0).length).toBeGreaterThan(1000);
    expect(width).toBeLessThan(40_000);
  });

  test("lines that a sequence implies are omitted if there are thousands", () => {
    const edges = [...sequence(1000), ...randomEdges(1000, 9000).filter(({ from, to }) => to > from + 1)];
    const { lines, boxes } = layOut(plain(1000), edges, options);
    expect(lines.slice(0, 999).every((line) => line.length === 2)).toBe(true);
    expect(lines.slice(999).every((line) => line.length === 0)).toBe(true);
    expect(new Set(boxes.map(({ x }) => x)).size).toBe(1);
  });

  test("a sequence of twenty thousand nodes is laid out", () => {
    const { boxes } = layOut(plain(20_000), sequence(20_000), options);
    expect(boxes[19_999]!.y).toBeGreaterThan(boxes[19_998]!.y);
  });

  test("ten thousand nodes side by side are laid out", () => {
    const edges = Array.from({ length: 10_000 }, (_, at) => [edge(0, at + 1), edge(at + 1, 10_001)]).flat();
    const { width, lines } = layOut(plain(10_002), edges, { ...options, maxRowWidth: 16_000 });
    expect(width).toBeLessThan(17_000);
    expect(lines.every((line) => line.length > 1)).toBe(true);
  });

  test("many lines past many rows, none of which another implies", () => {
    const edges = [
      ...sequence(600),
      ...Array.from({ length: 600 }, (_, at) => [edge(0, 600 + at), edge(600 + at, 599)]).flat(),
    ];
    const { boxes } = layOut(plain(1200), edges, options);
    expect(boxes).toHaveLength(1200);
  });
});
