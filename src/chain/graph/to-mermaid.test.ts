import { expect, test } from "vitest";
import { hostileGraph, hostileTexts } from "../../../test/support/hostile-graph.ts";
import { planSpec } from "../../../test/support/planning.ts";
import { chainGraph } from "./chain-graph.ts";
import { toGraphJson } from "./to-graph-json.ts";
import { toSvg } from "./to-svg.ts";
import type { ChainGraph, GraphStep } from "./graph.ts";
import { toMermaid } from "./to-mermaid.ts";

const step = (id: string, more: Partial<GraphStep> = {}): GraphStep => ({
  key: `steps.${id}`,
  kind: "tool",
  id,
  tool: `${id}_tool`,
  effect: "read",
  fallbacks: [],
  ...more,
});

const sample: ChainGraph = {
  name: "sample",
  description: "",
  version: "",
  nodes: [
    { key: "input", kind: "input", fields: ["topic", "depth"] },
    step("find", { retry: 2, fallbacks: [{ tool: "recall", kind: "tool", condition: "steps.find.error" }] }),
    step("研究", { kind: "chain", effect: "once", condition: "steps.find.output.size > 0" }),
    { key: "output", kind: "output", fields: [] },
  ],
  edges: [
    { from: "input", to: "steps.find", kind: "data", reads: ["topic"], label: "topic" },
    { from: "steps.find", to: "steps.研究", kind: "condition", reads: ["output.size"], label: "size" },
    { from: "steps.研究", to: "output", kind: "data", reads: ["output"] },
    { from: "steps.nobody", to: "output", kind: "data", reads: [] },
  ],
  fallbacks: [{ tool: "notify", kind: "chain" }],
};

test("a flowchart shows kinds by shapes, effects by classes, fallbacks by dashes", () => {
  expect(toMermaid(sample)).toBe(`flowchart TD
  n1(["input<br/>topic, depth"])
  n2["find<br/>find_tool<br/>retry 2"]
  n2f1["recall"]
  n2 -. "if it fails" .-> n2f1
  n3[["研究<br/>研究_tool<br/>if steps.find.output.size #62; 0"]]
  n4(["output"])
  n1 -->|"topic"| n2
  n2 -.->|"size"| n3
  n3 --> n4
  f1[["notify<br/>if any other step fails"]]
  classDef read stroke:#0969da,stroke-width:2px
  class n2 read
  classDef fallback stroke-dasharray:4 3
  class n2f1,f1 fallback
  classDef once stroke:#c4480a,stroke-width:2px
  class n3 once
`);
});

test("for any ids, expressions and labels, no special character of Mermaid stands in a label", () => {
  const text = toMermaid(hostileGraph());
  const line =
    /^(?:flowchart TD|  n\d+(?:f\d+)?(?:\(\["L"\]\)|\[\["L"\]\]|\["L"\])|  f\d+(?:\[\["L"\]\]|\["L"\])|  n\d+ (?:-->|-\.->)(?:\|"L"\|)? n\d+|  n\d+ -\. "if it fails" \.-> n\d+f\d+|  classDef [a-z]+ [a-z0-9:#,\- ]+|  class [nf\d,]+ [a-z]+)$/;
  const label = /"((?:[\p{L}\p{M}\p{N} _.,…]|#\d+;|<br\/>)*)"/gu;
  for (const each of text.trimEnd().split("\n")) {
    const shape = each.includes('"if it fails" .->') ? each : each.replaceAll(label, '"L"');
    expect(shape).toMatch(line);
  }
});

test("long texts are cut", () => {
  const maxLength = Math.max(
    ...toMermaid(hostileGraph())
      .split("\n")
      .map((each) => each.length),
  );
  expect(maxLength).toBeLessThan(hostileTexts.length * 700);
});

test("[P05] a step that waits shows what it waits for, in every format", () => {
  const { plan } = planSpec({
    name: "c",
    steps: [
      { id: "cool", wait: "3d" },
      { id: "paid", wait: { event: "payment", timeout: "7d" }, depends_on: ["cool"] },
      { id: "then", wait: { until: "${steps.paid.output.at}" } },
    ],
  });
  if (plan === undefined) throw new Error("no plan");
  const graph = chainGraph(plan);
  const mermaid = toMermaid(graph);
  for (const text of ["wait 3d", "wait for payment, at most 7d", "wait until steps.paid.output.at"])
    for (const shown of [mermaid, toSvg(graph)]) expect(shown).toContain(text);
  expect(mermaid).toContain('{{"');
  expect(toGraphJson(graph).nodes[0]).toMatchObject({ id: "cool", tool: "wait", wait: "3d", effect: "pure" });
});
