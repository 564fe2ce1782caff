import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import badInputs from "../../test/data/bad-inputs.json" with { type: "json" };
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import { defineTool } from "../tool/index.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace, WorkspaceOptions } from "./workspace.ts";

const httpRequest = await readFile("test/fixtures/tools/http_request.yaml", "utf8");

const open: Workspace[] = [];
async function workspaceIn(dir: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await openWorkspace(dir, { reload: false, ...options });
  open.push(workspace);
  return workspace;
}
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.close();
});

let port = 0;
let connections = 0;
const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ method: request.method, path: request.url, token: request.headers["x-token"] ?? null }),
  );
});
server.on("connection", () => connections++);
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

describe("a folder without settings", () => {
  test("has the built-in tools and keeps records in .windlass, out of git", async () => {
    const dir = await folderWith({});
    const workspace = await workspaceIn(dir);
    const result = await workspace.engine.call("calculator", { expression: "2*(3+4)" });
    expect(result).toMatchObject({ success: true, output: { result: 14 }, meta: { source: "tools" } });
    expect((await workspace.engine.queryRecords({})).records).toHaveLength(1);
    expect(await readFile(join(dir, ".windlass/.gitignore"), "utf8")).toBe("*\n");
    expect(workspace.configured).toBe(false);
  });

  test("[B18] has the documented defaults", async () => {
    const { config } = await workspaceIn(await folderWith({}), { store: "memory" });
    expect(config.engine).toEqual({
      toolsDirectory: "tools",
      autoReload: true,
      reloadIntervalMs: 5000,
      watchForChanges: false,
      strictValidation: false,
      timeoutMs: 30_000,
      maxRetries: 3,
      enabledTools: [],
      disabledTools: [],
    });
  });
});

