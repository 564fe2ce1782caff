import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, writeFiles } from "../support/workspace.ts";
import { windlass } from "./windlass.ts";

const plain = join(import.meta.dirname, "../mcp/servers/plain-server.ts");

function mcpJson(...args: string[]): Record<string, string> {
  return {
    "mcp.json": JSON.stringify({ mcpServers: { plain: { command: process.execPath, args: [plain, ...args] } } }),
  };
}

describe("windlass mcp list", () => {
  test("[C04] shows what is known without starting anything, and connects where it is asked to", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
    const before = await windlass(["mcp"], { cwd });
    expect(before).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^NAME .*\nplain +unknown .*plain-server\.ts/),
    });
    expect(before.stderr).toContain("mcp list --connect");
    expect(readdirSync(cwd)).not.toContain(".windlass");
    const connected = await windlass(["mcp", "list", "--connect", "--json"], { cwd });
    expect(connected.code).toBe(0);
    const [server] = JSON.parse(connected.stdout) as { state: string; tools: string[]; protocol: string }[];
    expect(server).toMatchObject({ state: "connected", protocol: expect.stringMatching(/^20/), refused: [] });
    expect(server?.tools).toContain("plain/echo");
    const after = await windlass(["mcp", "list"], { cwd });
    expect(after.stdout).toMatch(/plain +known +\d+ /);
    expect(readdirSync(join(cwd, ".windlass/mcp/children"))).toEqual([]);
  });

  test("tells what is wrong with a server and with its entry, and hides secrets", async () => {
    const cwd = await folderWith({ "windlass.yaml": "secrets: { KEY: env }", ...mcpJson("exits") });
    await writeFiles(cwd, {
      "mcp.local.json": JSON.stringify({
        mcpServers: { odd: { commnad: "x" }, keyed: { command: "no-such-program-here", env: { A: "${secret.KEY}" } } },
      }),
    });
    const run = await windlass(["mcp", "list", "--connect"], { cwd, env: { KEY: "very-secret-value" } });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("cannot read the settings");
    expect(run.stderr).toContain('did you mean "command"?');
    expect(run.stderr).toContain("mcp.local.json:1:");
    expect(run.stderr).not.toContain("windlass validate");
    expect(run.stdout + run.stderr).not.toContain("very-secret-value");
  });

  test("an unknown word is answered with what could have been meant, and no server with how to add one", async () => {
    const cwd = await folderWith({ "windlass.yaml": "" });
    expect(await windlass(["mcp", "lits"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("windlass mcp list"),
    });
    expect((await windlass(["mcp"], { cwd })).stderr).toContain("mcp add");
  });
});

describe("windlass mcp add and remove", () => {
  test("write and erase an entry, with the whole command line shown", async () => {
    const cwd = await folderWith({ "windlass.yaml": "" });
    const added = await windlass(
      ["mcp", "add", "files", "--env", "MODE=x", "--", "npx", "-y", "pkg", "a b", "--flag"],
      { cwd },
    );
    expect(added.code).toBe(0);
    expect(added.stderr).toContain("files runs: npx -y pkg 'a b' --flag");
    expect(added.stderr).toContain("pkg@1.2.3");
    expect(JSON.parse(readFileSync(join(cwd, "mcp.json"), "utf8"))).toEqual({
      mcpServers: { files: { command: "npx", args: ["-y", "pkg", "a b", "--flag"], env: { MODE: "x" } } },
    });
    expect(await windlass(["mcp", "add", "files", "--", "x"], { cwd })).toMatchObject({ code: 2 });
    expect(
      await windlass(["mcp", "add", "docs", "--url", "https://x/mcp", "--header", "X-Key=1"], { cwd }),
    ).toMatchObject({ code: 0 });
    expect(await windlass(["mcp", "add", "none"], { cwd })).toMatchObject({ code: 2 });
    expect(await windlass(["mcp", "add", "both", "--url", "https://x", "--", "y"], { cwd })).toMatchObject({ code: 2 });
    expect(await windlass(["mcp", "remove", "files"], { cwd })).toMatchObject({ code: 0 });
    expect(
      Object.keys((JSON.parse(readFileSync(join(cwd, "mcp.json"), "utf8")) as { mcpServers: object }).mcpServers),
    ).toEqual(["docs"]);
    expect(await windlass(["mcp", "remove", "files"], { cwd })).toMatchObject({ code: 2 });
  });
});

describe("windlass mcp approve", () => {
  test("shows what changed, and approves it when it is told to", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
    await windlass(["mcp", "list", "--connect"], { cwd });
    expect(await windlass(["mcp", "approve", "plain"], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Nothing of plain waits"),
    });
    await writeFiles(cwd, mcpJson("banner"));
    const list = await windlass(["mcp"], { cwd });
    expect(list.stdout).toMatch(/plain +changed/);
    expect(list.stderr).toContain("windlass mcp approve plain");
    expect(list.stderr.match(/changed since it was approved/g)).toHaveLength(1);
    const shown = await windlass(["mcp", "approve", "plain"], { cwd });
    expect(shown).toMatchObject({ code: 3, stdout: expect.stringMatching(/- .*plain-server\.ts\n {2}\+ .*banner/) });
    expect(shown.stderr).toContain("--yes");
    expect(await windlass(["mcp", "approve", "plain", "--yes"], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Approved: plain\.$/m),
    });
    expect((await windlass(["mcp"], { cwd })).stdout).toMatch(/plain +known/);
    expect(await windlass(["mcp", "approve", "plian"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean plain?"),
    });
  });

  test("login is for servers elsewhere", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
    expect(await windlass(["mcp", "login", "plain"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs no login"),
    });
  });
});
