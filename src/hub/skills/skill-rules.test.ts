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
  const input = { text: `---${yaml}---\n`, yaml, bom: false, file: "f", entry: "SKILL.md", folder: "a" };
  const { fields } = parseSkill(input, "loader");
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
])("%s allows %j", (input, allow) => {
  const rules = rulesOf(input);
  expect(rules).toEqual({ allow, ignored: [] });
  expect(() => compilePermissions({ allow: rules.allow })).not.toThrow();
});

test.each([
  ["Bash(git:*)", /cannot restrict the arguments/],
  ["Bash(git diff *)", /cannot restrict the arguments/],
  ["Read(./docs/**)", /cannot restrict the arguments/],
  ["WebFetch(domain:example.com)", /cannot restrict the arguments/],
  ["Bash", /no such tool/],
  ["Task", /no such tool/],
  ["reed_file", /did you mean "read_file"/],
  ['"*"', /are not named/],
  ["wr*", /are not named/],
  ['"*/*"', /no server/],
  ["mcp__slack__post", /no such tool/],
  ["mcp__slack", /no server "slack"/],
  ["effect:once", /no such tool/],
  ["source:tools", /no such tool/],
  ["person:*", /are not named/],
  ["destructive", /cannot name this tool/],
])("%s allows nothing", (input, why) => {
  const { allow, ignored } = rulesOf(input);
  expect(allow).toEqual([]);
  expect(ignored).toHaveLength(1);
  expect(ignored[0]?.why).toMatch(why);
});
