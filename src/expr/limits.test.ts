import { describe, expect, test } from "vitest";
import {
  type ExpressionFault,
  compileCondition,
  compileExpression,
  compileTemplate,
  expressionLimits,
  isExpressionError,
  missing,
} from "./index.ts";

function faultOf(run: () => unknown): ExpressionFault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isExpressionError(error)) return error.fault;
    throw error;
  }
}

const compileFault = (text: string): ExpressionFault | undefined => faultOf(() => compileExpression(text));

describe("an expression has limits", () => {
  test("4,096 characters", () => {
    expect(compileFault(`'${"a".repeat(4094)}'`)).toBe(undefined);
    expect(compileFault(`'${"a".repeat(4095)}'`)).toBe("too_long");
    expect(compileFault(`1${" ".repeat(5000)}`)).toBe("too_long");
    expect(faultOf(() => compileTemplate(`\${'${"a".repeat(4095)}'}`))).toBe("too_long");
    expect(faultOf(() => compileCondition(`\${'${"a".repeat(4095)}'}`))).toBe("too_long");
  });

  test("the limit counts for each ${…} alone, so a long text may hold many", () => {
    const text = `${"word ".repeat(2000)}\${input.a}`.repeat(3);
    expect(compileTemplate(text).evaluate({ input: { a: 1 } })).toBe(`${"word ".repeat(2000)}1`.repeat(3));
  });

  test("512 parts", () => {
    expect(compileFault(`1${"+1".repeat(255)}`)).toBe(undefined);
    expect(compileFault(`1${"+1".repeat(256)}`)).toBe("too_complex");
    expect(compileFault(`input${".a".repeat(511)}`)).toBe(undefined);
    expect(compileFault(`input${".a".repeat(512)}`)).toBe("too_complex");
    expect(compileFault(`[${"1,".repeat(600)}1]`)).toBe("too_complex");
  });

  test("32 levels", () => {
    const around = (open: string, close: string, levels: number): string =>
      open.repeat(levels) + "1" + close.repeat(levels);
    for (const [open, close] of [
      ["(", ")"],
      ["[", "]"],
      ["!", ""],
      ["abs(", ")"],
      ["true ? 1 : ", ""],
      ["input[", "]"],
    ] as const) {
      expect(compileFault(around(open, close, 32))).toBe(undefined);
      expect(compileFault(around(open, close, 33))).toBe("too_deep");
    }
    expect(compileFault("(".repeat(4000))).toBe("too_deep");
    expect(compileFault("-".repeat(4000))).toBe("too_deep");
  });
});

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

const big = "a".repeat(expressionLimits.text);
const scope = {
  input: {
    big,
    almost: `${big.slice(1)}b`,
    needle: `b${"a".repeat(500_000)}`,
    periodic: `${"a".repeat(500)}b`,
    huge: big + big,
    numbers: Array.from({ length: 99_000 }, (_, index) => index),
    many: Array.from({ length: 150_000 }, (_, index) => index),
    rows: Array.from({ length: 60_000 }, (_, index) => ({ id: index, name: `n${index}`, tags: ["a", "b"] })),
    lists: Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => 1)),
    deep: nested(100_000, (inner) => ({ a: inner })),
    deepToo: nested(100_000, (inner) => ({ a: inner })),
    deepList: nested(100_000, (inner) => [inner]),
    deepText: "[".repeat(500_000) + "]".repeat(500_000),
    wide: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, index])),
    keys: Array.from({ length: 50_000 }, () => "k1"),
  },
};

