import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brief, goodPlan, harbourTools, planContext, planSpec, planText } from "../../../test/support/planning.ts";
import { ChainLibrary } from "../chain-library.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { planChain } from "./plan-chain.ts";
import type { Plan, PlanStep } from "./plan.ts";

function step(plan: Plan, id: string): PlanStep {
  const found = plan.byId.get(id);
  if (found === undefined) throw new Error(`no step ${id}`);
  return found;
}

function ids(plan: Plan, indexes: readonly number[]): string[] {
  return indexes.map((index) => plan.steps[index]?.id ?? "");
}

const harbour = `
name: harbour-report
description: Gathers the news of a harbour
input:
  harbour: string
  days: number=7
  style: string="plain"
  tags: string[]?
  verbose: boolean=false
steps:
  - id: news
    tool: find_news
    params: { topic: "\${input.harbour}", limit: 5 }
    output: { as: headlines, select: "$[*].title" }
  - id: tides
    tool: read_tides
    params: { harbour: "\${input.harbour}" }
    condition: "\${steps.news.output.size > 0}"
  - id: report
    tool: write_report
    params:
      title: "News of \${input.harbour}"
      body: [ "\${context.headlines}", "\${steps.tides.output ?? 'calm'}" ]
output:
  report: "\${steps.report.output}"
  headlines: "\${steps.news.output.size}"
metadata: { author: harbour office, tags: [news] }
`;

