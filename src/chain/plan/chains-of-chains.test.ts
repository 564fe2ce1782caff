import { describe, expect, test } from "vitest";
import { brief, planSpec, planText, planTogether } from "../../../test/support/planning.ts";

const research = `
name: research
input: { query: string, limit: number=5 }
steps:
  - { id: search, tool: find_news, params: { topic: "\${input.query}" } }
  - { id: photos, tool: find_photos, params: { location: "\${input.query}" } }
`;

describe("a chain that calls a chain", () => {
  test("passes that chain's inputs, and reads its output [A09]", () => {
    const plan = planTogether({
      research,
      write: `
name: write
steps:
  - { id: research, tool: research, params: { query: "\${input.topic}" } }
  - id: report
    tool: write_report
    params: { title: t, body: "\${steps.research.output.photos.images[*].url}" }
`,
    })("write").plan;
    expect(plan?.byId.get("research")?.target.chain?.().name).toBe("research");
    expect(plan?.effect).toBe("read");
  });

  test("reports parameters, steps and fields that the other chain does not have [A09]", () => {
    const planned = planTogether({
      research,
      write: `
name: write
steps:
  - { id: one, tool: research, params: { qery: "\${input.topic}" } }
  - { id: two, tool: research }
  - { id: three, tool: reserch, params: { query: 5 } }
  - { id: four, tool: research, params: { query: 5 } }
  - id: report
    tool: write_report
    params: { title: t, body: ["\${steps.one.output.fotos}", "\${steps.one.output.photos.imges}", "\${steps.one.output.search[0].url}"] }
`,
    })("write");
    expect(planned.problems.map(({ code, hint }) => `${code} ${hint}`)).toEqual([
      'unknown_parameter did you mean "query"?',
      'missing_parameter add "query"',
      'unknown_tool did you mean "research"?',
      "bad_parameter put quotes around it",
      'unknown_field did you mean "photos"?',
      'unknown_field did you mean "images"?',
    ]);
  });

  test("knows the fields of an output that the other one declares", () => {
    const planned = planTogether({
      inner: `
name: inner
steps: [{ id: p, tool: find_photos }]
output: { pictures: "\${steps.p.output.images}", links: "\${steps.p.output[*].url}", note: "about \${steps.p.output.total}", fixed: { a: 1 } }
`,
      outer: `
name: outer
steps:
  - { id: i, tool: inner }
  - { id: x, tool: anything, params: { a: "\${steps.i.output.pictures[0].url}", b: "\${steps.i.output.links[0]}", c: "\${steps.i.output.note}", d: "\${steps.i.output.fixed.a}" } }
  - { id: y, tool: anything, params: { a: "\${steps.i.output.pictures[0].ulr}", b: "\${steps.i.output.pix}", c: "\${steps.i.output.fixed.b}", d: "\${steps.i.output.links.url}" } }
`,
    })("outer");
    expect(planned.problems.map(({ line, code }) => `${line} ${code}`)).toEqual(
      Array.from({ length: 4 }, () => "6 unknown_field"),
    );
  });

  test("a chain that cannot be planned is reported where it is called", () => {
    const planned = planTogether({
      broken: "name: broken\nsteps: []",
      outer: "name: outer\nsteps: [{ id: x, tool: broken }]",
    })("outer");
    expect(brief(planned)).toEqual(["2:24 broken_chain"]);
    expect(planned.problems[0]?.message).toMatch(/must not be empty/);
  });

  test("cannot cache its result", () => {
    const planned = planTogether({
      research,
      outer: "name: outer\nsteps: [{ id: x, tool: research, params: { query: q }, cache: { ttl: 5 } }]",
    })("outer");
    expect(brief(planned)).toEqual(["2:56 useless_cache (warning)"]);
    expect(planned.plan).toBeDefined();
  });
});

describe("chains that call each other", () => {
  const call = (name: string, tool: string, more = ""): string =>
    `name: ${name}\nsteps: [{ id: x, tool: ${tool}${more} }]`;
  const when = `, condition: "\${input.go}"`;

  test("chains that call each other without end are rejected, with the path of the cycle [A09]", () => {
    const plan = planTogether({ a: call("a", "b"), b: call("b", "c"), c: call("c", "a") });
    const { plan: none, problems } = plan("a");
    expect(none).toBeUndefined();
    expect(problems).toMatchObject([{ code: "chain_cycle", line: 2, column: 24 }]);
    expect(problems[0]?.message).toMatch(/a -> b -> c -> a$/);
  });

  test("chains with a condition in the cycle are planned", () => {
    const plan = planTogether({ a: call("a", "b", ", params: { go: 1 }"), b: call("b", "a", when) });
    expect(brief(plan("a"))).toEqual([]);
    expect(brief(plan("b"))).toEqual([]);
  });

  test("chains that call each other only behind a step that may be skipped, for each item, or as a fallback, are planned", () => {
    const spec = (steps: unknown[]): unknown => ({ name: "a", steps });
    const skip = { id: "s", tool: "anything", condition: "${input.x}" };
    for (const steps of [
      [skip, { id: "x", tool: "a", params: { x: "${steps.s.output}" } }],
      [{ id: "x", tool: "a", for_each: "${input.x}", params: { x: "${item}" } }],
      [{ id: "x", tool: "anything", error_handling: { fallback: [{ tool: "a", params: {} }] } }],
    ]) {
      expect(planSpec(spec(steps)).problems).toEqual([]);
    }
    const after = [skip, { id: "x", tool: "a", params: { x: "${steps.s.output ?? 1}" } }];
    expect(planSpec(spec(after)).problems.map(({ code }) => code)).toEqual(["chain_cycle"]);
  });

  test("have the effect of all of them, computed on demand", () => {
    const plan = planTogether({
      a: `name: a\nsteps: [{ id: x, tool: b, condition: "\${input.go}", params: { go: 1 } }]`,
      b: `name: b\nsteps: [{ id: x, tool: a, condition: "\${input.go}", params: { go: 1 } }, { id: y, tool: send_mail }]`,
    });
    expect(plan("a").plan).toMatchObject({ effect: "once", destructive: true });
    expect(plan("b").plan).toMatchObject({ effect: "once", destructive: true });
  });

  test("128 levels are planned; one more is rejected, regardless of which is planned first", () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 1_000; i++) files[`c${i}`] = call(`c${i}`, i === 999 ? "send_mail" : `c${i + 1}`);
    const plan = planTogether(files);
    expect(brief(plan("c872"))).toEqual([]);
    expect(plan("c872").plan?.effect).toBe("once");
    expect(brief(plan("c871"))).toEqual(["2:24 chains_too_deep"]);
    expect(brief(planTogether(files)("c871"))).toEqual(["2:24 chains_too_deep"]);
    const [problem] = planTogether(files)("c0").problems;
    expect(problem).toMatchObject({ code: "broken_chain", severity: "error" });
  });

  test("a chain alone may call itself by its own name", () => {
    const { plan, problems } = planText(
      `name: a\nsteps: [{ id: x, tool: a, condition: "\${input.n > 0}", params: { n: "\${input.n - 1}" } }]`,
    );
    expect(problems).toEqual([]);
    expect(plan?.byId.get("x")?.target.chain?.()).toBe(plan);
  });
});
