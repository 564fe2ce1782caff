import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandLine, shellPair, shellWord } from "./invocation.ts";

test.each(["plain", "a b", "你好", 'say "hi"', "it's", "$(touch x)", "`id`", "a\\b", "!x", "*", "", "line\nbreak"])(
  "a shell parses %j as one word",
  (word) => {
    const text = shellPair("key", word);
    expect(execFileSync("sh", ["-c", `printf %s ${text}`], { encoding: "utf8" })).toBe(`key=${word}`);
  },
);

test("words are quoted only if a shell needs it", () => {
  expect([shellWord("https://example.com/a?b"), shellWord("echo"), shellPair("expression", "2*3")]).toEqual([
    '"https://example.com/a?b"',
    "echo",
    'expression="2*3"',
  ]);
});

test("a suggested command line is for the same folder", () => {
  expect(commandLine({ dir: undefined }, "approve", "x-1")).toBe("windlass approve x-1");
  expect(commandLine({ dir: "my tools" }, "approve", "x-1")).toBe('windlass approve -C "my tools" x-1');
});
