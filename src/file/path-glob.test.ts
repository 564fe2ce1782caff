import { describe, expect, test } from "vitest";
import { readPathGlob } from "./path-glob.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

describe("patterns of paths", () => {
  test.each<readonly [pattern: string, yes: readonly string[], no: readonly string[]]>([
    ["*.md", ["a.md", "docs/a.md"], ["a.mdx", "md"]],
    ["docs/*.md", ["docs/a.md"], ["a.md", "docs/x/a.md", "x/docs/a.md"]],
    ["docs/**/*.md", ["docs/a.md", "docs/x/y/a.md"], ["a.md"]],
    ["**/test/*.ts", ["test/a.ts", "x/test/a.ts"], ["test/x/a.ts"]],
    ["docs", ["docs/a", "docs/x/a", "x/docs/a"], ["docsa/b"]],
    ["docs/", ["docs/a", "docs/x/a"], ["x/docs/a"]],
    ["./src/?.ts", ["src/a.ts"], ["src/ab.ts", "src/.ts"]],
    ["**", ["a", "b/c"], []],
    ["笔记/*.md", ["笔记/甲.md"], ["笔记.md"]],
    ["a*b*c", ["abc", "axbxc", "aXbbc"], ["ab", "acb"]],
    ["a.b", ["a.b"], ["axb"]],
  ])("%s", (pattern, yes, no) => {
    const glob = readPathGlob(pattern);
    expect(yes.filter((path) => glob?.(path) !== true)).toEqual([]);
    expect(no.filter((path) => glob?.(path) !== false)).toEqual([]);
  });

  test.each(["", "/", "../x", "a/../b", "*".repeat(9), "**/".repeat(9), "x".repeat(600)])(
    "%j is not a pattern",
    (pattern) => {
      expect(readPathGlob(pattern)).toBeUndefined();
    },
  );

  test("hostile patterns and paths are matched quickly", () => {
    const began = cpuTime();
    readPathGlob("*a*a*a*a*a*a*ab")?.("a".repeat(100_000));
    readPathGlob("**/**/**/**/**/x")?.(`${"a/".repeat(500)}y`);
    expect(cpuTime() - began).toBeLessThan(1000);
  });
});
