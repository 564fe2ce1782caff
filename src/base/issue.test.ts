import { expect, test } from "vitest";
import { formatPath } from "./issue.ts";

test("a path is formatted for people", () => {
  expect(formatPath([])).toBe("");
  expect(formatPath(["items", 0, "url"])).toBe("items[0].url");
  expect(formatPath([0, 1])).toBe("[0][1]");
  expect(formatPath(["城市", "step-a"])).toBe("城市.step-a");
});

test("a key that is not a word is quoted, so that it cannot be mistaken for a path", () => {
  expect(formatPath(["a.b", "c"])).toBe('["a.b"].c');
  expect(formatPath(["a", ""])).toBe('a[""]');
  expect(formatPath(["a", '"\n'])).toBe('a["\\"\\n"]');
  expect(formatPath(["0"])).toBe('["0"]');
});
