import { describe, expect, test } from "vitest";
import {
  type ExpressionError,
  compileCondition,
  compileTemplate,
  expressionFaults,
  isExpressionError,
} from "./index.ts";

function errorOf(run: () => unknown): ExpressionError {
  try {
    run();
  } catch (error) {
    if (isExpressionError(error)) return error;
    throw error;
  }
  throw new Error("nothing was wrong");
}

function like(expected: string | RegExp | undefined): unknown {
  if (!(expected instanceof RegExp)) return expected;
  return expect.stringMatching(expected);
}

const scope = { input: { n: 1, list: [1], text: "a" } };

describe("an error points at exactly the faulty part, and suggests a fix", () => {
  test.each<[template: string, part: string, message: string | RegExp, hint: string | RegExp | undefined]>([
    ["a ${inptu.x}", "inptu", 'there is no "inptu" here', 'did you mean "input"?'],
    ["a ${foo.x}", "foo", 'there is no "foo" here', /start with one of input, steps, /],
    ["${lowr(input.x)}", "lowr", 'there is no function "lowr"', 'did you mean "lower"?'],
    ["${startsWith(input.x, 'a')}", "startsWith", /no function/, 'did you mean "starts_with"?'],
    ["${eval('1')}", "eval", /no function/, /the functions are size, has, /],
    ["${1 + lower()}", "lower()", "lower() takes 1 argument, not 0", undefined],
    ["${join()}", "join()", "join() takes 1 to 2 arguments, not 0", undefined],
    ["x ${input.a b}", "b", 'an operator or the end is expected here, not "b"', undefined],
    ["x ${input.a and true}", "and", /is expected here/, "write && for “and”"],
    ["x ${input.a = 1}", "=", '"=" is not part of the language', /write ==/],
    ["x ${input.a.*}", ".*", ".* is not part of the language", "write [*]"],
    ["x ${input.f(1)}", "(", "nothing can be called here", /f\(…\)/],
    ["x ${input?.a}", ".", /is expected here, not "\."/, /write a plain dot/],
    ["x ${not input.a}", "not", /there is no "not"/, "write ! for “not”"],
    ["x ${“a”}", "“", /is not part of the language/, "put texts in ' or \""],
    ["x ${'abc}", "'", "the quoted text does not end", "close it with '"],
    [String.raw`x ${"${'a\\q'}"}`, String.raw`\q`, /is not a valid escape/, /known are/],
    ["x ${input.a", "${input.a", "the ${ is not closed", /add a }/],
    ["x ${03}", "03", "03 starts with 0", /leading zeros/],
    ["x ${secret.A + 'b'}", "secret.A", "a secret cannot be computed with", /\$\{secret.NAME\}/],
    ["x ${@.a}", "@", /item of a filter/, /\[\?…\]/],
    ["x ${input.__proto__}", ".__proto__", /not allowed/, undefined],
    ["x ${input.q.r}", "input.q.r", "input.q.r is missing", /\?\?/],
    ["x ${1 + (input.q ? 1 : input.r)}", "input.r", "input.r is missing", /\?\?/],
    ["x ${input.n < 'a'}", "input.n < 'a'", "< does not compare number and string", /num\(\)/],
    ["x ${2 * input.list}", "2 * input.list", "* needs two numbers, not number and list", undefined],
    ["x ${2 * input.text}", "2 * input.text", /number and string/, /num\(\)/],
    ["x ${lower(input.list)}", "input.list", "lower() needs a string, not a list", undefined],
    ["x ${join(input.list, input.n)}", "input.n", "join() needs a string, not a number", undefined],
    ["x ${sum(input.list + ['a'])}", "sum(input.list + ['a'])", /number 2 of the list is a string/, undefined],
    ["x ${1 / 0}", "1 / 0", "1 / 0 is not a finite number", undefined],
  ])("%s", (...[text, part, message, hint]) => {
    const error = errorOf(() => compileTemplate(text).evaluate(scope));
    expect(text.slice(error.at, error.at + error.length)).toBe(part);
    expect(error.message).toEqual(like(message));
    expect(error.hint).toEqual(like(hint));
  });

  test.each([
    ["${input.a > 3}", "> does not compare null and number: input.a is null", "input.a != null && input.a > 3"],
    ["${'b' < input.a}", "< does not compare string and null: input.a is null", "input.a != null && 'b' < input.a"],
    [
      "${input.list[?@.score > 3]}",
      "> does not compare null and number: @.score is null (item 1 of the list)",
      "@.score != null && @.score > 3",
    ],
    ["${input.list[?lower(@.score) == 'a']}", /needs a string.* \(item 0 of the list\)/, undefined],
  ])("%s names the value that is null, and suggests how to handle it", (text, message, better) => {
    const nulls = { input: { a: null, list: [{ score: 4 }, { score: null }, {}] } };
    const error = errorOf(() => compileTemplate(text).evaluate(nulls));
    expect(error.message).toEqual(like(message));
    if (better === undefined) return;
    expect(error.hint).toContain(`write ${better}`);
    const inFilter = better.startsWith("@");
    const repaired = compileTemplate(inFilter ? `\${input.list[?${better}]}` : `\${${better}}`);
    expect(repaired.evaluate(nulls)).toEqual(inFilter ? [{ score: 4 }] : false);
  });

  test("in a condition the position counts from the start of the text, including blanks", () => {
    const text = "  ${inptu.x}";
    const error = errorOf(() => compileCondition(text));
    expect(text.slice(error.at, error.at + error.length)).toBe("inptu");
    const two = "${input.a} && ${input.b}";
    const rest = errorOf(() => compileCondition(two));
    expect(two.slice(rest.at, rest.at + rest.length)).toBe("&& ${input.b}");
    expect(rest.hint).toContain("one ${…}");
  });

  test("a long name is not repeated in full", () => {
    expect(errorOf(() => compileTemplate(`\${${"x".repeat(3000)}}`)).message.length).toBeLessThan(100);
    expect(errorOf(() => compileTemplate(`a \${input.${"x".repeat(3000)}}`).evaluate({})).message.length).toBeLessThan(
      120,
    );
  });
});

test("every fault has a meaning", () => {
  for (const { meaning, when } of Object.values(expressionFaults)) {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(["compile", "evaluate", "both"]).toContain(when);
  }
});
