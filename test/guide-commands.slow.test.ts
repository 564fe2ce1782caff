import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { builtProgram, environment, folder, shellCommand } from "./cli/windlass.ts";
import { pageApi, servePageApi } from "./support/page-api.ts";
import { blocksOf, commandsOf, filesOf, guidePages } from "./support/pages.ts";

/** The output of the page as a pattern: a line of `…` is any number of lines. */
function patternOf(shown: readonly string[]): RegExp {
  const lines = shown.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escaped).join(".*")}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function printedBy(line: string, cwd: string): Promise<string> {
  const env = { ...environment, NO_COLOR: "1", PATH: `${join(cwd, "node_modules/.bin")}:${process.env["PATH"]}` };
  return new Promise((done) => {
    execFile("sh", ["-c", line], { cwd, env }, (_error, stdout, stderr) => {
      const printed = stdout === "" ? stderr : stdout;
      done(printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`);
    });
  });
}

/** A workspace with the files of a page, in which the package is installed. */
async function workspaceOf(page: string, apiHost: string): Promise<string> {
  const files = Object.entries(filesOf(page)).map(([path, text]) => [
    path,
    text.replaceAll(pageApi, `http://${apiHost}`),
  ]);
  const { "windlass.yaml": settings = "", ...others } = Object.fromEntries(files) as Record<string, string>;
  const network = blocksOf(page, "http").length === 0 ? "" : `network: { allow: ["${apiHost}"] }\n`;
  const cwd = await folder({
    ...others,
    "windlass.yaml": settings + network,
    "package.json": '{ "type": "module", "private": true }',
  });
  await mkdir(join(cwd, "node_modules/.bin"), { recursive: true });
  await symlink(resolve(import.meta.dirname, ".."), join(cwd, "node_modules/windlass"));
  await symlink(process.execPath, join(cwd, "node_modules/.bin/node"));
  const command = `#!/bin/sh\nexec ${shellCommand} "$@"\n`;
  await writeFile(join(cwd, "node_modules/.bin/windlass"), command, { mode: 0o755 });
  return cwd;
}

const pages = guidePages.filter((page) => commandsOf(page).length > 0);

test("some pages have commands with their output", () => expect(pages.length).toBeGreaterThan(0));

test.concurrent.each(pages)(
  "the commands of %s print the output that it shows, in a workspace of the files that it shows",
  async (page) => {
    const api = await servePageApi(page);
    try {
      const cwd = await workspaceOf(page, api.host);
      for (const { line, shown } of commandsOf(page)) {
        expect(`$ ${line}\n${await printedBy(line, cwd)}`).toMatch(patternOf([`$ ${line}`, ...shown]));
      }
    } finally {
      api.close();
    }
  },
);

test("the configuration for Claude Desktop starts a server with the tool of the page", async () => {
  const page = "docs/how-to/connect-claude-desktop.md";
  const [{ mcpServers }] = blocksOf(page, "json").map((code) => JSON.parse(code)) as [
    { mcpServers: { windlass: { command: string; args: string[] } } },
  ];
  const { command, args } = mcpServers.windlass;
  expect(command).toBe("windlass");
  const cwd = await folder(filesOf(page));
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const client = new Client({ name: "claude", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [builtProgram, ...args.map((arg) => arg.replace("/home/me/my-workspace", cwd))],
      env: env as Record<string, string>,
      stderr: "ignore",
    }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("price_of");
  const { content } = await client.callTool({ name: "price_of", arguments: { item: "lamp" } });
  expect(JSON.stringify(content)).toContain("12.50");
  await client.close();
});