describe("a valid chain", () => {
  test("becomes a plan with all its settings [A01] [A08]", () => {
    const plan = goodPlan(harbour);
    expect(plan).toMatchObject({ name: "harbour-report", version: "1.0.0", maxParallel: 5, env: [], effect: "read" });
    expect(plan.spec.metadata).toEqual({ author: "harbour office", tags: ["news"] });
    expect(plan.steps.map(({ id }) => id)).toEqual(["news", "tides", "report"]);
    expect(ids(plan, plan.first)).toEqual(["news"]);
    const steps = { news: { output: ["a", "b"] }, report: { output: "text" } };
    expect(plan.output?.evaluate({ steps })).toEqual({ report: "text", headlines: 2 });
  });

  test("takes declared inputs, with defaults filled in [A01]", () => {
    const { input } = goodPlan(harbour);
    expect(input.validate({ harbour: "Oslo" })).toEqual({
      value: { harbour: "Oslo", days: 7, style: "plain", verbose: false },
    });
    expect(input.validate({ harbour: "Oslo", tags: ["a", 1] })).toMatchObject({ issues: [{ path: ["tags", 1] }] });
    expect(input.validate({})).toMatchObject({ issues: [{ path: ["harbour"], code: "required" }] });
  });

  test("infers inputs from its expressions, required unless every use handles their absence [A01]", () => {
    const { input } = goodPlan(`
name: greet
steps:
  - id: a
    tool: anything
    params: { x: "\${input.name}", y: "\${input.title ?? ''}", z: "\${default(input.tone, 'kind')}" }
    condition: "\${has(input.tone)}"
  - id: b
    tool: anything
    params: { x: "\${input.title ?? input.name}", list: [{ deep: "\${input['odd name']}" }] }
`);
    expect(input.json).toEqual({
      type: "object",
      properties: { name: {}, title: {}, tone: {}, "odd name": {} },
      required: ["name", "odd name"],
    });
  });

  describe("[F3] an inferred input", () => {
    const inferred = (steps: string, more?: Parameters<typeof planText>[1]): unknown => {
      const { plan, problems } = planText(`name: c\nsteps:\n${steps}`, more);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      return plan?.input.json["properties"];
    };

    test("[F3] has the type of the parameter that takes it", () => {
      expect(
        inferred(`
  - id: news
    tool: find_news
    params: { topic: "\${input.topic}", limit: "\${ input.limit }" }
  - id: report
    tool: write_report
    params: { title: "News of \${input.day}", body: "\${input.body}", options: { style: plain, pages: "\${input.pages}" } }
  - { id: each, tool: save_file, for_each: "\${input.files}", params: { path: "\${item}" } }
`),
      ).toEqual({
        topic: { type: "string" },
        limit: { type: "integer" },
        day: {},
        body: {},
        pages: { type: "integer" },
        files: { type: "array" },
      });
    });

    test("[F3] may be null if an expression checks it, and has no type if two parameters disagree", () => {
      expect(
        inferred(`
  - { id: a, tool: find_news, condition: "\${input.topic != null}", params: { topic: "\${input.topic}" } }
  - { id: b, tool: read_tides, params: { harbour: "\${input.x}", days: "\${input.x}" } }
`),
      ).toEqual({ topic: { type: ["string", "null"] }, x: {} });
    });

    test("[F3] has the type that fallbacks, compensations and chains with declared inputs require", () => {
      const inner = planText(
        "name: inner\ninput: { city: string }\nsteps: [{ id: t, tool: read_tides, params: { harbour: '${input.city}' } }]",
      );
      const chains = (name: string) => (name === "inner" ? () => inner.plan as Plan : undefined);
      expect(
        inferred(
          `
  - id: a
    tool: anything
    error_handling: { strategy: fallback, fallback: [{ tool: find_news, params: { topic: "\${input.topic}" } }] }
    compensate: { tool: save_file, params: { path: "\${input.path}" } }
  - { id: b, tool: inner, params: { city: "\${input.city}" } }
`,
          { chains },
        ),
      ).toEqual({ topic: { type: "string" }, path: { type: "string" }, city: { type: "string" } });
    });

    test("[F3] of a chain that calls itself is inferred, too", () => {
      const spec: ChainSpec = {
        name: "self",
        steps: [
          { id: "a", tool: "find_news", params: { topic: "${input.topic}" } },
          { id: "b", tool: "self", condition: "${input.more}", params: { topic: "${input.topic}", more: false } },
        ],
      };
      const library = new ChainLibrary({ tools: planContext().tools });
      library.add({ name: "self", spec });
      expect(library.plan("self").input.json["properties"]).toEqual({ topic: { type: "string" }, more: {} });
    });
  });

  test("a chain without an output returns the map of its steps, which the run creates [A01]", () => {
    expect(goodPlan("name: a\nsteps: [{ id: x, tool: anything }]").output).toBeUndefined();
  });

  test("gives the same plan from its own spec", () => {
    const first = goodPlan(harbour);
    // Data may be passed as `runChain` takes it.
    expect(planChain(first.spec, planContext()).plan?.name).toBe(first.spec.name);
    const { plan, problems } = planSpec(first.spec);
    expect(problems.filter(({ code }) => code !== "unused_input")).toEqual([]);
    expect(plan?.spec).toEqual(first.spec);
    expect(plan?.steps.map(({ needs, reads }) => ({ needs, reads }))).toEqual(
      first.steps.map(({ needs, reads }) => ({ needs, reads })),
    );
  });

  test("omits empty keys from its spec", () => {
    const { spec } = goodPlan(
      "name: a\ninput:\noutput:\nenv:\nsteps:\n  - id: x\n    tool: anything\n    params:\n    retry:\n",
    );
    expect(spec).toEqual({ name: "a", steps: [{ id: "x", tool: "anything" }] });
  });

  test("keeps null and empty values of params, which are data", () => {
    const plan = goodPlan('name: a\nsteps: [{ id: x, tool: anything, params: { a: null, b: "", c: [null] } }]');
    expect(step(plan, "x").params.evaluate({})).toEqual({ a: null, b: "", c: [null] });
  });

  test("uses the workspace's limit of parallel steps if it has none", () => {
    expect(goodPlan(harbour, { maxParallel: 2 }).maxParallel).toBe(2);
    expect(goodPlan(`${harbour}max_parallel: 9`, { maxParallel: 2 }).maxParallel).toBe(9);
  });
});

