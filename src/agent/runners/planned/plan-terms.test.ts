import { expect, test } from "vitest";
import { planTerms } from "./plan-terms.ts";
import { cpuTime } from "../../../../test/support/cpu-time.ts";

test.each<readonly [string, readonly string[]]>([
  ["terms: tide mills, 潮汐磨坊", ["tide mills", "潮汐磨坊"]],
  ['I will look.\n**Salient terms**: ["rope", "hemp"]', ["rope", "hemp"]],
  ["关键词：梯度下降、学习率", ["梯度下降", "学习率"]],
  ["- keywords: a; b | A", ["a", "b"]],
  ["no such line; the terms are unclear", []],
  ["", []],
])("[E02] the terms in a plan: %j", (text, terms) => {
  expect(planTerms(text, [])).toEqual(terms);
});

test("[E02] the terms of a planned call count, those of a truncated one do not", () => {
  const call = { type: "tool-call", id: "c", name: "localSearch" } as const;
  const input = '{"query":"x","salientTerms":["rope",3,"hemp"]}';
  expect(planTerms("", [{ ...call, input }])).toEqual(["rope", "hemp"]);
  expect(planTerms("", [{ ...call, input, broken: "cut" }])).toEqual([]);
  expect(planTerms("", [{ ...call, input: "[]" }])).toEqual([]);
});

test("hostile responses are parsed quickly into few terms", () => {
  const began = cpuTime();
  planTerms("\n".repeat(300_000), []);
  planTerms(`terms: ${'"'.repeat(300_000)}`, []);
  planTerms(`${" *".repeat(100_000)}terms`, []);
  expect(planTerms(`terms: ${Array.from({ length: 999 }, (_, n) => `t${n}`).join(",")}`, [])).toHaveLength(12);
  expect(cpuTime() - began).toBeLessThan(500);
});
