import { expect, test } from "vitest";
import { compilePermissions } from "../../engine/index.ts";
import { ToolRegistry, defineTool } from "../../tool/index.ts";
import { parseSkill } from "./parse-skill.ts";
import { skillRules } from "./skill-rules.ts";

const registry = new ToolRegistry();
for (const name of [
  "read_file",
  "write_file",
  "web_search",
  "github/create_issue",
  "github/list",
  "skills/pdf",
  "destructive",
]) {
  registry.register(
    defineTool({ name, description: "d", aliases: name === "web_search" ? ["search_web"] : [], run: () => null }),
  );
}

function rulesOf(allowedTools: string): ReturnType<typeof skillRules> {
  const yaml = `\nname: a\ndescription: d\nallowed-tools: ${allowedTools}\n`;
  const given = { text: `---${yaml}---\n`, yaml, bom: false, file: "f", entry: "SKILL.md", folder: "a" };
  const { fields } = parseSkill(given, "loader");
  if (fields === undefined) throw new Error("no fields");
  return skillRules(fields, registry);
}

test.each([
  ["read_file web_search", ["model:read_file", "model:web_search"]],
  ["Read Write", ["model:read_file", "model:write_file"]],
  ["search_web", ["model:web_search"]],
  ["Read(*) Write(**)", ["model:read_file", "model:write_file"]],
  ["mcp__github__create_issue", ["model:github/create_issue"]],
  ["github/list", ["model:github/list"]],
  ["mcp__github", ["model:github/*"]],
  ["mcp__github__*", ["model:github/*"]],
  ["github/*", ["model:github/*"]],
  ["Skill(pdf)", ["model:skills/pdf"]],
  ["[Read, write_file]", ["model:read_file", "model:write_file"]],
  ["Read, Write,Read", ["model:read_file", "model:write_file"]],
])("%s allows %j", (given, allow) => {
  const rules = rulesOf(given);
  expect(rules).toEqual({ allow, ignored: [] });
  expect(() => compilePermissions({ allow: rules.allow })).not.toThrow();
});

test.each([
  ["Bash(git:*)", /cannot hold the arguments/],
  ["Bash(git diff *)", /cannot hold the arguments/],
  ["Read(./docs/**)", /cannot hold the arguments/],
  ["WebFetch(domain:example.com)", /cannot hold the arguments/],
  ["Bash", /no such tool/],
  ["Task", /no such tool/],
  ["reed_file", /did you mean "read_file"/],
  ['"*"', /nobody has named/],
  ["wr*", /nobody has named/],
  ['"*/*"', /no server/],
  ["mcp__slack__post", /no such tool/],
  ["mcp__slack", /no server "slack"/],
  ["effect:once", /no such tool/],
  ["source:tools", /no such tool/],
  ["person:*", /nobody has named/],
  ["destructive", /cannot name this tool/],
])("%s allows nothing", (given, why) => {
  const { allow, ignored } = rulesOf(given);
  expect(allow).toEqual([]);
  expect(ignored).toHaveLength(1);
  expect(ignored[0]?.why).toMatch(why);
});
