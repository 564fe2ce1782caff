import { expect, test } from "vitest";
import { yesOrNo } from "./yes-or-no.ts";

test("yes and no count in English and in Chinese, and nothing else does", () => {
  expect(["y", " Yes ", "ｙ", "是", "好", "好的"].map(yesOrNo)).toEqual(Array(6).fill(true));
  expect(["n", "NO", "不", "否", "不要"].map(yesOrNo)).toEqual(Array(5).fill(false));
  expect(["", "yeah", "好不好", "y n", "不是的吧"].map(yesOrNo)).toEqual(Array(5).fill(undefined));
});
