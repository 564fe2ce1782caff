import { expect, test } from "vitest";
import { parseYesNo } from "./prompt-yes-no.ts";

test("yes and no are accepted in English and in Chinese, and nothing else is", () => {
  expect(["y", " Yes ", "ｙ", "是", "好", "好的"].map(parseYesNo)).toEqual(Array(6).fill(true));
  expect(["n", "NO", "不", "否", "不要"].map(parseYesNo)).toEqual(Array(5).fill(false));
  expect(["", "yeah", "好不好", "y n", "不是的吧"].map(parseYesNo)).toEqual(Array(5).fill(undefined));
});
