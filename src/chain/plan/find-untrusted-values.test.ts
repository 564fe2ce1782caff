import { expect, test } from "vitest";
import { goodPlan, planContext, planTogether } from "../../../test/support/planning.ts";
import { formatPath } from "../../base/index.ts";
import type { Plan } from "./plan.ts";
import { findUntrustedValues } from "./untrusted-target.ts";

function reported(yaml: string, inputs: readonly string[] = []): Record<string, readonly string[]> {
  return reportedOf(goodPlan(yaml), inputs);
}

/** The untrusted parameters of each step that has some. */
function reportedOf(plan: Plan, inputs: readonly string[] = []): Record<string, readonly string[]> {
  const values = findUntrustedValues(plan, inputs);
  const found = plan.steps.map((step) => {
    const parts = values.partsOf(step.params, step);
    return [step.id, parts.map(({ reference }) => formatPath(reference.valuePath))] as const;
  });
  return Object.fromEntries(found.filter(([, paths]) => paths.length > 0));
}

test("results of tools that read external content are untrusted everywhere, also through pure tools", () => {
  const found = reported(`
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

test("a fallback of a pure tool may be untrusted", () => {
  const found = reported(`
name: stand-in
steps:
  - { id: a, tool: write_report, params: { title: t }, error_handling: { fallback: [{ tool: anything }] } }
  - { id: b, tool: write_report, params: { title: "\${steps.a.output}" } }
`);
  expect(found).toEqual({ b: ["title"] });
});

test("a chain is trusted if everything that it calls is", () => {
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
  expect(plan && reportedOf(plan)).toEqual({ x: ["body"] });
  expect(planContext().tools.resolve("anything")).toBeDefined();
});

test("the output of a loop's last round is as untrusted as its tool, and a fallback sees the failure", () => {
  const found = reported(`
name: loop
steps:
  - { id: poll, tool: anything, params: { cursor: "\${steps.poll.output.next ?? 'first'}" }, repeat: { until: "\${steps.poll.output.done}" } }
  - { id: pure, tool: write_report, params: { title: "\${steps.pure.output.title ?? 'first'}" }, repeat: { until: "\${steps.pure.output.done}" } }
`);
  expect(found).toEqual({ poll: ["cursor"] });
});

test("fallbacks imply no order: their values are followed for any order of the steps in the file", () => {
  const found = reported(`
name: late
steps:
  - { id: a, tool: write_report, params: { title: t }, error_handling: { fallback: [{ tool: write_report, params: { title: "\${steps.c.output}" } }] } }
  - { id: b, tool: write_report, params: { title: "\${steps.a.output}" } }
  - { id: c, tool: write_report, params: { title: "\${steps.d.output}" } }
  - { id: d, tool: anything }
`);
  expect(found).toEqual({ b: ["title"], c: ["title"] });
});

test("for an untrusted input, exactly the values that depend on it are untrusted", () => {
  const yaml = `
name: inner
steps:
  - { id: a, tool: write_report, params: { title: "\${input.bad}" } }
  - { id: b, tool: write_report, params: { title: "\${input.good}", body: "\${steps.a.output}" } }
  - { id: c, tool: write_report, params: { title: all, body: "\${input}" } }
`;
  expect(reported(yaml, ["bad"])).toEqual({ a: ["title"], b: ["body"], c: ["body"] });
  expect(reported(yaml)).toEqual({});
});