describe("windlass.yaml", () => {
  test("[B18] sets the limits, the rules and the folder of tools", async () => {
    const dir = await folderWith({
      "windlass.yaml": [
        "concurrency: { max_concurrent: 2, queue_size: 3, default_timeout: 1, strategy: priority, bucket_limits: { http: 5, ai: 2 } }",
        "engine: { tools_directory: my-tools, strict_validation: true, disabled_tools: [echo] }",
        "permissions: { deny: [calculator] }",
        "retention: { days: 90, bytes: 1GB }",
      ].join("\n"),
      "my-tools/say.yaml":
        "name: say\ndescription: Says it\nentry: { type: builtin, handler: echo }\nparameters: [{ name: message, type: string }]\n",
    });
    const workspace = await workspaceIn(dir, { store: "memory" });
    const { engine, config } = workspace;
    expect(engine.bucketMetrics()).toMatchObject({ http: { limit: 5 }, ai: { limit: 2 } });
    expect(config.retention).toEqual({ maxAgeMs: 90 * 86_400_000, maxBytes: 1e9 });
    expect(await engine.call("say", { message: "hi" })).toMatchObject({ success: true, output: { message: "hi" } });
    expect(await engine.call("say", { mesage: "hi" })).toMatchObject({ error: { code: "validation_error" } });
    expect(await engine.call("echo", { message: 1 })).toMatchObject({ error: { code: "not_available" } });
    expect(await engine.call("calculator", { expression: "1" })).toMatchObject({
      error: { code: "permission_denied" },
    });
  });

  test("reports every mistake with its line and a suggestion", async () => {
    const dir = await folderWith({
      "windlass.yaml": [
        "concurency: { max_concurrent: 2 }",
        "engine: { reload_intervall: 1 }",
        "concurrency: { strategy: lifo, rate_limits: { http: fast } }",
        'permissions: { ask: ["effect:sometimes"] }',
        "retention: { bytes: many }",
        'network: { allow: ["*"] }',
      ].join("\n"),
    });
    const error = await openWorkspace(dir).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "file_invalid" });
    const { problems } = error as { problems: { line: number; code: string; hint?: string }[] };
    expect(problems.map(({ line }) => line)).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(problems.find(({ line }) => line === 1)?.hint).toContain("concurrency");
    expect(problems.find(({ line }) => line === 2)?.hint).toContain("reload_interval");
  });

  test("rules, rates, sizes and addresses are checked too, each with its position", async () => {
    const dir = await folderWith({
      "windlass.yaml": [
        "concurrency: { rate_limits: { http: fast } }",
        'permissions: { ask: ["effect:sometimes"] }',
        "retention: { bytes: many }",
        'network: { allow: ["*"] }',
      ].join("\n"),
    });
    await expect(openWorkspace(dir)).rejects.toMatchObject({
      problems: [
        { line: 1, code: "bad_value" },
        { line: 2, code: "bad_value" },
        { line: 3, code: "bad_value" },
        { line: 4, code: "bad_value" },
      ],
    });
  });

  test("a rule about a tool that is registered later is right from then on", async () => {
    const dir = await folderWith({ "windlass.yaml": 'permissions: { deny: ["later"] }' });
    const workspace = await workspaceIn(dir, { store: "memory" });
    expect(workspace.problems()).toMatchObject([
      { severity: "warning", code: "unknown_tool", file: "windlass.yaml", line: 1, column: 23 },
    ]);
    workspace.engine.tools.register(defineTool({ name: "later", description: "d", run: () => 1 }));
    expect(workspace.problems()).toEqual([]);
  });

  test("a misspelled rule that would match nothing prevents opening, with a suggestion", async () => {
    const dir = await folderWith({ "windlass.yaml": 'permissions: { ask: ["model:destructve"], allow: ["*"] }' });
    await expect(openWorkspace(dir, { store: "memory" })).rejects.toMatchObject({
      code: "file_invalid",
      message: expect.stringMatching(/^windlass\.yaml:1:22: .*matches nothing; did you mean "destructive"\?$/),
      problems: [{ severity: "error", code: "unknown_tool", line: 1, column: 22 }],
    });
  });

  const names = ["create_note", "write_page", "search", "create_file", "destruct", "ecko"];
  test.each([...names, "fs/write_file", "gone/write_file"])(
    "a name that is only like another opens, and guards the tool that code registers later: %s",
    async (rule) => {
      const fs = { command: "no-such-command", disabled: true };
      const dir = await folderWith({
        "windlass.yaml": `permissions: { deny: ["${rule}"] }`,
        "mcp.json": JSON.stringify({ mcpServers: { fs } }),
      });
      const workspace = await workspaceIn(dir, { store: "memory" });
      expect(workspace.problems()).toMatchObject([
        { severity: "warning", code: "unknown_tool", file: "windlass.yaml" },
      ]);
      const name = rule.replace("model:", "");
      workspace.engine.tools.register(defineTool({ name: "later", aliases: [name], description: "d", run: () => 1 }));
      expect(workspace.problems()).toEqual([]);
    },
  );

  test("a tool may be in a broken file or at a server that was never seen; a misspelled word is in neither", async () => {
    const servers = JSON.stringify({ mcpServers: { mail: { command: "no-such-command" } } });
    for (const files of [{ "tools/bad.yaml": "name: bad\n" }, { "mcp.json": servers }]) {
      const named = await folderWith({ ...files, "windlass.yaml": 'permissions: { deny: ["ecko"] }' });
      await workspaceIn(named, { store: "memory", reload: false });
      const misspelt = await folderWith({ ...files, "windlass.yaml": 'permissions: { deny: ["destructve"] }' });
      await expect(openWorkspace(misspelt, { store: "memory", reload: false })).rejects.toThrow(/"destructive"/);
    }
  });

  test("a chain or a tool of the folder may have a name that is like a word of the rules", async () => {
    const dir = await folderWith({
      "windlass.yaml": 'permissions: { deny: ["destruct"], ask: ["effects"] }',
      "tools/destruct.yaml":
        "name: destruct\ndescription: d\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n",
      "chains/effects.yaml": "name: effects\nsteps: [{ id: a, tool: echo, params: { message: hi } }]\n",
    });
    expect((await workspaceIn(dir, { store: "memory" })).problems()).toEqual([]);
  });

  test("is found from a folder below", async () => {
    const dir = await folderWith({ "windlass.yaml": "", "a/b/c.txt": "" });
    expect((await workspaceIn(join(dir, "a/b"), { store: "memory" })).dir).toBe(dir);
  });
});