const expensive: [expression: string, fault: ExpressionFault][] = [
  ["input.many[*].x", "budget"],
  ["input.many[?@ > 1]", "budget"],
  ["input.numbers[?@ in input.numbers]", "budget"],
  ["input.numbers[?contains(input.numbers, @)]", "budget"],
  ["input.numbers[?size(input.wide) > 1]", "budget"],
  ["input.numbers[?input.wide.size > 1]", "budget"],
  ["input.numbers[?input.wide[*]]", "budget"],
  ["input.numbers[?input.big == input.almost]", "budget"],
  ["input.numbers[?input.big < input.almost]", "budget"],
  ["input.numbers[?contains(input.big, input.periodic)]", "budget"],
  ["input.numbers[?input.needle in input.big]", "budget"],
  ["input.numbers[?starts_with(input.big, input.almost)]", "budget"],
  ["input.numbers[?lower(input.big) == '']", "budget"],
  ["input.numbers[?json(input.rows) == '']", "budget"],
  [`input.numbers[?@${" + @".repeat(240)} > 1]`, "budget"],
  [`input.numbers[?input${".deep.a".repeat(100)}]`, "budget"],
  [`input.numbers[?[${"1,".repeat(480)}1]]`, "budget"],
  [`input.numbers[?[${"input.x,".repeat(240)}1]]`, "budget"],
  ["input.rows[*].tags[*]", "budget"],
  ["input.lists[*][*]", "budget"],
  ["flatten(input.lists)", "budget"],
  ["unique(input.rows)", "budget"],
  ["unique(input.lists)", "budget"],
  ["unique(input.numbers)", "budget"],
  ["json(input.rows)", "budget"],
  ["join(input.rows)", "budget"],
  ["input.rows + input.rows", "budget"],
  ["sum(input.many)", "budget"],
  ["split(input.big, 'a')", "budget"],
  ["split(input.big, '')", "budget"],
  ["input.lists == parse_json(json(input.lists))", "budget"],
  ["input.deep == input.deepToo", "too_deep"],
  ["input.deep in [input.deepToo]", "too_deep"],
  ["json(input.deep)", "too_deep"],
  ["'' + input.deepList", "too_deep"],
  ["unique([input.deep])", "too_deep"],
  ["join([input.deepList])", "too_deep"],
  ["parse_json(input.deepText)", "too_deep"],
  ["input.big + 'a'", "text_too_long"],
  ["join([input.big, input.big])", "text_too_long"],
  ["lower(input.huge)", "text_too_long"],
  ["upper('ß' + input.big[1:])", "text_too_long"],
  ["json(input.big)", "text_too_long"],
  ["parse_json(input.huge)", "text_too_long"],
];

describe("work that takes too long is refused by name", () => {
  test.each(expensive)("%s", (text, fault) => {
    expect(faultOf(() => compileExpression(text).evaluate(scope))).toBe(fault);
  });

  test("a text that grows too long in a template", () => {
    expect(faultOf(() => compileTemplate("${input.big}${input.big}").evaluate(scope))).toBe("text_too_long");
    expect(faultOf(() => compileTemplate("a ${input.deep}").evaluate(scope))).toBe("too_deep");
    expect(faultOf(() => compileTemplate("a ${input.rows}").evaluate(scope))).toBe("budget");
  });

  test("refusing takes milliseconds", () => {
    const slow: string[] = [];
    for (const [text] of expensive) {
      const { evaluate } = compileExpression(text);
      // The best of a few: the machine has other work, and the first time includes compiling.
      const times = Array.from({ length: 4 }, () => {
        const before = process.threadCpuUsage();
        faultOf(() => evaluate(scope));
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      if (Math.min(...times) > 20) slow.push(`${text}: ${Math.min(...times)} ms`);
    }
    expect(slow).toEqual([]);
  });
});

describe("large values are accepted as long as they are only passed through", () => {
  test.each<[string, unknown]>([
    ["input.many", scope.input.many],
    ["input.many[*]", scope.input.many],
    ["input.many.size", 150_000],
    ["input.many[-1]", 149_999],
    ["input.huge", scope.input.huge],
    ["input.deep.a.a.a != null", true],
    ["input.deep.b", missing],
    ["size(input.huge)", scope.input.huge.length],
  ])("%s", (text, value) => {
    expect(compileExpression(text).evaluate(scope)).toBe(value);
  });
});
