import { assert, property, string, webPath } from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRobots } from "./robots-rules.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

function allows(file: string, path: string, agent = "windlass"): boolean {
  return parseRobots(file, agent).allows(path);
}

describe("the group of a robots.txt that applies", () => {
  const file = [
    "User-agent: *",
    "Disallow: /all",
    "",
    "User-Agent: OtherBot",
    "User-agent: Windlass/1.0",
    "Disallow: /ours",
    "Sitemap: https://a.test/map.xml",
    "Allow: /ours/open",
    "",
    "user-agent: windlass",
    "disallow: /also-ours",
  ].join("\r\n");

  test.each([
    ["/all", true],
    ["/ours", false],
    ["/ours/open/1", true],
    ["/also-ours", false],
  ])("the groups with our name, together: %s is %s", (path, expected) => {
    expect(allows(file, path)).toBe(expected);
  });

  test("the default group applies if no other group names this program", () => {
    expect([allows(file, "/all", "somebody"), allows(file, "/ours", "somebody")]).toEqual([false, true]);
  });

  test.each(["windlassbot", "wind", "my-windlass"])("a group for %s does not apply to our user agent", (name) => {
    expect(allows(`User-agent: ${name}\nDisallow: /`, "/x")).toBe(true);
  });

  test("rules before any group are ignored", () => {
    expect(allows("Disallow: /\nUser-agent: *\nDisallow: /a", "/x")).toBe(true);
  });
});

describe("the rule that decides", () => {
  // pattern, path, expected match
  test.each([
    ["/fish", "/fish.html", true],
    ["/fish", "/Fish", false],
    ["/fish*", "/fishheads", true],
    ["/*.php", "/folder/a.php?x=1", true],
    ["/*.php$", "/a.php", true],
    ["/*.php$", "/a.php?x", false],
    ["/fish*.php", "/fishheads/catfish.php5", true],
    ["/a$", "/a", true],
    ["/a$", "/ab", false],
    ["/*a*a$", "/aba", true],
    ["/*ab*b$", "/ab", false],
    ["*", "/anything", true],
    ["/%7Ejoe/", "/~joe/x", true],
    ["/~joe/", "/%7ejoe/x", true],
    ["/a%2fb", "/a/b", false],
    ["/a%2fb", "/a%2Fb", true],
    ["/中文", "/%E4%B8%AD%E6%96%87/1", true],
    ["", "/", false],
  ])("%j on %j: %s", (pattern, path, fits) => {
    expect(allows(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(!fits);
  });

  test.each([
    ["Allow: /p\nDisallow: /", "/page", true],
    ["Allow: /folder\nDisallow: /folder", "/folder/page", true],
    ["Allow: /page\nDisallow: /*.htm", "/page.htm", false],
    ["Allow: /$\nDisallow: /", "/", true],
    ["Allow: /$\nDisallow: /", "/page", false],
    ["Disallow: /a # all of it", "/a", false],
    ["Disallow:", "/a", true],
  ])("the longest of %j for %s: %s", (rules, path, expected) => {
    expect(allows(`User-agent: *\n${rules}`, path)).toBe(expected);
  });
});

test.each([
  ["Crawl-delay: 2", 2000],
  ["Crawl-delay: 0.5", 500],
  ["Crawl-delay: soon", undefined],
  ["Crawl-delay: -1", undefined],
])("%s is %s ms", (line, expected) => {
  expect(parseRobots(`User-agent: *\n${line}\nDisallow: /a`, "windlass").delayMs).toBe(expected);
});

test("any text is read, in little time", () => {
  assert(
    property(string({ maxLength: 300 }), webPath(), (rules, path) => {
      expect(typeof allows(`User-agent: *\nDisallow: ${rules}\n${rules}`, path)).toBe("boolean");
    }),
  );
  const started = cpuTime();
  const hostile = `User-agent: *\n${`Disallow: /${"*a".repeat(30)}$\n`.repeat(20_000)}`;
  expect(allows(hostile, `/${"a".repeat(2000)}b`)).toBe(true);
  expect(allows(`User-agent: *\nDisallow: /${"*".repeat(2000)}b$`, `/${"a".repeat(16_000)}`)).toBe(true);
  const near = Array.from({ length: 20_000 }, (_unused, index) => `Disallow: /*aaaaaaaa${index}b`).join("\n");
  expect(allows(`User-agent: *\n${near}`, `/${"a".repeat(16_000)}`)).toBe(true);
  expect(cpuTime() - started).toBeLessThan(2000);
});
