import { expect, test } from "vitest";
import { machine } from "../../../test/support/chain-machine.ts";
import { withTime } from "../../../test/support/chain-runner.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";
import { diffRuns } from "./diff-runs.ts";
import type { ExecutionLog } from "./execution-log.ts";

const chain: ChainSpec = {
  name: "c",
  steps: [
    { id: "find", tool: "echo", params: { value: { query: "${input.query}", page: 1 } } },
    { id: "fixed", tool: "echo", params: { value: "same" } },
    { id: "more", tool: "echo", params: { value: "${steps.find.output}" }, condition: "${input.query != 'none'}" },
  ],
  output: { found: "${steps.find.output}" },
};

async function logOf(query: string, runId: string): Promise<ExecutionLog> {
  const { process, clock } = machine([chain], { echo: mock({ effect: "read", answer: ({ value }) => value }) });
  const { runs, plan } = process();
  return (await withTime(runs.start(plan("c"), { runId, input: { query } }), clock)).log();
}

test("two runs are compared step by step, by the parts of their values", async () => {
  const difference = diffRuns(await logOf("tea", "r1"), await logOf("coffee", "r2"));
  const changed = { differences: [{ path: ["query"], before: "tea", after: "coffee" }] };
  expect(difference).toMatchObject({ before: "r1", after: "r2", input: changed });
  expect(difference.output.differences).toEqual([{ path: ["found", "query"], before: "tea", after: "coffee" }]);
  const [find, fixed] = difference.steps;
  expect(find).toMatchObject({ id: "find", same: false, before: { status: "success", tool: "echo" }, output: changed });
  expect(find?.input.differences).toEqual([{ path: ["value", "query"], before: "tea", after: "coffee" }]);
  expect(fixed).toMatchObject({ id: "fixed", same: true, input: { differences: [] }, output: { differences: [] } });
});

test("a step that only one run has, or that ended otherwise, differs", async () => {
  const [one, other] = [await logOf("tea", "r1"), await logOf("none", "r2")];
  const { steps } = diffRuns(one, { ...other, steps: other.steps.filter(({ id }) => id !== "fixed") });
  expect(steps.map(({ id, same }) => [id, same])).toEqual([
    ["find", false],
    ["more", false],
    ["fixed", false],
  ]);
  expect(steps[1]).toMatchObject({ before: { status: "success" }, after: { status: "skipped" } });
  expect(steps[2]).not.toHaveProperty("after");
});

test("hostile values are compared in bounded work", async () => {
  const log = await logOf("tea", "r1");
  const deep = (leaf: string): unknown => {
    let value: unknown = leaf;
    for (let depth = 0; depth < 500; depth++) value = [value];
    return value;
  };
  const wide = (start: number): unknown => Array.from({ length: 5000 }, (_, index) => start + index);
  const of = (before: unknown, after: unknown) =>
    diffRuns({ ...log, output: before, steps: [] }, { ...log, output: after, steps: [] }).output;
  expect(of(deep("a"), deep("a"))).toEqual({ differences: [] });
  expect(of(deep("a"), deep("b")).differences).toHaveLength(1);
  const many = of(wide(0), wide(1));
  expect(many.differences).toHaveLength(100);
  expect(many.more).toBe(true);
  const odd = (text: string): unknown => JSON.parse(text);
  expect(of(odd('{"__proto__": 1}'), odd("{}"))).toEqual({ differences: [{ path: ["__proto__"], before: 1 }] });
  expect(of([], {}).differences).toEqual([{ path: [], before: [], after: {} }]);
});