describe("secrets", () => {
  test("are read from the environment and from files, and are redacted everywhere", async () => {
    const dir = await folderWith({
      "windlass.yaml": `secrets: { TOKEN: env, OTHER: { file: secrets/other }, LOST: env }\nnetwork: { allow: ["127.0.0.1:${port}"] }`,
      "secrets/other": "other-secret-value\n",
      "tools/ask.yaml": [
        "name: ask",
        "description: Asks the server",
        "category: http",
        "parameters: [{ name: q, type: string }]",
        `entry: { type: external, url: "http://127.0.0.1:${port}/", headers: { X-Token: "\${secret.TOKEN}" }, result: body }`,
      ].join("\n"),
    });
    const workspace = await workspaceIn(dir, { env: { TOKEN: "hunter2-secret-value" } });
    expect(workspace.missingSecrets).toEqual([{ name: "LOST", why: "set the environment variable LOST" }]);
    const result = await workspace.engine.call("ask", { q: "other-secret-value" });
    expect(result).toMatchObject({ success: true, output: { token: "hunter2-secret-value" } });
    const { records } = await workspace.engine.queryRecords({ tool: "ask" });
    expect(JSON.stringify(records)).not.toMatch(/hunter2|other-secret/);
    await workspace.close();
    open.length = 0;
    const database = await readFile(join(dir, ".windlass/journal.db"), "latin1");
    expect(database).not.toMatch(/hunter2|other-secret/);
  });

  test("keys that come into mcp.json while it is open are redacted too", async () => {
    const mcp = (key: string): Record<string, string> => ({
      "mcp.json": JSON.stringify({ mcpServers: { far: { command: "no-such-program", env: { API_KEY: key } } } }),
    });
    const dir = await folderWith({ "windlass.yaml": "", ...mcp("the-first-key-1") });
    const workspace = await workspaceIn(dir, { store: "memory" });
    await writeFiles(dir, mcp("the-second-key-2"));
    await workspace.sources.reload();
    workspace.engine.tools.register(defineTool({ name: "keep", description: "d", run: (args) => args }));
    await workspace.engine.call("keep", { a: "the-first-key-1", b: "the-second-key-2" });
    const { records } = await workspace.engine.queryRecords({ tool: "keep" });
    expect(records).toHaveLength(1);
    expect(JSON.stringify(records)).not.toMatch(/the-(?:first|second)-key/);
  });

  test("a file outside the workspace is not a secret of it", async () => {
    const dir = await folderWith({ "windlass.yaml": "secrets: { X: { file: ../../etc/hostname } }" });
    expect((await workspaceIn(dir, { store: "memory" })).missingSecrets).toMatchObject([{ name: "X" }]);
  });
});

