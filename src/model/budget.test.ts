import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { createBudget } from "./index.ts";

const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "x".repeat(400) }] }];
const price = { input: 10, output: 40 };

describe("[N09] a budget", () => {
  test("allows questions until what was used reaches it", () => {
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

  test("of money counts what answers cost", () => {
    const budget = createBudget({ cost: 0.01 });
    budget.spend({ inputTokens: 100, outputTokens: 100, cost: 0.004 });
    expect(budget.answerTokens(price)).toBe(150);
    budget.spend({ inputTokens: 100, outputTokens: 100, cost: 0.0061 });
    expect(budget.refusal({ prompt })?.message).toMatch(/used 0\.0101 of 0\.01; .*raise the cost budget/);
  });

  test("is estimated before the first answer, which is said, and only then", () => {
    const small = createBudget({ tokens: 50 });
    expect(small.refusal({ prompt })?.message).toMatch(
      /the question alone would use 104 of 50 tokens, as far as can be estimated/,
    );
    const cheap = createBudget({ perCall: { cost: 0.0005 } });
    expect(cheap.refusal({ prompt }, price)?.toFailure()).toMatchObject({ reason: "budget_exceeded" });
    const told = createBudget({ tokens: 50 });
    told.spend({ inputTokens: 10, outputTokens: 2 });
    expect(told.refusal({ prompt })).toBeUndefined();
  });

  test("for one question ends the run that one question broke", () => {
    const budget = createBudget({ tokens: 10_000, perCall: { tokens: 500 } });
    expect(budget.answerTokens()).toBe(500);
    budget.spend({ inputTokens: 400, outputTokens: 101 });
    expect(budget.refusal({ prompt })?.message).toMatch(/one question used 501 of 500 tokens/);
  });

  test("of a part counts for the whole once it is told, and no more than once", () => {
    const whole = createBudget({ tokens: 1_000 });
    const part = whole.part("sub", { tokens: 800 });
    part.spend({ inputTokens: 500, outputTokens: 100 });
    expect(whole.used.inputTokens).toBe(0);
    expect(part.answerTokens()).toBe(200);
    expect(whole.settle("sub", part.used)).toEqual({ inputTokens: 500, outputTokens: 100 });
    // It goes on, and begins with what it had used.
    const again = whole.part("sub", { tokens: 800 });
    again.spend(part.used);
    expect(whole.left().tokens).toBe(400);
    again.spend({ inputTokens: 50, outputTokens: 10 });
    expect(whole.left().tokens).toBe(340);
    expect(whole.settle("sub", again.used)).toEqual({ inputTokens: 50, outputTokens: 10 });
    expect(whole.used).toEqual({ inputTokens: 550, outputTokens: 110 });
  });

  test("is shared by parts at the same time, however deep, and is nothing that its own questions see", () => {
    const whole = createBudget({ tokens: 1_000 });
    const first = whole.part("first", {});
    const second = whole.part("second", {});
    const below = first.part("below", {});
    below.spend({ inputTokens: 600, outputTokens: 0 });
    expect(second.refusal({ prompt })).toBeUndefined();
    second.spend({ inputTokens: 400, outputTokens: 0 });
    for (const part of [first, second, below]) expect(part.refusal({ prompt })?.message).toContain("1000 of 1000");
    for (const budget of [whole, first, second, below]) expect(budget.spent()).toBeUndefined();
    expect(whole.refusal({ prompt })).toBeUndefined();
  });

  test("leaves to others what it does not need to answer itself", () => {
    expect(createBudget({}).left()).toEqual({});
    const budget = createBudget({ tokens: 1_000, cost: 1 });
    expect(budget.left()).toEqual({ tokens: 1_000, cost: 1 });
    budget.spend({ inputTokens: 200, outputTokens: 100, cost: 0.25 });
    expect(budget.left()).toEqual({ tokens: 400, cost: 0.5 });
    budget.spend({ inputTokens: 200, outputTokens: 100, cost: 0.75 });
    expect(budget.left()).toEqual({ tokens: 100, cost: 0 });
  });

  test("keeps back from all its parts together, however deep, what its own answer takes", () => {
    const whole = createBudget({ tokens: 1_000, cost: 10 });
    whole.spend({ inputTokens: 90, outputTokens: 10, cost: 1 });
    const price = { input: 0, output: 1_000_000 };
    const first = whole.part("first", {}).part("below", {});
    const second = whole.part("second", { tokens: 500, cost: 9 });
    expect([first.answerTokens(), second.answerTokens()]).toEqual([800, 500]);
    first.spend({ inputTokens: 600, outputTokens: 0, cost: 5 });
    expect([first.answerTokens(), second.answerTokens(), second.answerTokens(price)]).toEqual([200, 200, 3]);
    expect(second.refusal({ prompt }, price)).toBeUndefined();
    second.spend({ inputTokens: 200, outputTokens: 0, cost: 1 });
    const why = /its own answer, the calling run takes 1000 of 1000 tokens/;
    for (const part of [first, second]) expect(part.refusal({ prompt }, price)?.message).toMatch(why);
    expect(whole.refusal({ prompt }, price)).toBeUndefined();
  });

  test("counts a question of a part that is out as much as its largest, or as is estimated, until that is known", () => {
    const whole = createBudget({ tokens: 1_000 });
    const part = whole.part("sub", { tokens: 1_000 });
    expect(part.refusal({ prompt })).toBeUndefined();
    part.asks();
    const first = whole.left().tokens ?? 0;
    expect(first).toBeLessThan(1_000);
    expect(first).toBeGreaterThan(800);
    part.spend({ inputTokens: 300, outputTokens: 0 });
    expect(whole.left().tokens).toBe(700);
    part.asks();
    part.asks();
    expect(whole.left().tokens).toBe(100);
    part.failed();
    expect(whole.left().tokens).toBe(400);
    part.spend({ inputTokens: 100, outputTokens: 0 });
    expect(whole.left().tokens).toBe(600);
    // What an earlier life has asked is only told.
    part.spend({ inputTokens: 100, outputTokens: 0 });
    expect(whole.left().tokens).toBe(500);
    expect(part.used.inputTokens).toBe(500);
  });

  test("of money is refused where nobody knows what the model costs, and says what to set", () => {
    for (const limits of [{ cost: 1 }, { perCall: { cost: 1 } }]) {
      for (const budget of [createBudget(limits), createBudget({}).part("sub", limits)]) {
        const refusal = budget.refusal({ prompt })?.toFailure();
        expect(refusal).toMatchObject({ code: "not_available", reason: "no_price", retry: "never" });
        expect(refusal?.message).toMatch(/set its price \(models: .*or a token budget/);
        expect(budget.refusal({ prompt }, { input: 0, output: 0 })).toBeUndefined();
      }
    }
    expect(createBudget({ tokens: 1_000 }).refusal({ prompt })).toBeUndefined();
  });

  test("says when it is spent, and for how many more questions it lasts", () => {
    const budget = createBudget({ tokens: 1_000, cost: 0.012 });
    const usage = { inputTokens: 200, outputTokens: 100, cost: 0.004 };
    budget.spend(usage);
    expect([budget.carries(2, usage), budget.carries(3, usage)]).toEqual([true, false]);
    expect(budget.spent()).toBeUndefined();
    budget.spend({ inputTokens: 700, outputTokens: 0 });
    expect(budget.spent()?.message).toContain("1000 of 1000 tokens");
    expect(createBudget({}).carries(1e6, usage)).toBe(true);
  });

  test("without limits allows everything", () => {
    const budget = createBudget({});
    budget.spend({ inputTokens: 1e9, outputTokens: 1e9, cost: 1e6 });
    expect(budget.refusal({ prompt }, price)).toBeUndefined();
    expect(budget.answerTokens(price)).toBeUndefined();
  });
});
