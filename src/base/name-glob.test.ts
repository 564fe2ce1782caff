import { expect, test } from "vitest";
import { nameGlob } from "./name-glob.ts";

test.each([
  ["read_file", "read_file", true],
  ["read_file", "read_files", false],
  ["*", "", true],
  ["read_*", "read_", true],
  ["*_file", "write_file", true],
  ["a*a", "a", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "acb", false],
  ["a*bc*c", "abc", false],
  ["a.c", "abc", false],
])("%s and %s: %s", (glob, name, fits) => {
  expect(nameGlob(glob)(name)).toBe(fits);
});
