import { ToolFinder, ResultStore, findToolsTool, readResultTool } from "../../src/hub/index.ts";
import { resourceTools } from "../../src/hub/mcp/resource-tools.ts";
import { SkillSessions } from "../../src/hub/skills/skill-sessions.ts";
import { SkillTools } from "../../src/hub/skills/skill-tools.ts";
import type { Skill } from "../../src/hub/skills/skill.ts";
import { type AnyTool, ToolRegistry } from "../../src/tool/index.ts";

/** Returns the tools that give access to other tools, skills, resources and large results, for an empty workspace. */
export function hubTools(): AnyTool[] {
  const registry = new ToolRegistry();
  const skills = new SkillTools({
    sessions: new SkillSessions({ tools: registry }),
    limits: { catalogueChars: 4000, instructionChars: 20_000, maxFiles: 100 },
    skills: () => new Map(),
  });
  return [
    findToolsTool({ finder: new ToolFinder(registry) }),
    readResultTool(new ResultStore()),
    ...skills.for([unlisted]),
    ...resourceTools({
      servers: () => [],
      of: () => {
        throw new Error("the docs have no MCP server");
      },
    }),
  ];
}

/** The skill tools exist only if there is a skill, and a listed skill would appear in their descriptions. */
const unlisted: Skill = {
  name: "unlisted",
  description: "For the docs.",
  metadata: {},
  allowedTools: [],
  hidden: true,
  dir: "",
  folder: "",
  entry: "SKILL.md",
  file: "",
};
