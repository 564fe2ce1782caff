import { expect, test } from "vitest";
import { createIdGenerator } from "./ids.ts";

test("ids of one generator differ, and contain their prefix", () => {
  const ids = createIdGenerator("p");
  const made = Array.from({ length: 10_000 }, () => ids.next());
  expect(made.slice(0, 2)).toEqual(["p-1", "p-2"]);
  expect(made[35]).toBe("p-10");
  expect(made.at(-1)).toBe(`p-${(10_000).toString(36)}`);
  expect(new Set(made).size).toBe(10_000);
});

test("two makers never create the same id: their prefixes are random", () => {
  const prefixes = Array.from({ length: 1000 }, () => createIdGenerator().next().split("-")[0]);
  expect(new Set(prefixes).size).toBe(1000);
  for (const prefix of prefixes) expect(prefix).toMatch(/^[0-9a-z]{12}$/);
});
