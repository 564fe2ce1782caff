import { expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";

const cache = { ttl: 60, key: "${input.topic}" };

test("a key distinguishes the results of one step, not those of others", async () => {
  const inner = {
    name: "inner",
    steps: [{ id: "a", tool: "look", params: { from: "inner" }, cache }],
    output: "${steps.a.output}",
  };
  const { result, calls, state } = await runWith(
    {
      name: "outer",
      steps: [
        { id: "a", tool: "look", params: { from: "a" }, cache },
        { id: "b", tool: "look", params: { from: "b" }, cache, depends_on: ["a"] },
        { id: "c", tool: "inner", params: { topic: "${input.topic}" }, depends_on: ["b"] },
        {
          id: "again",
          tool: "look",
          for_each: [1, 2],
          concurrency: 1,
          params: { from: "${item}" },
          cache,
          depends_on: ["c"],
        },
      ],
    },
    {
      input: { topic: "tide mills" },
      others: [inner],
      tools: { look: ({ from }) => from },
    },
  );
  expect(result.output).toEqual({ a: "a", b: "b", c: "inner", again: [1, 1] });
  expect(calls).toHaveLength(4);
  // Only one of its two items.
  expect(state("again").items?.map(({ cached }) => cached)).toEqual([undefined, true]);
  expect(state("again").cached).toBe(false);
});

test("if a key has no value, the arguments distinguish results", async () => {
  const { result } = await runWith(
    {
      name: "keys",
      input: { topic: "string?" },
      steps: [
        { id: "a", tool: "look", for_each: [1, 2, 1], concurrency: 1, params: { from: "${item}" }, cache },
        {
          id: "b",
          tool: "look",
          for_each: [1, 2],
          params: { from: "${item}" },
          cache: { ttl: 60, key: "${steps.a.output[9] ?? null}" },
        },
      ],
    },
    { tools: { look: ({ from }) => from } },
  );
  expect(result.output).toEqual({ a: [1, 2, 1], b: [1, 2] });
});
