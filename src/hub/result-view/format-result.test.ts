import { describe, expect, test } from "vitest";
import { failure } from "../../base/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import { formatDefaults, formatResult, resultKind } from "./format-result.ts";

function success(output: unknown, tool = "t"): ToolResult {
  return {
    success: true,
    tool,
    output,
    durationMs: 1,
    executedAt: 0,
    meta: { callId: "c", source: "tools", attempts: 1 },
  };
}

const sentence = "The quick brown fox jumps over the lazy dog. ";
const chinese = "今天下雨，我们待在家里看书。";

describe("how much of a result is shown", () => {
  test.each([
    ["calculate", 100],
    ["time", 200],
    ["search", 500],
    ["history", 1000],
    ["other", 500],
  ] as const)("[C16] kind %s shows at most %i characters, up to the end of a sentence", (kind, max) => {
    expect(formatDefaults[kind]).toBe(max);
    for (const part of [sentence, chinese]) {
      const { text, cut } = formatResult(success(part.repeat(100)), kind);
      expect(cut).toBe(true);
      expect(text.length).toBeLessThanOrEqual(max);
      expect(text.length).toBeGreaterThan(max - part.length);
      expect(text).toMatch(/(?:dog\.|看书。)$/);
    }
    expect(formatResult(success("x".repeat(max)), kind)).toEqual({ text: "x".repeat(max), cut: false });
  });

  test("[C16] a search shows its first 3 results", () => {
    expect(formatDefaults.searchResults).toBe(3);
    const results = Array.from({ length: 5 }, (_, at) => ({
      title: `Title ${at + 1}`,
      url: `https://example.com/${at + 1}`,
      snippet: sentence.repeat(20),
    }));
    const { text, cut } = formatResult(success({ results, provider: "p" }), "search");
    expect(text.length).toBeLessThanOrEqual(500);
    expect(cut).toBe(true);
    const lines = text.split("\n");
    expect(lines).toHaveLength(3);
    for (const [at, line] of lines.entries()) {
      expect(line).toMatch(
        new RegExp(`^${at + 1}\\. Title ${at + 1} \\(https://example\\.com/${at + 1}\\): The quick.*dog\\.$`),
      );
    }
  });

  test("[C16] all numbers can be set", () => {
    const results = Array.from({ length: 5 }, (_, at) => ({ title: `T${at}`, url: "", snippet: "" }));
    expect(formatResult(success(results), "search", { searchResults: 2 }).text).toBe("1. T0\n2. T1");
    expect(formatResult(success("a b c d e f g h"), "other", { other: 6 }).text).toBe("a b c…");
  });
});

describe("the shown text", () => {
  test.each([
    ["calculate", { result: 42, expression: "6*7" }, "42"],
    ["calculate", "42", "42"],
    ["time", { iso: "2026-11-15T21:04:05+08:00", epochMs: 1, formatted: "Sunday" }, "Sunday"],
    ["time", "2026-11-15 21:04:05", "2026-11-15 21:04:05"],
    ["other", { a: 1 }, '{"a":1}'],
    ["other", null, "null"],
    ["search", { results: [] }, "Nothing was found."],
    ["search", ["no", "results"], '["no","results"]'],
    ["history", { history: [{ kind: "message", role: "user", content: "Hi" }] }, "user: Hi"],
    [
      "history",
      { history: [{ kind: "call", tool: "echo", arguments: '{"a":1}', result: '"b"' }] },
      'echo({"a":1}): "b"',
    ],
  ] as const)("kind %s shows %j as %j", (kind, output, text) => {
    expect(formatResult(success(output), kind)).toEqual({ text, cut: false });
  });

  test("the latest part of a history stays", () => {
    const history = Array.from({ length: 100 }, (_, at) => ({
      role: "user",
      content: `message ${at} ${"x".repeat(40)}`,
    }));
    const { text, cut } = formatResult(success({ history }), "history");
    expect(cut).toBe(true);
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text).toContain("message 99");
    expect(text).not.toContain("message 1 ");
  });

  test("a failure is shown with its message for a model", () => {
    const error = failure("timeout", "for people", { forModel: "Ask for less." });
    const result: ToolResult = {
      success: false,
      tool: "t",
      error,
      durationMs: 1,
      executedAt: 0,
      meta: { callId: "c", source: "tools", attempts: 1 },
    };
    expect(formatResult(result, "other")).toEqual({ text: "Ask for less.", cut: false });
  });
});

describe("[C16] nothing is cut in two", () => {
  test("characters stay whole: emoji, pairs of surrogates, flags", () => {
    for (const part of ["👩‍👩‍👧‍👦", "𠮷", "🇩🇪", "e\u0301"]) {
      for (let max = 20; max < 40; max++) {
        const { text } = formatResult(success(part.repeat(50)), "other", { other: max });
        expect(text.length).toBeLessThanOrEqual(max);
        expect(text).toMatch(new RegExp(`^(?:${part})+…$`, "u"));
      }
    }
  });

  test("words stay whole", () => {
    const { text } = formatResult(success("incomprehensibilities ".repeat(40)), "calculate");
    expect(text).toMatch(/^(?:incomprehensibilities )*incomprehensibilities…$/);
  });

  test("JSON values stay whole: the shown text is valid JSON", () => {
    const output = { items: Array.from({ length: 200 }, (_, id) => ({ id, text: `"${sentence}"` })) };
    for (let max = 10; max < 200; max += 7) {
      const { text, cut } = formatResult(success(output), "other", { other: max });
      expect(cut).toBe(true);
      expect(text.length).toBeLessThanOrEqual(max);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
  });

  test("addresses of search results stay whole, or are omitted", () => {
    const url = `https://example.com/${"a".repeat(600)}`;
    const { text } = formatResult(success([1, 2, 3].map((at) => ({ title: `T${at}`, url, snippet: "s" }))), "search");
    expect(text).toBe("1. T1: s\n2. T2: s\n3. T3: s");
  });
});

test("[C16] the kind of a result is known by the tool", () => {
  const kindOf = (name: string, capabilities: readonly string[] = [], aliases: readonly string[] = []) =>
    resultKind({ name, capabilities, aliases });
  expect(kindOf("calculator", ["calculate", "计算"])).toBe("calculate");
  expect(kindOf("get_time", ["time", "date"])).toBe("time");
  expect(kindOf("web_search", ["search"], ["search_web"])).toBe("search");
  expect(kindOf("brave/search_web")).toBe("search");
  expect(kindOf("get_conversation_history", ["history"])).toBe("history");
  expect(kindOf("echo", ["echo"])).toBe("other");
});