describe("edges", () => {
  test("come from references in params, conditions, lists, keys and approval messages, and from depends_on [N01]", () => {
    const plan = goodPlan(`
name: edges
steps:
  - { id: a, tool: anything }
  - { id: b, tool: anything, output: { as: bee } }
  - { id: by-params, tool: anything, params: { x: [{ y: "see \${steps.a.output}" }] } }
  - { id: by-condition, tool: anything, condition: "\${steps.a.output.size > 0}" }
  - { id: by-list, tool: anything, for_each: "\${steps.a.output}", params: { x: "\${item}" } }
  - { id: by-until, tool: anything, repeat: { until: "\${steps.by-until.output.done && steps.a.output}" } }
  - { id: by-key, tool: anything, cache: { ttl: 60, key: "\${steps.a.output}" } }
  - { id: by-approval, tool: anything, approval: "Send \${steps.a.output}?" }
  - { id: by-name, tool: anything, params: { x: "\${context.bee}" } }
  - { id: by-order, tool: anything, depends_on: [a, b] }
  - { id: by-error, tool: anything, params: { x: "\${steps.a.error}", y: "\${steps.b.status}" } }
`);
    const needs = Object.fromEntries(plan.steps.map(({ id, needs }) => [id, ids(plan, needs)]));
    expect(needs).toEqual({
      a: [],
      b: [],
      "by-params": ["a"],
      "by-condition": ["a"],
      "by-list": ["a"],
      "by-until": ["a"],
      "by-key": ["a"],
      "by-approval": ["a"],
      "by-name": ["b"],
      "by-order": ["a", "b"],
      "by-error": ["a", "b"],
    });
    expect(ids(plan, plan.first)).toEqual(["a", "b"]);
    expect(ids(plan, step(plan, "b").dependents)).toEqual(["by-name", "by-order", "by-error"]);
  });

  test("do not come from references that are only read after a failure [N01]", () => {
    const plan = goodPlan(`
name: apart
steps:
  - { id: a, tool: anything }
  - id: b
    tool: anything
    retry: { max: 1, when: "\${steps.a.output && error.code == 'timeout'}" }
    error_handling:
      fallback: [{ tool: anything, condition: "\${steps.a.error}", params: { x: "\${steps.a.output}", y: "\${error.message}" } }]
    compensate: { tool: anything, params: { x: "\${steps.a.output}", y: "\${steps.b.output}" } }
`);
    expect(step(plan, "b").needs).toEqual([]);
  });

  test("a step is skipped only for outputs that it cannot do without [A09]", () => {
    const plan = goodPlan(`
name: reads
steps:
  - { id: a, tool: anything, output: { as: one } }
  - { id: plain, tool: anything, params: { x: "\${steps.a.output.x}" } }
  - { id: whole, tool: anything, params: { x: "\${steps.a}" } }
  - { id: named, tool: anything, params: { x: "\${context.one}" } }
  - { id: guarded, tool: anything, params: { x: "\${steps.a.output ?? 1}" } }
  - { id: asked, tool: anything, condition: "\${steps.a.output}" }
  - { id: failed, tool: anything, params: { x: "\${steps.a.error.code}" } }
  - { id: after, tool: anything, depends_on: [a] }
`);
    const found = plan.steps.map(({ id, reads, relies }) => [id, reads.length, relies.length]);
    expect(found).toEqual([
      ["a", 0, 0],
      ["plain", 1, 1],
      ["whole", 1, 1],
      ["named", 1, 1],
      ["guarded", 0, 0],
      ["asked", 0, 0],
      ["failed", 0, 0],
      ["after", 0, 1],
    ]);
  });

  test("each dependency is listed once, for any number of references", () => {
    const plan = goodPlan(`
name: twice
steps:
  - { id: b, tool: anything, params: { x: "\${steps.a.output.x} \${steps.a.output.y}" }, depends_on: [a, a] }
  - { id: a, tool: anything }
`);
    expect(step(plan, "b")).toMatchObject({ needs: [1], reads: [1], relies: [1] });
    expect(step(plan, "a").dependents).toEqual([0]);
  });
});

