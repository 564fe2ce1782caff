import type { ChainGraph, GraphEdge, GraphNode } from "../../src/chain/graph/graph.ts";

/** Texts that break out of quotes, tags, lines and reading order if they are not escaped. */
export const hostileTexts: readonly string[] = [
  '"]; click n1 "javascript:alert(1)"',
  "</text><script>alert(1)</script>",
  "%%{init: {'theme':'forest'}}%%",
  "end",
  "`**bold**`",
  "a\n---\nb\r\n\tc",
  "style n1 fill:#f00;",
  "\u202egnp.exe",
  "x".repeat(5000),
  "\u{1f600}".repeat(50),
  "&amp; ]]> <!-- -->",
  "\0\u001b[31mred\u0007",
  "\ud800 \uffff \ufffe",
  "",
  "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
  "#35; #quot;",
  "|pipe| --> [x]",
  "\u7814\u7a76".repeat(200),
  `' onload='alert(1)`,
];

const texts = (at: number): string => hostileTexts[at % hostileTexts.length] ?? "";

/** A graph that holds every hostile text in every field for text. */
export function hostileGraph(): ChainGraph {
  const effects = ["pure", "read", "idempotent", "once", "varies"] as const;
  const kinds = ["data", "order", "condition"] as const;
  const steps: GraphNode[] = hostileTexts.map((id, at) => ({
    key: `steps.${at}`,
    kind: at % 2 === 0 ? "tool" : "chain",
    id,
    tool: texts(at + 1),
    description: texts(at + 2),
    effect: effects[at % 5] ?? "once",
    condition: texts(at + 3),
    ...(at % 2 === 0 && { forEach: { items: texts(at + 4), concurrency: 5 } }),
    repeat: { until: texts(at + 5), max: 3 },
    approval: texts(at + 6),
    compensate: texts(at + 7),
    cacheMs: 90_000,
    fallbacks: [{ tool: texts(at + 8), kind: "tool", condition: texts(at + 9) }],
  }));
  const nodes: GraphNode[] = [
    { key: "input", kind: "input", fields: hostileTexts },
    ...steps,
    { key: "output", kind: "output", fields: hostileTexts },
  ];
  const edges = nodes.flatMap((node, at): GraphEdge[] =>
    [1, 3].flatMap((step) => {
      const to = nodes[at + step];
      if (to === undefined) return [];
      return [{ from: node.key, to: to.key, kind: kinds[at % 3] ?? "data", reads: hostileTexts, label: texts(at) }];
    }),
  );
  return {
    name: texts(1),
    description: hostileTexts.join(" "),
    version: texts(0),
    nodes,
    edges,
    fallbacks: [{ tool: texts(1), kind: "tool", condition: texts(2) }],
  };
}
