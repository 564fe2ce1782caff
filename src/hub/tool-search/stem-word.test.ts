import { expect, test } from "vitest";
import { stemWord } from "./stem-word.ts";

test.each([
  ["emails", "email"],
  ["policies", "policy"],
  ["boxes", "box"],
  ["classes", "class"],
  ["scheduling", "schedule"],
  ["merged", "merge"],
  ["planned", "plan"],
  ["cutting", "cut"],
  ["invoices", "invoice"],
  ["translation", "translate"],
])("%s and %s have the same stem", (a, b) => {
  expect(stemWord(a)).toBe(stemWord(b));
});

test.each([
  ["status", "state"],
  ["class", "clas"],
  ["thing", "the"],
  ["red", "r"],
])("%s and %s are two", (a, b) => {
  expect(stemWord(a)).not.toBe(stemWord(b));
});
