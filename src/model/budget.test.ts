import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { createBudget } from "./index.ts";

const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "x".repeat(400) }] }];
const price = { input: 10, output: 40 };

describe("[N09] a budget", () => {
  test("allows requests until its usage reaches the limit", () => {
    const budget = createBudget({ tokens: 1_000 });
    expect(budget.refusal({ prompt })).toBeUndefined();
    budget.spend({ inputTokens: 600, outputTokens: 100 });
    expect(budget.refusal({ prompt })).toBeUndefined();
    expect(budget.answerTokens()).toBe(300);
    budget.spend({ inputTokens: 300, outputTokens: 1 });
    const refusal = budget.refusal({ prompt })?.toFailure();
    expect(refusal).toMatchObject({ reason: "budget_exceeded", retry: "never" });
    expect(refusal?.message).toMatch(/the run has used 1001 of 1000 tokens; .*raise the token budget/);
    expect(refusal?.message).not.toContain("estimated");
  });

  test("a budget with a cost limit counts the cost of responses", () => {
    const budget = createBudget({ cost: 0.01 });
    budget.spend({ inputTokens: 100, outputTokens: 100, cost: 0.004 });
    expect(budget.answerTokens(price)).toBe(150);
    budget.spend({ inputTokens: 100, outputTokens: 100, cost: 0.0061 });
    expect(budget.refusal({ prompt })?.message).toMatch(/used 0\.0101 of 0\.01; .*raise the cost budget/);
  });

  test("estimates usage only before the first response, and marks it as estimated", () => {
    const small = createBudget({ tokens: 50 });
    expect(small.refusal({ prompt })?.message).toMatch(/the request alone would use 104 of 50 tokens, estimated/);
    const cheap = createBudget({ perCall: { cost: 0.0005 } });
    expect(cheap.refusal({ prompt }, price)?.toFailure()).toMatchObject({ reason: "budget_exceeded" });
    const reported = createBudget({ tokens: 50 });
    reported.spend({ inputTokens: 10, outputTokens: 2 });
    expect(reported.refusal({ prompt })).toBeUndefined();
  });

  test("a budget for one request ends the run after a request that exceeded it", () => {
    const budget = createBudget({ tokens: 10_000, perCall: { tokens: 500 } });
    expect(budget.answerTokens()).toBe(500);
    budget.spend({ inputTokens: 400, outputTokens: 101 });
    expect(budget.refusal({ prompt })?.message).toMatch(/one request used 501 of 500 tokens/);
  });

  test("counts the usage of a child once it is settled, and only once", () => {
    const whole = createBudget({ tokens: 1_000 });
    const part = whole.createChild("sub", { tokens: 800 });
    part.spend({ inputTokens: 500, outputTokens: 100 });
    expect(whole.used.inputTokens).toBe(0);
    expect(part.answerTokens()).toBe(200);
    expect(whole.settle("sub", part.used)).toEqual({ inputTokens: 500, outputTokens: 100 });
    // The child continues and starts with the usage it already had.
    const again = whole.createChild("sub", { tokens: 800 });
    again.spend(part.used);
    expect(whole.remaining().tokens).toBe(400);
    again.spend({ inputTokens: 50, outputTokens: 10 });
    expect(whole.remaining().tokens).toBe(340);
    expect(whole.settle("sub", again.used)).toEqual({ inputTokens: 50, outputTokens: 10 });
    expect(whole.used).toEqual({ inputTokens: 550, outputTokens: 110 });
  });

  test("is shared by concurrent children at any depth, whose usage does not limit its own requests", () => {
    const whole = createBudget({ tokens: 1_000 });
    const first = whole.createChild("first", {});
    const second = whole.createChild("second", {});
    const below = first.createChild("below", {});
    below.spend({ inputTokens: 600, outputTokens: 0 });
    expect(second.refusal({ prompt })).toBeUndefined();
    second.spend({ inputTokens: 400, outputTokens: 0 });
    for (const part of [first, second, below]) expect(part.refusal({ prompt })?.message).toContain("1000 of 1000");
    for (const budget of [whole, first, second, below]) expect(budget.spent()).toBeUndefined();
    expect(whole.refusal({ prompt })).toBeUndefined();
  });

  test("leaves to children what it does not need for its own response", () => {
    expect(createBudget({}).remaining()).toEqual({});
    const budget = createBudget({ tokens: 1_000, cost: 1 });
    expect(budget.remaining()).toEqual({ tokens: 1_000, cost: 1 });
    budget.spend({ inputTokens: 200, outputTokens: 100, cost: 0.25 });
    expect(budget.remaining()).toEqual({ tokens: 400, cost: 0.5 });
    budget.spend({ inputTokens: 200, outputTokens: 100, cost: 0.75 });
    expect(budget.remaining()).toEqual({ tokens: 100, cost: 0 });
  });

  test("reserves its own response from all its children together, at any depth", () => {
    const whole = createBudget({ tokens: 1_000, cost: 10 });
    whole.spend({ inputTokens: 90, outputTokens: 10, cost: 1 });
    const price = { input: 0, output: 1_000_000 };
    const first = whole.createChild("first", {}).createChild("below", {});
    const second = whole.createChild("second", { tokens: 500, cost: 9 });
    expect([first.answerTokens(), second.answerTokens()]).toEqual([800, 500]);
    first.spend({ inputTokens: 600, outputTokens: 0, cost: 5 });
    expect([first.answerTokens(), second.answerTokens(), second.answerTokens(price)]).toEqual([200, 200, 3]);
    expect(second.refusal({ prompt }, price)).toBeUndefined();
    second.spend({ inputTokens: 200, outputTokens: 0, cost: 1 });
    const why = /its own response, the calling run uses 1000 of 1000 tokens/;
    for (const part of [first, second]) expect(part.refusal({ prompt }, price)?.message).toMatch(why);
    expect(whole.refusal({ prompt }, price)).toBeUndefined();
  });

  test("counts an in-flight request of a child as its largest one, or as estimated, until its usage is known", () => {
    const whole = createBudget({ tokens: 1_000 });
    const part = whole.createChild("sub", { tokens: 1_000 });
    expect(part.refusal({ prompt })).toBeUndefined();
    part.reserve();
    const first = whole.remaining().tokens ?? 0;
    expect(first).toBeLessThan(1_000);
    expect(first).toBeGreaterThan(800);
    part.spend({ inputTokens: 300, outputTokens: 0 });
    expect(whole.remaining().tokens).toBe(700);
    part.reserve();
    part.reserve();
    expect(whole.remaining().tokens).toBe(100);
    part.failed();
    expect(whole.remaining().tokens).toBe(400);
    part.spend({ inputTokens: 100, outputTokens: 0 });
    expect(whole.remaining().tokens).toBe(600);
    // Requests of an earlier process are only replayed: they are spent without being reserved.
    part.spend({ inputTokens: 100, outputTokens: 0 });
    expect(whole.remaining().tokens).toBe(500);
    expect(part.used.inputTokens).toBe(500);
  });

  test("a budget with a cost limit refuses a model without a price, and says what to set", () => {
    for (const limits of [{ cost: 1 }, { perCall: { cost: 1 } }]) {
      for (const budget of [createBudget(limits), createBudget({}).createChild("sub", limits)]) {
        const refusal = budget.refusal({ prompt })?.toFailure();
        expect(refusal).toMatchObject({ code: "not_available", reason: "no_price", retry: "never" });
        expect(refusal?.message).toMatch(/set its price \(models: .*or use a token budget/);
        expect(budget.refusal({ prompt }, { input: 0, output: 0 })).toBeUndefined();
      }
    }
    expect(createBudget({ tokens: 1_000 }).refusal({ prompt })).toBeUndefined();
  });

  test("reports when it is spent, and how many more requests it covers", () => {
    const budget = createBudget({ tokens: 1_000, cost: 0.012 });
    const usage = { inputTokens: 200, outputTokens: 100, cost: 0.004 };
    budget.spend(usage);
    expect([budget.canAfford(2, usage), budget.canAfford(3, usage)]).toEqual([true, false]);
    expect(budget.spent()).toBeUndefined();
    budget.spend({ inputTokens: 700, outputTokens: 0 });
    expect(budget.spent()?.message).toContain("1000 of 1000 tokens");
    expect(createBudget({}).canAfford(1e6, usage)).toBe(true);
  });

  test("a budget without limits allows everything", () => {
    const budget = createBudget({});
    budget.spend({ inputTokens: 1e9, outputTokens: 1e9, cost: 1e6 });
    expect(budget.refusal({ prompt }, price)).toBeUndefined();
    expect(budget.answerTokens(price)).toBeUndefined();
  });
});
