import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type AnyTool, defineTool } from "../../tool/index.ts";
import { runChain } from "../run-chain.ts";
import { planChain } from "./plan-chain.ts";

const object = (properties: Record<string, unknown>) => fromJsonSchema({ type: "object", properties });

const tools: readonly AnyTool[] = [
  defineTool({
    name: "search",
    description: "Finds pages",
    effect: "read",
    input: object({ query: { type: "string" } }),
    output: object({
      title: { type: "string" },
      count: { type: "integer" },
      pages: { type: "array", items: { type: "object", properties: { url: { type: "string" } } } },
      other: {},
    }),
    run: () => ({ title: "tea", count: 2, pages: [{ url: "a" }, { url: "b" }], other: 1 }),
  }),
  defineTool({
    name: "use",
    description: "Uses values",
    effect: "pure",
    input: object({
      limit: { type: "number" },
      whole: { type: "integer" },
      text: { type: "string" },
      flag: { type: "boolean" },
      list: { type: "array" },
      either: { type: ["string", "number"] },
      any: {},
    }),
    run: (args) => args,
  }),
];
const engine = createEngine({ tools });

function plan(params: string, more = "") {
  const text = `name: c\nsteps:\n  - id: a\n    tool: search\n  - id: b\n    tool: use\n${more}    params: { ${params} }\n`;
  return planChain({ text, file: "c.yaml" }, { tools: engine.resolver });
}

describe("[F10] the plan checks types where both schemas are known", () => {
  test.each([
    [
      'limit: "${steps.a.output.title}"',
      /"limit" must be a number, but this is text.*\$\{num\(steps\.a\.output\.title\)\}/,
    ],
    ['flag: "${steps.a.output.title}"', /"flag" must be true or false, but this is text/],
    ['flag: "is ${steps.a.output.count}"', /"flag" must be true or false, but this is text.*one expression/],
    [
      'text: "${steps.a.output.count}"',
      /"text" must be text, but this is a whole number.*\$\{str\(steps\.a\.output\.count\)\}/,
    ],
    ['text: "${steps.a.output.pages}"', /"text" must be text, but this is a list/],
    ['list: "${steps.a.output.title}"', /"list" must be a list, but this is text/],
    ['list: "${steps.a.output}"', /"list" must be a list, but this is a map/],
  ])("%s", (params, says) => {
    const { problems } = plan(params);
    expect(problems.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
      "error bad_parameter 7",
    ]);
    expect(`${problems[0]?.message} ${problems[0]?.hint}`).toMatch(says);
  });

  test.each([
    'limit: "${steps.a.output.count}"',
    'whole: "${steps.a.output.count}"',
    'text: "${steps.a.output.title}"',
    'text: "about ${steps.a.output.count}"',
    'text: "${str(steps.a.output.count)}"',
    'list: "${steps.a.output.pages[*].url}"',
    'either: "${steps.a.output.count}"',
    'any: "${steps.a.output.pages}"',
    'limit: "${steps.a.output.other}"',
    'limit: "${steps.a.output.title ?? 3}"',
    'limit: "${input.limit}"',
  ])("a value that may fit is accepted: %s", (params) => expect(plan(params).problems).toEqual([]));

  test("the items of a list have a type, too", () => {
    const each = '    for_each: "${steps.a.output.pages}"\n';
    expect(plan('text: "${item.url}"', each).problems).toEqual([]);
    expect(plan('limit: "${item.url}"', each).problems).toMatchObject([{ code: "bad_parameter", line: 8 }]);
  });
});

describe("[F4] a single expression in a YAML block", () => {
  const run = async (text: string) => {
    const planned = planChain({ text, file: "c.yaml" }, { tools: engine.resolver });
    expect(planned.problems).toEqual([]);
    return runChain(planned.plan!, { engine });
  };

  test.each([">\n      ${[1, 2]}\n", "|\n      ${[1, 2]}\n", '" ${[1, 2]}"\n', '"${[1, 2]} "\n'])(
    "is a list in for_each: %j",
    async (items) => {
      const text = `name: c\nsteps:\n  - id: b\n    tool: use\n    for_each: ${items}    params: { any: "\${item}" }\n`;
      expect(await run(text)).toMatchObject({ status: "success", output: { b: [{ any: 1 }, { any: 2 }] } });
    },
  );

  test.each([">\n  ${steps.a.output.pages}\n", '" ${steps.a.output.pages} "\n'])(
    "is an object in output: %j",
    async (output) => {
      const { output: found } = await run(`name: c\nsteps:\n  - id: a\n    tool: search\noutput: ${output}`);
      expect(found).toEqual([{ url: "a" }, { url: "b" }]);
    },
  );

  test("keeps its type as a parameter", async () => {
    const text = "name: c\nsteps:\n  - id: b\n    tool: use\n    params:\n      any: >\n        ${[1]}\n";
    expect((await run(text)).output).toEqual({ b: { any: [1] } });
  });

  test("text around the expression is an error where a list is needed", () => {
    const { problems } = plan('any: "${item}"', '    for_each: "x ${steps.a.output.pages}"\n');
    expect(problems).toMatchObject([{ severity: "error", code: "not_a_list", line: 7 }]);
    expect(problems[0]?.hint).toBe('write "${steps.a.output.pages}"');
  });
});