describe("settings of a step", () => {
  test("durations, retries and loops become numbers", () => {
    const plan = goodPlan(`
name: numbers
timeout: 2m
steps:
  - id: a
    tool: anything
    timeout: 500ms
    retry: { max: 5, delay: 0, backoff: linear, max_delay: 1.5, jitter: false }
    repeat: { until: "\${true}", max: 4, max_duration: 1h, delay: 2 }
    cache: { ttl: 1d }
  - { id: b, tool: anything, for_each: [1, 2], concurrency: 3, tolerate: "25%" }
  - { id: c, tool: anything, for_each: [1, 2], tolerate: 2 }
  - { id: d, tool: anything, approval: { message: "Go?", approvers: [ann], expires: 2h } }
`);
    expect(plan.timeoutMs).toBe(120_000);
    expect(step(plan, "a")).toMatchObject({
      timeoutMs: 500,
      retry: { max: 5, delayMs: 0, backoff: "linear", maxDelayMs: 1_500, jitter: false },
      repeat: { max: 4, maxDurationMs: 3_600_000, delayMs: 2_000 },
      cache: { ttlMs: 86_400_000 },
    });
    expect(step(plan, "b").forEach).toMatchObject({ concurrency: 3, tolerate: { share: 0.25 } });
    expect(step(plan, "c").forEach).toMatchObject({ concurrency: 5, tolerate: { count: 2 } });
    expect(step(plan, "d").approval).toMatchObject({ approvers: ["ann"], expiresMs: 7_200_000 });
  });

  test("its own failure handling wins over the chain's", () => {
    const plan = goodPlan(`
name: handling
error_handling: { strategy: "retry|fallback|continue", max_retries: 2, fallback: [{ tool: read_tides, params: { harbour: x } }] }
steps:
  - { id: chain, tool: anything }
  - { id: own, tool: anything, error_handling: { strategy: abort } }
  - { id: retries, tool: anything, retry: { max: 1 } }
  - { id: stand-in, tool: anything, error_handling: { fallback: [{ tool: anything }] } }
`);
    const found = plan.steps.map(({ id, retry, onFailure }) => [
      id,
      retry.max,
      onFailure.fallback.map(({ target }) => target.name),
      onFailure.otherwise,
    ]);
    expect(found).toEqual([
      ["chain", 2, ["read_tides"], "continue"],
      ["own", 0, [], "abort"],
      ["retries", 1, ["read_tides"], "continue"],
      ["stand-in", 0, ["anything"], "abort"],
    ]);
    expect(step(plan, "chain").retry).toMatchObject({
      delayMs: 1_000,
      backoff: "exponential",
      maxDelayMs: 30_000,
      jitter: true,
    });
  });

  test("a chain aborts by default", () => {
    const plan = goodPlan("name: a\nsteps: [{ id: x, tool: anything }]");
    expect(step(plan, "x").onFailure).toEqual({ fallback: [], otherwise: "abort" });
    expect(step(plan, "x").retry.max).toBe(0);
  });

  test("the effect of a chain is the strongest of all its calls", () => {
    const effectOf = (yaml: string): string => {
      const { effect, destructive } = goodPlan(
        `name: a\nsteps:\n  - id: x\n    tool: write_report\n    params: { title: t }\n${yaml}`,
      );
      return `${effect} ${destructive}`;
    };
    expect(effectOf("")).toBe("pure false");
    expect(effectOf("  - { id: y, tool: anything }")).toBe("read false");
    expect(effectOf("    compensate: { tool: save_file }")).toBe("idempotent false");
    expect(effectOf("    error_handling: { fallback: [{ tool: send_mail }] }")).toBe("once true");
    expect(effectOf('  - { id: y, tool: call_service, params: { method: "GET" } }')).toBe("read false");
    expect(effectOf('  - { id: y, tool: call_service, params: { method: "${input.m}" } }')).toBe("once true");
  });
});

describe("ten different mistakes in one file", () => {
  const file = "test/fixtures/chains/ten-mistakes.yaml";
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");

  test("are reported all at once, each at its position and with a hint [A09]", () => {
    const { plan, problems } = planChain({ text, file }, planContext());
    expect(plan).toBeUndefined();
    expect(problems.map(({ line, column, code, hint }) => `${line}:${column} ${code}: ${hint}`)).toEqual([
      '3:1 unknown_key: did you mean "version"?',
      '11:11 unknown_tool: did you mean "find_news"?',
      '13:23 unknown_input: did you mean "harbour"?',
      "19:13 bad_parameter: write a number such as 1, or an expression: ${…}",
      '26:7 unknown_parameter: did you mean "title"?',
      '27:22 unknown_step: did you mean "news"?',
      '28:47 unknown_field: did you mean "url"?',
      "29:43 bad_expression: complete the expression, or write $${ for a literal ${",
      "34:41 cycle: none of them can start; remove one of these dependencies",
      "40:5 useless_cache: remove it, or cache the steps that only read",
    ]);
    expect(problems.every(({ severity, file: named }) => severity === "error" && named === file)).toBe(true);
  });

  test("underline exactly the part that is wrong", () => {
    const { problems } = planChain({ text, file }, planContext());
    const lines = text.split("\n");
    const underlined = problems.map(({ line, column, length = 0 }) =>
      lines[line - 1]?.slice(column - 1, column - 1 + length),
    );
    expect(underlined).toEqual([
      "verison",
      "find_newz",
      "harbor",
      '"seven"',
      "titel",
      "new",
      "ulr",
      "}",
      "steps.mail.output.receipt",
      "cache",
    ]);
  });
});

