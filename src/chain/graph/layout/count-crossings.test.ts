import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countCrossings } from "./order-rows.ts";
import { rowPositions, layeredGraph } from "./layered-graph.ts";

const pairs = fc.uniqueArray(fc.tuple(fc.nat(7), fc.nat(7)), { selector: ([a, b]) => `${a} ${b}` });

test("counts the same as comparing every pair of lines", () => {
  fc.assert(
    fc.property(pairs, (ends) => {
      const nodes = Array.from({ length: 16 }, () => ({ left: 1, right: 1, height: 1 }));
      const edges = ends.map(([a, b]) => ({ from: a, to: b + 8, style: "" }));
      const graph = layeredGraph(
        nodes,
        edges,
        nodes.map((_, at) => (at < 8 ? 0 : 1)),
      );
      let expected = 0;
      for (const [at, [a, b]] of ends.entries())
        for (const [c, d] of ends.slice(at + 1)) if ((a - c) * (b - d) < 0) expected++;
      expect(countCrossings(graph, rowPositions(graph.rows, 16))).toBe(expected);
    }),
  );
});
