import { expect, test } from "vitest";
import { goodPlan, planContext, planTogether } from "../../../test/support/planning.ts";
import { formatPath } from "../../base/index.ts";
import type { Plan } from "./plan.ts";
import { untrusted } from "./untrusted.ts";

function told(yaml: string, inputs: readonly string[] = []): Record<string, readonly string[]> {
  return toldOf(goodPlan(yaml), inputs);
}

/** The untrusted parameters of each step that has some. */
function toldOf(plan: Plan, inputs: readonly string[] = []): Record<string, readonly string[]> {
  const values = untrusted(plan, inputs);
  const found = plan.steps.map((step) => {
    const parts = values.partsOf(step.params, step);
    return [step.id, parts.map(({ reference }) => formatPath(reference.valuePath))] as const;
  });
  return Object.fromEntries(found.filter(([, paths]) => paths.length > 0));
}

test("what tools read of the world is untrusted wherever it goes, also through tools that are pure", () => {
  const found = told(`
name: taint
steps:
  - { id: mail, tool: send_mail, params: { text: "\${steps.report.output}" } }
  - { id: news, tool: find_news, params: { topic: "\${input.topic}" }, output: { as: headlines } }
  - { id: report, tool: write_report, params: { title: "\${input.topic}", body: [fixed, { by: "see \${context.headlines[0].title}" }] } }
  - { id: clean, tool: write_report, params: { title: "\${input.topic}" } }
  - { id: mail-clean, tool: send_mail, params: { text: "\${steps.clean.output}" } }
  - { id: each, tool: write_report, for_each: "\${steps.news.output}", params: { title: "\${item.title}", first: "\${index}" } }
  - { id: asks, tool: write_report, params: { title: a, body: "\${steps.news.status}" }, condition: "\${steps.news.output}" }
  - { id: says, tool: write_report, params: { title: "\${steps.news.error.message}" } }
`);
  expect(found).toEqual({
    report: ["body[1].by"],
    mail: ["text"],
    each: ["title"],
    says: ["title"],
  });
});

test("what stands in for a pure tool may be untrusted", () => {
  const found = told(`
name: stand-in
steps:
  - { id: a, tool: write_report, params: { title: t }, error_handling: { fallback: [{ tool: anything }] } }
  - { id: b, tool: write_report, params: { title: "\${steps.a.output}" } }
`);
  expect(found).toEqual({ b: ["title"] });
});

test("a chain is as trustworthy as what it calls", () => {
  const plan = planTogether({
    pure: 'name: pure\nsteps: [{ id: r, tool: write_report, params: { title: "${input.t}" } }]',
    reads: 'name: reads\nsteps: [{ id: r, tool: anything, params: { t: "${input.t}" } }]',
    outer: `
name: outer
steps:
  - { id: p, tool: pure, params: { t: fixed } }
  - { id: r, tool: reads, params: { t: fixed } }
  - { id: x, tool: write_report, params: { title: "\${steps.p.output.r}", body: "\${steps.r.output.r}" } }
`,
  })("outer").plan;
  expect(plan && toldOf(plan)).toEqual({ x: ["body"] });
  expect(planContext().tools.resolve("anything")).toBeDefined();
});

test("what a loop gave in its last round is as doubtful as its tool, and a fallback sees the failure", () => {
  const found = told(`
name: loop
steps:
  - { id: poll, tool: anything, params: { cursor: "\${steps.poll.output.next ?? 'first'}" }, repeat: { until: "\${steps.poll.output.done}" } }
  - { id: pure, tool: write_report, params: { title: "\${steps.pure.output.title ?? 'first'}" }, repeat: { until: "\${steps.pure.output.done}" } }
`);
  expect(found).toEqual({ poll: ["cursor"] });
});

test("fallbacks make no order: what they pass on is found whichever step comes first in the file", () => {
  const found = told(`
name: late
steps:
  - { id: a, tool: write_report, params: { title: t }, error_handling: { fallback: [{ tool: write_report, params: { title: "\${steps.c.output}" } }] } }
  - { id: b, tool: write_report, params: { title: "\${steps.a.output}" } }
  - { id: c, tool: write_report, params: { title: "\${steps.d.output}" } }
  - { id: d, tool: anything }
`);
  expect(found).toEqual({ b: ["title"], c: ["title"] });
});

test("of an input that comes from outside everything is untrusted that hangs on it, and on no other", () => {
  const yaml = `
name: inner
steps:
  - { id: a, tool: write_report, params: { title: "\${input.bad}" } }
  - { id: b, tool: write_report, params: { title: "\${input.good}", body: "\${steps.a.output}" } }
  - { id: c, tool: write_report, params: { title: all, body: "\${input}" } }
`;
  expect(told(yaml, ["bad"])).toEqual({ a: ["title"], b: ["body"], c: ["body"] });
  expect(told(yaml)).toEqual({});
});
