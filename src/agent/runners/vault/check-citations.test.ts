import { describe, expect, test } from "vitest";
import { checkCitations } from "./vault-runner.ts";
import { cpuTime } from "../../../../test/support/cpu-time.ts";

const upTo3 = (number: number): boolean => number >= 1 && number <= 3;

describe("citations", () => {
  test.each<readonly [answer: string, cited: readonly number[], unknown: readonly string[]]>([
    ["It turns [1]. It stops [2][3].", [1, 2, 3], []],
    ["It turns [7]. It stops [7].", [], ["[7]"]],
    ["It turns [1][7].", [1], ["[7]"]],
    ["Both [1, 9].", [], ["[1, 9]"]],
    ["All [1-3].", [1, 2, 3], []],
    ["All [2–5].", [], ["[2–5]"]],
    ["潮汐【8†来源】。", [], ["【8†来源】"]],
    ["潮汐[1、2]，退潮[8]。", [1, 2], ["[8]"]],
    ["Noted[^2].", [2], []],
    ["It stops[1]; it was built in 1793[2].", [1, 2], []],
    ["> It turns. [1]", [1], []],
    ["As in [2]: it turns.", [2], []],
    ["As noted in [1, 2], it turns.", [1, 2], []],
    ["See items[3] and arr[2]: it turns [1].", [1], []],
    ["Weights lie in [1, 3], in the range [1–3], 取值范围[1, 2]. It turns [2].", [2], []],
    ["", [], []],
  ])("%j", (answer, cited, unknown) => {
    expect(checkCitations(answer, upTo3)).toEqual({ text: answer, cited, unknown });
  });

  test.each([
    "Probabilities p lie in [0, 1], weights in [0,9]; see arr[0], items[7], f(x)[8], 2[7].",
    "In [2024] and [a](b) and [1](http://x) and [9](y).",
    "[1]: http://example.com\n[9]: y",
    "`a[9]` and `[1]`\n```\nb[9] = [1, 2]\n```\n",
    "x = [1, 2], y ∈ [2, 9], m = [[1, 2], [3, 9]], see [[1]] and [x].",
  ])("text that is not a citation stays unchanged: %j", (answer) => {
    expect(checkCitations(answer, upTo3)).toEqual({ text: answer, cited: [], unknown: [] });
  });

  test("wide brackets become ordinary ones", () => {
    expect(checkCitations("潮汐【2】，【1、3†来源】。", upTo3)).toEqual({
      text: "潮汐[2]，[1][3]。",
      cited: [1, 2, 3],
      unknown: [],
    });
  });

  test("are checked quickly, regardless of their number", () => {
    const began = cpuTime();
    checkCitations("[1-999]".repeat(20_000), upTo3);
    checkCitations(`[${"1,".repeat(50_000)}`, upTo3);
    checkCitations("[".repeat(100_000), upTo3);
    expect(cpuTime() - began).toBeLessThan(1500);
  });
});
