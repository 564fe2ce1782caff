import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, describe } from "vitest";
import { afterTest, openStored, trusting, untrustedIn } from "../../test/support/stored-trust.ts";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import { folderPrompts } from "../builtin/index.ts";
import type { Workspace } from "./workspace.ts";

describe("settings", () => {
  test.each([
    ["search: { searxng_url: 'http://127.0.0.1:8899' }", 'search.searxng_url: "http://127.0.0.1:8899"'],
    [
      "search: { mediawiki_url: 'http://127.0.0.1:8899/api.php' }",
      'search.mediawiki_url: "http://127.0.0.1:8899/api.php"',
    ],
    ["weather: { forecast_url: 'http://127.0.0.1:8899' }", 'weather.forecast_url: "http://127.0.0.1:8899"'],
    ["weather: { geocoding_url: 'http://127.0.0.1:8899' }", 'weather.geocoding_url: "http://127.0.0.1:8899"'],
    ['mcp: { serve: ["*"] }', 'mcp.serve: ["*"]'],
    ["mcp: { serve: [write_file, own] }", 'mcp.serve: ["write_file"]'],
  ])("[S8] %s need trust, and are not used before", async (settings, text) => {
    const dir = await folderWith({ "windlass.yaml": `${settings}\n` });
    const workspace = await openStored(dir);
    expect(untrustedIn(workspace)).toEqual([text]);
    expect(JSON.stringify(workspace.config)).not.toContain("8899");
    expect(workspace.config.mcp.serve).toBeUndefined();
    expect((await openStored(dir, trusting)).untrusted).toEqual([]);
  });

  test("[S8] serving tools of the workspace needs no trust", async () => {
    const dir = await folderWith({ "windlass.yaml": "mcp: { serve: [own, my_*] }\n" });
    expect(untrustedIn(await openStored(dir))).toEqual([]);
  });
});

describe("links out of the workspace", () => {
  async function elsewhere(): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), "windlass-elsewhere-"));
    afterTest(() => rm(dir, { recursive: true, force: true }));
    await writeFile(join(dir, "private.md"), "# Private\nThe number is 4711.\n");
    await writeFile(join(dir, "llm_design.md"), "obey");
    return dir;
  }

  test.each([
    ["a folder of notes", "vault: vv", "vault", "local_search", { query: "number" }],
    ["a corpus", "search: { corpus: vv, providers: [corpus] }", "search.corpus", "web_search", { query: "number" }],
  ])("[S8] %s is not read before trust", async (_what, ...[settings, key, tool, args]) => {
    const target = await elsewhere();
    const dir = await folderWith({ "windlass.yaml": `${settings}\n` });
    await symlink(target, join(dir, "vv"));
    const workspace = await openStored(dir);
    expect(untrustedIn(workspace)).toEqual([`${key}: ${JSON.stringify(target)}`]);
    expect(JSON.stringify(await workspace.engine.call(tool, args))).not.toContain("4711");
    const trusted = await openStored(dir, trusting);
    expect(JSON.stringify(await trusted.engine.call(tool, args))).toContain("4711");
  });

  test("[S8] a link whose target does not exist yet leads out, too", async () => {
    const dir = await folderWith({ "windlass.yaml": "vault: vv/sub\n" });
    const target = join(tmpdir(), "windlass-none");
    await symlink(target, join(dir, "vv"));
    expect(untrustedIn(await openStored(dir))).toEqual([`vault: ${JSON.stringify(join(target, "sub"))}`]);
  });

  test("[S8] a folder of notes inside of the workspace needs no trust, linked or not", async () => {
    const dir = await folderWith({ "windlass.yaml": "vault: vv\n", "notes/a.md": "A" });
    await symlink("notes", join(dir, "vv"));
    expect(untrustedIn(await openStored(dir))).toEqual([]);
  });

  test("[S8] a linked folder of prompts is refused", async () => {
    const dir = await folderWith({});
    await symlink(await elsewhere(), join(dir, "prompts"));
    await expect(folderPrompts(join(dir, "prompts"), dir)("llm_design")).rejects.toMatchObject({
      reason: "bad_prompt",
    });
  });

  test("[S8] nothing is written to a linked data folder before trust", async () => {
    const target = await elsewhere();
    const dir = await folderWith({ "windlass.yaml": "" });
    await symlink(target, join(dir, ".windlass"));
    const workspace = await openStored(dir, { store: "sqlite" });
    expect(untrustedIn(workspace)).toEqual([`.windlass, which leads to ${target}`]);
    await workspace.engine.call("memory_store", { content: "x" });
    await workspace.engine.call("calculator", { expression: "1" });
    await workspace.close();
    for (const file of ["journal.db", "memory.db", "origin", ".gitignore"])
      expect(existsSync(join(target, file))).toBe(false);
  });
});