describe("[B01] a tool file in tools/", () => {
  test("replaces the built-in tool of its name, and restores it when removed", async () => {
    const dir = await folderWith({ "tools/http_request.yaml": httpRequest });
    const workspace = await workspaceIn(dir, { store: "memory" });
    expect(workspace.engine.tools.get("http_request")?.description).toContain("HTTP");
    await writeFiles(dir, { "tools/http_request.yaml": "nonsense: [" });
    await workspace.sources.folder.reload();
    expect(workspace.engine.tools.get("http_request")?.description).toContain("应答");
  });

  test("reaches a loopback server that windlass.yaml allows", async () => {
    const dir = await folderWith({
      "windlass.yaml": `network: { allow: ["127.0.0.1:${port}"] }`,
      "tools/http_request.yaml": httpRequest,
    });
    const { engine } = await workspaceIn(dir, { store: "memory" });
    const url = `http://127.0.0.1:${port}/hello`;
    expect(await engine.call("http_request", { url })).toMatchObject({
      success: true,
      output: { status_code: 200, body: { method: "GET", path: "/hello" } },
    });
    expect(await engine.call("http_request", { url, method: "POST", body: { a: 1 } })).toMatchObject({
      output: { body: { method: "POST" } },
    });
    expect(await engine.call("http_request", { url: "ftp://x" })).toMatchObject({
      error: { code: "validation_error" },
    });
    expect(await engine.call("http_request", { url, method: "BREW" })).toMatchObject({
      error: { code: "validation_error" },
    });
  });

  test("[B07] is refused by every hostile address, and nothing reaches the listener", async () => {
    const dir = await folderWith({ "tools/http_request.yaml": httpRequest });
    const { engine } = await workspaceIn(dir, { store: "memory" });
    const before = connections;
    const urls = badInputs.flatMap(({ area, input }) => (area === "ssrf-url" ? [input as string] : []));
    expect(urls.length).toBeGreaterThan(40);
    for (const url of [...urls, ...urls.map((text) => text.replace(/^(http:\/\/[^/]+)\//, `$1:${port}/`))]) {
      const result = await engine.call("http_request", { url, timeout: 5 });
      const error = result.success ? undefined : result.error;
      expect({ url, retry: error?.retry }).toEqual({ url, retry: "never" });
      expect(["permission_denied", "validation_error"]).toContain(error?.code);
    }
    expect(connections).toBe(before);
  });
});

describe("a workspace whose tools load while its database opens", () => {
  test("is refused when the database cannot be used, and holds nothing back", async () => {
    const dir = await folderWith({
      ".windlass/journal.db": "no database at all, only text",
      "tools/a.yaml": httpRequest,
    });
    await expect(openWorkspace(dir, { reload: true })).rejects.toMatchObject({ code: "store_failed" });
    await writeFiles(dir, { ".windlass/journal.db": "" });
    expect((await workspaceIn(dir)).engine.tools.has("http_request")).toBe(true);
  });

  test("is rejected immediately when the code of a tool never finishes loading", async () => {
    const code = "await new Promise(() => setInterval(() => {}, 1000).unref());";
    const dir = await folderWith({ ".windlass/journal.db": "no database at all, only text", "tools/a.mjs": code });
    await expect(openWorkspace(dir, { reload: false })).rejects.toMatchObject({ code: "store_failed" });
  });
});

describe("the chains of a workspace", () => {
  const chain = (name: string, tool: string): string =>
    `name: ${name}\nsteps: [{ id: a, tool: ${tool}, params: {} }]\n`;
  const files = {
    "chains/one.yaml": "name: one\nsteps: [{ id: a, tool: echo, params: { message: hi } }]\n",
    "chains/two.yaml": chain("two", "one"),
    "chains/bad.yaml": chain("bad", "nobody"),
  };

  test("are planned on first use: running one plans no other, valid or not", async () => {
    const workspace = await workspaceIn(await folderWith(files), { store: "memory" });
    await workspace.loadChain("chains/one.yaml");
    const { version } = workspace.engine.tools;
    expect((await workspace.engine.call("echo", { message: "a" })).success).toBe(true);
    // Registering them changes it.
    expect(workspace.engine.tools.version).toBe(version);
    expect(workspace.engine.tools.has("two")).toBe(true);
    expect(workspace.engine.tools.version).toBeGreaterThan(version);
  });

  test("are tools for calls, lists and suggestions", async () => {
    const dir = await folderWith(files);
    const called = await workspaceIn(dir, { store: "memory" });
    expect(await called.engine.call("two", {})).toMatchObject({ success: true, meta: { source: "chains" } });
    const listed = await workspaceIn(dir, { store: "memory" });
    const names = new Set(listed.engine.tools.list().map(({ tool }) => tool.name));
    expect([names.has("one"), names.has("two"), names.has("bad")]).toEqual([true, true, false]);
    const mistyped = await workspaceIn(dir, { store: "memory" });
    expect(await mistyped.engine.call("twoo", {})).toMatchObject({
      error: { message: expect.stringContaining("two") },
    });
  });

  test("are reported as removed with their tool, even if they were never used", async () => {
    const dir = await folderWith({
      "tools/ask.yaml": httpRequest.replace(/^name: .*$/m, "name: ask"),
      "chains/asks.yaml": "name: asks\nsteps: [{ id: a, tool: ask, params: { url: 'https://example.com' } }]\n",
    });
    const workspace = await workspaceIn(dir, { store: "memory" });
    const reported: string[] = [];
    workspace.engine.subscribe((event) => void ("tool" in event && reported.push(event.tool)), ["tool_removed"]);
    await rm(join(dir, "tools/ask.yaml"));
    await workspace.sources.folder.reload();
    expect(reported.toSorted()).toEqual(["ask", "asks"]);
  });

  test("keep their plans when they become tools", async () => {
    const workspace = await workspaceIn(await folderWith(files), { store: "memory" });
    const plan = await workspace.loadChain("one");
    expect(workspace.engine.tools.has("one")).toBe(true);
    expect(await workspace.loadChain("one")).toBe(plan);
    expect(await workspace.loadChain("chains/one.yaml")).toBe(plan);
  });
});

test("files that hold secrets are closed to every tool of the workspace", async () => {
  const dir = await folderWith({
    "windlass.yaml": "secrets: { CRM: { file: secrets/crm.md } }\n",
    "secrets/crm.md": "the token is hunter2-hunter2",
    ".env": "TOKEN=hunter2-hunter2",
    "notes.md": "nothing to see",
  });
  const { engine } = await workspaceIn(dir);
  for (const path of ["secrets/crm.md", ".env", "secrets/../secrets/crm.md"]) {
    expect(await engine.call("read_file", { path })).toMatchObject({ success: false });
    expect(await engine.call("write_file", { path, content: "x" })).toMatchObject({ success: false });
  }
  const found = await Promise.all([
    engine.call("search_files", { query: "hunter2" }),
    engine.call("localSearch", { query: "token" }),
    engine.call("read_note", { path: "secrets/crm.md" }),
  ]);
  expect(found).toMatchObject([
    { success: true, output: { matches: [] } },
    { success: true, output: { documents: [] } },
    { success: false },
  ]);
});

test("a file is closed by its identity, not by its name", async () => {
  const dir = await folderWith({
    "windlass.yaml": "secrets: { CRM: { file: keys/notes.md } }\nvault: notes\n",
    "keys/notes.md": "hunter2-hunter2",
    "notes/notes.md": "my notes about rope",
    "notes/secrets.md": "the secret of good rope",
    "notes/.env.md": "x",
    "windlass.local.yaml": "x",
    ".npmrc": "x",
    "deploy/server.pem": "x",
  });
  const { engine } = await workspaceIn(dir);
  for (const path of ["keys/notes.md", "windlass.local.yaml", ".npmrc", "deploy/server.pem"]) {
    expect(await engine.call("read_file", { path })).toMatchObject({ error: { reason: "path_denied" } });
  }
  expect(await engine.call("read_file", { path: "notes/notes.md" })).toMatchObject({ success: true });
  expect(await engine.call("read_note", { note: "secrets.md" })).toMatchObject({
    output: { text: "the secret of good rope" },
  });
  expect(await engine.call("localSearch", { query: "rope" })).toMatchObject({
    output: { documents: [expect.anything(), expect.anything()] },
  });
});

describe("vault.watch", () => {
  const files = { "windlass.yaml": "vault: { folder: notes, watch: true }\n", "notes/a.md": "rope" };
  const found = async ({ engine }: Workspace, query: string): Promise<number> => {
    const result = await engine.call("localSearch", { query });
    return result.success ? (result.output as { documents: unknown[] }).documents.length : -1;
  };

  test("keeps the index up to date while the workspace is open", async () => {
    const dir = await folderWith(files);
    const workspace = await workspaceIn(dir, { reload: true });
    expect(await found(workspace, "rope")).toBe(1);
    // Long before an unwatched vault would be scanned again.
    for (const name of ["b", "new/c"]) {
      await writeFiles(dir, { [`notes/${name}.md`]: `sail ${name}` });
      await expect.poll(() => found(workspace, `sail ${name}`), { timeout: 5000 }).toBeGreaterThan(0);
    }
    await workspace.close();
  });

  test("is not watched if the workspace is open for one call only", async () => {
    const dir = await folderWith(files);
    const workspace = await workspaceIn(dir, { reload: false });
    expect(await found(workspace, "rope")).toBe(1);
    expect(process.getActiveResourcesInfo().filter((name) => name.startsWith("FSEvent"))).toEqual([]);
  });

  test.each([
    ["vault: { folder: ../x }\n", "outside the workspace"],
    ["vault: { watch: maybe }\n", "vault"],
    ["vault: { folders: x }\n", "vault"],
  ])("%j is refused", async (yaml, message) => {
    const dir = await folderWith({ "windlass.yaml": yaml });
    await expect(openWorkspace(dir)).rejects.toThrow(message);
  });
});

describe("a skill that is in use", () => {
  const skill =
    "---\nname: tidy\ndescription: Tidies up. Use when somebody wants it tidy.\nallowed-tools: wipe\n---\n\nWipe.\n";
  const files = (trusted: boolean): Record<string, string> => ({
    "windlass.yaml": `skills: { trust_allowed_tools: ${String(trusted)} }\npermissions: { ask: ["model:*"] }\n`,
    "skills/tidy/SKILL.md": skill,
    "tools/wipe.yaml":
      "name: wipe\ndescription: Wipes\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n",
  });
  const context = { callerType: "conversation_agent", conversationId: "c1" } as const;

  test("has its allowed-tools called without approval in its conversation, if the workspace trusts skills", async () => {
    const { engine } = await workspaceIn(await folderWith(files(true)), { store: "memory" });
    const wipe = (): ReturnType<typeof engine.call> => engine.call("wipe", { message: "x" }, context);
    expect(await wipe()).toMatchObject({ error: { code: "approval_required" } });
    await engine.call("skill", { name: "tidy" }, { conversationId: "c1" });
    expect(await wipe()).toMatchObject({ success: true, meta: { preapproved: "skill tidy" } });
    expect(await engine.call("echo", { message: "x" }, context)).toMatchObject({
      error: { code: "approval_required" },
    });
  });

  test("has nothing called without approval unless the workspace allows it", async () => {
    const { engine } = await workspaceIn(await folderWith(files(false)), { store: "memory" });
    await engine.call("skill", { name: "tidy" }, { conversationId: "c1" });
    expect(await engine.call("wipe", { message: "x" }, context)).toMatchObject({
      error: { code: "approval_required" },
    });
  });
});
