import { join } from "node:path";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseWorkspace } from "../src/app/index.ts";
import { defaultHubLimits } from "../src/hub/index.ts";
import { readMcpConfig } from "../src/hub/mcp/read-mcp-config.ts";
import { validateSkill } from "../src/hub/skills/validate-skill.ts";
import { type Snippet, guidePages, snippetsOf } from "./support/pages.ts";
import { folderWith } from "./support/workspace.ts";

function snippets(language: string, having: RegExp): Snippet[] {
  return snippetsOf(guidePages, language).filter(({ code }) => having.test(code));
}

describe("files in the guide", () => {
  test.each(snippets("jsonc?", /^ {2}"(?:mcpServers|servers)"/m))(
    "$name configures MCP servers correctly",
    async ({ code }) => {
      const dir = await folderWith({ "mcp.json": code });
      const { servers, problems } = readMcpConfig({
        dir,
        env: { WINDLASS_MCP_TOKEN: "a-token-for-the-guide" },
        allowedEnv: ["WINDLASS_MCP_TOKEN"],
        secrets: { get: () => "a-secret-for-the-guide" },
        secretNames: ["DOCS_TOKEN"],
      });
      expect(problems).toEqual([]);
      expect(servers.length).toBeGreaterThan(0);
    },
  );

  test.each(guidePages)("%s begins with a task and an example that is executed", (page) => {
    const [, beginning = ""] = /^# .+\n\n([\s\S]+?)(?=^## |(?![\s\S]))/m.exec(readFileSync(page, "utf8")) ?? [];
    const task = beginning.slice(0, beginning.indexOf("\n```"));
    expect(beginning).toMatch(/^```(?:ts|console)\n/m);
    expect(task).not.toBe("");
    expect(task.split("\n").length).toBeLessThan(8);
  });

  test("all limits of the hub are documented with their defaults", () => {
    const [reported] = snippets("yaml", /^hub:\n/);
    expect(parseWorkspace(reported?.code ?? "", "windlass.yaml").config.hub).toEqual(defaultHubLimits);
  });

  test.each(snippets("markdown", /^---\nname:/))("$name is a skill without a warning", async ({ code }) => {
    const name = /^name: (.+)$/m.exec(code)?.[1] ?? "";
    const dir = join(await folderWith({ [`${name}/SKILL.md`]: code }), name);
    expect(await validateSkill(dir)).toMatchObject({ valid: true, problems: [], fields: { name } });
  });
});
