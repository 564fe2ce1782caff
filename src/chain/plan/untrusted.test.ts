import { expect, test } from "vitest";
import { goodPlan, planContext, planTogether } from "../../../test/support/planning.ts";
import { untrusted } from "./untrusted.ts";

function told(yaml: string): Record<string, readonly string[]> {
  const plan = goodPlan(yaml);
  return Object.fromEntries([...untrusted(plan)].map(([index, paths]) => [plan.steps[index]?.id ?? "", paths]));
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
  expect(plan && [...untrusted(plan)]).toEqual([[2, ["body"]]]);
  expect(planContext().tools.resolve("anything")).toBeDefined();
});