describe("a data folder that was not created here", () => {
  const text = ".windlass, which was not created here";

  /** A workspace in which a model stored something. */
  async function used(files: Readonly<Record<string, string>> = {}): Promise<string> {
    const dir = await folderWith({ "windlass.yaml": "", ...files });
    const workspace = await openStored(dir, { store: "sqlite" });
    expect(untrustedIn(workspace)).toEqual([]);
    await workspace.engine.call("memory_store", { content: "The quay closes at six" });
    await workspace.close();
    return dir;
  }

  const recalled = async (workspace: Workspace): Promise<string> =>
    JSON.stringify(await workspace.engine.call("memory_recall", { query: "quay" }));

  test("[S8] is used where it was created, also after it was moved", async () => {
    const dir = await used();
    const again = await openStored(dir, { store: "sqlite" });
    expect(untrustedIn(again)).toEqual([]);
    expect(await recalled(again)).toContain("six");
    await again.close();
    const parent = await folderWith({});
    await rename(dir, join(parent, "moved"));
    expect(untrustedIn(await openStored(join(parent, "moved"), { store: "sqlite" }))).toEqual([]);
  });

  test("[S8] a copy needs trust, and nothing of it is used before", async () => {
    const from = await used();
    const dir = await folderWith({ "windlass.yaml": "" });
    await cp(join(from, ".windlass"), join(dir, ".windlass"), { recursive: true, preserveTimestamps: true });
    const workspace = await openStored(dir, { store: "sqlite" });
    expect(untrustedIn(workspace)).toEqual([text]);
    expect(workspace.store).toBeUndefined();
    expect(await recalled(workspace)).not.toContain("six");
    await workspace.close();
    const trusted = await openStored(dir, { store: "sqlite", ...trusting });
    expect(await recalled(trusted)).toContain("six");
    await trusted.close();
    expect(untrustedIn(await openStored(dir, { store: "sqlite" }))).toEqual([]);
  });

  test("[S8] a link to the mark of another workspace does not count", async () => {
    const from = await used();
    const dir = await folderWith({ "windlass.yaml": "", ".windlass/journal.db": "" });
    await symlink(join(from, ".windlass/origin"), join(dir, ".windlass/origin"));
    expect(untrustedIn(await openStored(dir))).toEqual([text]);
  });

  test("[S8] no server is used with approvals that were not made here", async () => {
    const mcp = JSON.stringify({ mcpServers: { s: { command: "node", args: ["s.mjs"] } } });
    const dir = await folderWith({ "windlass.yaml": "", "mcp.json": mcp });
    await (await openStored(dir, trusting)).close();
    await writeFiles(dir, { ".windlass/mcp/pins/s-00000000.json": "{}" });
    const workspace = await openStored(dir);
    expect(untrustedIn(workspace)).toEqual([text]);
    expect(workspace.sources.mcp?.status()).toMatchObject([{ name: "s", state: "untrusted" }]);
  });

  test("[S8] one in a workspace that an earlier version trusted is used", async () => {
    const dir = await folderWith({ "windlass.yaml": "env: [THE_KEY]\n", ".windlass/.gitignore": "*" });
    await (await openStored(dir, trusting)).close();
    const file = join(dir, "config/windlass/trust.json");
    const stored = JSON.parse(await readFile(file, "utf8")) as { workspaces: Record<string, { data?: true }> };
    const workspaces = Object.entries(stored.workspaces).map(([path, { data: _data, ...entry }]) => [path, entry]);
    await writeFile(file, JSON.stringify({ ...stored, workspaces: Object.fromEntries(workspaces) }));
    await mkdir(join(dir, ".windlass/mcp"));
    expect(untrustedIn(await openStored(dir))).toEqual([]);
  });
});

test("[S8] what the first process of a folder writes is its own, also if several start at once", async () => {
  const dir = await folderWith({ "windlass.yaml": "" });
  await Promise.all(Array.from({ length: 4 }, () => openStored(dir, { store: "sqlite" })));
  expect(untrustedIn(await openStored(dir, { store: "sqlite" }))).toEqual([]);
});
