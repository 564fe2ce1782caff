import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environment, folder, shellCommand } from "./cli/windlass.ts";

interface Command {
  readonly line: string;
  /** Output that the page shows below it; `…` stands for anything. */
  readonly shown: readonly string[];
}

/** The blocks of a page in some languages. */
function blocks(text: string, languages: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`(?:${languages})\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );
}

/** The files that a page shows, by the path in their first line; MCP servers are in a separate file. */
function filesIn(text: string): Record<string, string> {
  const named = blocks(text, "yaml|js|markdown").flatMap((code) => {
    const path = /^(?:#|\/\/|<!--) (\S+\.\w+)(?: -->)?\n/.exec(code)?.[1];
    return path === undefined ? [] : [[path, code] as const];
  });
  const servers = blocks(text, "json").filter((code) => code.includes('"mcpServers"'));
  return Object.fromEntries([...named, ...servers.map((code) => ["mcp.json", code] as const)]);
}

function commandsIn(text: string): Command[] {
  return blocks(text, "console").flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [line = "", ...shown] = part.trimEnd().split("\n");
        return { line, shown };
      }),
  );
}

/** The output of the page as a pattern: a line of `…` is any number of lines. */
function patternOf(shown: readonly string[]): RegExp {
  const lines = shown.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escaped).join(".*")}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function printedBy(line: string, cwd: string): Promise<string> {
  const command = line.replace(/^windlass\b/, shellCommand);
  return new Promise((done) => {
    execFile("sh", ["-c", command], { cwd, env: { ...environment, NO_COLOR: "1" } }, (_error, stdout, stderr) =>
      done(stdout === "" ? stderr : stdout),
    );
  });
}

const pages = globSync("docs/guide/**/*.md")
  .map((page) => ({ page, text: readFileSync(page, "utf8") }))
  .filter(({ text }) => commandsIn(text).length > 0);

test("some pages have commands with their output", () => expect(pages.length).toBeGreaterThan(0));

describe.each(pages)("$page", ({ text }) => {
  test("its commands print the output that it shows, in a workspace of the files that it shows", async () => {
    const cwd = await folder(filesIn(text));
    for (const { line, shown } of commandsIn(text)) expect(await printedBy(line, cwd)).toMatch(patternOf(shown));
  });
});