describe("any chain", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,3})?$/), {
    minLength: 1,
    maxLength: 30,
  });
  /** Steps that read earlier ones, in all possible ways. */
  const graphs = names.chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      edges: fc.array(fc.tuple(fc.nat(ids.length - 1), fc.nat(ids.length - 1), fc.nat(4)), { maxLength: 60 }),
    }),
  );

  function specOf(ids: readonly string[], edges: readonly (readonly [number, number, number])[]): unknown {
    const steps = ids.map((id) => ({
      id,
      tool: "anything",
      params: {} as Record<string, unknown>,
      depends_on: [] as string[],
    }));
    const conditions = new Map<number, string[]>();
    for (const [from, to, kind] of edges) {
      const source = steps[from];
      const name = ids[to];
      if (source === undefined) continue;
      if (kind === 0) source.depends_on.push(name ?? "");
      else if (kind === 1) conditions.set(from, [...(conditions.get(from) ?? []), `steps.${name}.output`]);
      else source.params[`p${to}`] = kind === 2 ? `\${steps.${name}.output}` : [`a \${steps["${name}"].error ?? 1}`];
    }
    return {
      name: "random",
      steps: steps.map((one, index) => ({
        ...one,
        ...(conditions.has(index) && { condition: (conditions.get(index) ?? []).join(" || ") }),
      })),
    };
  }

  test("a chain whose steps only read earlier ones is planned, and every step comes after its dependencies [A08] [N01]", () => {
    fc.assert(
      fc.property(graphs, ({ ids: names, edges }) => {
        const forward = edges.filter(([from, to]) => from > to);
        const { plan, problems } = planSpec(specOf(names, forward));
        expect(problems).toEqual([]);
        const expected = new Set(forward.map(([from, to]) => `${from} ${to}`));
        const found = plan?.steps.flatMap(({ index, needs }) => needs.map((need) => `${index} ${need}`));
        expect(new Set(found)).toEqual(expected);
        expect(found?.length).toBe(expected.size);
      }),
      { numRuns: 100 },
    );
  });

  test("a chain with an edge back is rejected, and the named cycle exists [A09]", () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.nat(), ({ ids: names, edges }, a, b) => {
        fc.pre(names.length > 1);
        const low = a % (names.length - 1);
        const high = low + 1 + (b % (names.length - 1 - low));
        const all = [...edges.filter(([from, to]) => from > to), [high, low, 2], [low, high, 2]] as const;
        const { problems } = planSpec(specOf(names, all));
        const cycles = problems.filter(({ code }) => code === "cycle");
        expect(cycles.length).toBeGreaterThan(0);
        const pairs = new Set(all.map(([from, to]) => `${names[from]} ${names[to]}`));
        for (const { message } of cycles) {
          const way = / ([^ ]+(?: -> [^ ]+)+) \(at/.exec(message)?.[1]?.split(" -> ") ?? [];
          expect(way[0]).toBe(way.at(-1));
          const steps = way.slice(1).map((name, i) => `${way[i]} ${name}`);
          // A long cycle is shortened.
          expect(message.includes("…") || steps.every((pair) => pairs.has(pair))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a chain that is half broken has its problems at positions inside of the file, and planning never throws [A09]", () => {
    const lines = harbour.split("\n");
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.nat(lines.length - 1),
            fc.nat(60),
            fc.constantFrom("", "x", "${", "}", '"', ":", "- ", "[", "  ", "steps.", "\u{1f600}", "\t", "|"),
          ),
          { maxLength: 6 },
        ),
        (changes) => {
          const changed = [...lines];
          for (const [line, column, inserted] of changes) {
            const before = changed[line] ?? "";
            changed[line] = before.slice(0, column) + inserted + before.slice(column + (inserted === "" ? 1 : 0));
          }
          const text = changed.join("\n");
          const { plan, problems } = planText(text);
          expect(plan === undefined).toBe(problems.some(({ severity }) => severity === "error"));
          const rows = text.split("\n");
          for (const { line, column, message } of problems) {
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(rows.length);
            expect(column).toBeGreaterThanOrEqual(1);
            expect(column).toBeLessThanOrEqual((rows[line - 1]?.length ?? 0) + 1);
            expect(message).not.toBe("");
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a tool that is found by its alias is called by that alias", () => {
  const [first] = harbourTools;
  const tools = {
    resolve: (name: string) =>
      name === "findNews" && first ? { tool: first, source: "tools", owner: "", priority: 0 } : undefined,
    names: () => [],
  };
  const plan = goodPlan("name: a\nsteps: [{ id: x, tool: findNews, params: { topic: t } }]", { tools });
  expect(step(plan, "x").target).toMatchObject({ name: "findNews", tool: { name: "find_news" } });
});

test("a chain of 10,000 steps in a row is planned without recursion and without problems", () => {
  const steps = Array.from({ length: 10_000 }, (_, index) => ({
    id: `s${index}`,
    tool: "anything",
    params: index === 0 ? {} : { before: `\${steps.s${index - 1}.output}` },
  }));
  expect(planSpec({ name: "long", steps }).plan?.first).toEqual([0]);
  const ring = [...steps.slice(1), { id: "s0", tool: "anything", params: { before: "${steps.s9999.output}" } }];
  expect(brief(planSpec({ name: "ring", steps: ring }))).toEqual(["1:1 cycle"]);
});
