import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseWorkspace } from "../src/app/index.ts";
import { defaultHubLimits } from "../src/hub/index.ts";
import { readMcpConfig } from "../src/hub/mcp/read-mcp-config.ts";
import { validateSkill } from "../src/hub/skills/validate-skill.ts";
import { type Snippet, blocksOf, chinesePages, guidePages, proseOf, snippetsOf } from "./support/pages.ts";
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

/** The code of a page without its comments, which are in the language of the page; printed results stay. */
function codeOf(page: string): string[] {
  return blocksOf(page, "\\w*").map((code) =>
    code
      .split("\n")
      .map((line) =>
        line.includes("console.log") ? line.replace(/(\/\/ .*?)(?:[:,] (?=[a-z])|[，：]).*/, "$1") : uncommented(line),
      )
      .join("\n")
      .replaceAll(/(?:description|content): .*|"我写过[^"]*"|"What did I write[^"]*"/g, ""),
  );
}

function uncommented(line: string): string {
  return line.replace(/\s*(?:\/\/|#) .*$/, "");
}

/** The parts of a page that both pages of a pair share. */
function structureOf(page: string): object {
  const prose = proseOf(page);
  const links = [...prose.matchAll(/\]\(([^)#\s]*)/g)].map(([, target = ""]) => target.replace(".zh-CN.md", ".md"));
  const words = [...prose.replaceAll(/\s+/g, " ").matchAll(/`[^`]+`/g)].map(([word]) => word);
  return {
    headings: (prose.match(/^#+ /gm) ?? []).map((marks) => marks.length),
    rows: prose.match(/^\|/gm)?.length,
    links: links.toSorted(),
    words: [...new Set(words)].toSorted(),
  };
}

describe.each(chinesePages)("%s", (chinese) => {
  const english = chinese.replace(".zh-CN.md", ".md");

  test("is linked from the English page, and links it", () => {
    const nameOf = (page: string): string => page.slice(page.lastIndexOf("/") + 1);
    expect(readFileSync(english, "utf8")).toContain(`[中文](${nameOf(chinese)})`);
    expect(readFileSync(chinese, "utf8")).toContain(`[English](${nameOf(english)})`);
  });

  test("has the code of the English page", () => expect(codeOf(chinese)).toEqual(codeOf(english)));

  test("has the headings, table rows, links and names of the English page", () => {
    expect(structureOf(chinese)).toEqual(structureOf(english));
  });
});
