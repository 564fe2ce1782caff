import { expect, test } from "vitest";
import { stepOfKey } from "./step-of-key.ts";

test.each([
  ["search#1", "search"],
  ["fetch-all[12]~3!2#4", "fetch-all"],
  ["store?", "store"],
  ["store#1?", "store"],
  ["poll#1@2", "poll"],
  ["sub^#1", "sub"],
  ["research[0]#1/搜索~2#1", "research[0]/搜索"],
  ["a~1!1#2/b#1/c[3]#1", "a/b/c"],
])("the key %s belongs to the step %s", (key, step) => {
  expect(stepOfKey(key)).toBe(step);
});
