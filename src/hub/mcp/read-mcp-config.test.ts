import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { folderWith, writeFiles } from "../../../test/support/workspace.ts";
import { unpinnedPackage } from "./format-command.ts";
import type { ExpandDeps } from "./expand-text.ts";
import { type McpConfig, readMcpConfig } from "./read-mcp-config.ts";

const world: Omit<ExpandDeps, "dir"> = {
  env: { HOME: "/home/me", PORT: "8080", PRIVATE: "p" },
  allowedEnv: ["PORT", "UNSET"],
  secrets: { get: (name) => (name === "KEY" ? "s3cret-value" : undefined), hint: () => "set the variable" },
  secretNames: ["KEY", "EMPTY"],
};

async function config(value: unknown, local?: unknown): Promise<McpConfig & { readonly dir: string }> {
  const text = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input, null, 2));
  const dir = await folderWith({ "mcp.json": text(value) });
  if (local !== undefined) await writeFiles(dir, { "mcp.local.json": text(local) });
  return { ...readMcpConfig({ dir, ...world }), dir };
}

describe("[C04] the forms people have", () => {
  test("Claude Desktop", async () => {
    const { servers, problems, dir } = await config({
      mcpServers: {
        files: { command: "node", args: ["server.js", "a b", ";rm -rf /", "$(id)"], env: { MODE: "x", N: 3 } },
      },
    });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      {
        name: "files",
        address: {
          kind: "stdio",
          command: "node",
          args: ["server.js", "a b", ";rm -rf /", "$(id)"],
          env: { MODE: "x", N: "3" },
          cwd: dir,
        },
        display: "node server.js 'a b' ';rm -rf /' '$(id)'",
        trust: "first",
        position: { file: "mcp.json", line: 3 },
      },
    ]);
  });

  test("Cursor", async () => {
    const { servers, problems } = await config({
      mcpServers: {
        remote: { url: "https://example.com/${env:PORT}/mcp", headers: { Authorization: "Bearer ${secret.KEY}" } },
        local: { type: "stdio", command: "${userHome}/bin/serve", args: ["${workspaceFolder}${/}x"] },
      },
    });
    expect(problems).toEqual([]);
    expect(servers[0]).toMatchObject({
      address: { kind: "http", url: "https://example.com/8080/mcp", headers: { Authorization: "Bearer s3cret-value" } },
      display: "https://example.com/${env:PORT}/mcp",
    });
    expect(servers[1]?.address).toMatchObject({
      command: "/home/me/bin/serve",
      args: [expect.stringMatching(/.\/x$/)],
    });
    expect(JSON.stringify(servers.map(({ display, identity }) => [display, identity]))).not.toContain("s3cret");
  });

  test("VS Code, whose inputs are refused with a hint what to do", async () => {
    const { servers, problems, unused } = await config(`{
  // as the editor writes it
  "servers": {
    "web": { "type": "http", "url": "https://example.com/mcp", },
    "git": { "type": "stdio", "command": "git-mcp", "env": { "TOKEN": "\${input:git-token}" } },
  },
  "inputs": [{ "type": "promptString", "id": "git-token", "password": true }],
}`);
    expect(servers.map(({ name }) => name)).toEqual(["web"]);
    const fault = "${input:git-token} is a prompt of an editor, and there is no prompt here";
    expect(unused).toEqual([{ name: "git", why: "broken", display: "git-mcp", fault }]);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "input_variable",
        line: 5,
        column: 72,
        hint: expect.stringContaining("${secret.GIT_TOKEN}"),
      },
    ]);
  });

  test.each(["sse", "http", "streamable-http", "streamableHttp"])("type %s needs a url", async (type) => {
    const { servers, problems } = await config({
      mcpServers: { a: { type, url: "http://x" }, b: { type, command: "x" } },
    });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    expect(problems).toMatchObject([{ code: "missing_key", message: '"b" needs a "url"' }]);
  });

  test("other names of the same things, and things that mean nothing here", async () => {
    const { servers, problems } = await config({
      mcpServers: { a: { serverUrl: "https://x", alwaysAllow: ["y"], description: "d", tiemout: 3, autoApprove: [] } },
    });
    expect(servers[0]?.address).toMatchObject({ kind: "http", url: "https://x" });
    expect(problems).toMatchObject([
      { severity: "warning", message: '"alwaysAllow" is not used here', hint: expect.stringContaining("permissions") },
      { severity: "warning", message: 'unknown key "tiemout"', hint: 'did you mean "timeout"?' },
      { severity: "warning", message: '"autoApprove" is not used here' },
    ]);
  });

  test("a missing file gives no servers", () => {
    expect(readMcpConfig({ dir: "/nowhere", ...world })).toMatchObject({ servers: [], problems: [] });
  });
});

describe("precedence", () => {
  test("mcp.local.json: another way to reach a server replaces the entry, settings are changed one by one", async () => {
    const base = { command: "x", args: ["1"], env: { A: "1" } };
    const { servers, unused } = await config(
      { mcpServers: { a: base, b: base, c: base, d: base } },
      {
        mcpServers: {
          a: { disabled: true },
          b: { env: { A: "2" } },
          c: { url: "https://x" },
          e: { command: "only-here" },
        },
      },
    );
    expect(unused).toEqual([{ name: "a", why: "disabled", display: "x 1" }]);
    expect(servers.map(({ name, address }) => [name, address.kind])).toEqual([
      ["b", "stdio"],
      ["c", "http"],
      ["d", "stdio"],
      ["e", "stdio"],
    ]);
    expect(servers[0]?.address).toMatchObject({ command: "x", env: { A: "2" } });
    expect(servers[0]?.position.file).toBe("mcp.local.json");
  });
});

describe("settings that only Windlass has", () => {
  test("are read", async () => {
    const { servers, problems } = await config({
      mcpServers: {
        a: {
          command: "x",
          timeout: 90,
          tools: { allow: ["r*"], deny: ["rm"] },
          effects: { read: "read" },
          capabilities: { search: ["search"] },
          trust: "ask",
        },
      },
    });
    expect(problems).toEqual([]);
    expect(servers[0]).toMatchObject({
      timeoutMs: 90_000,
      tools: { allow: ["r*"], deny: ["rm"] },
      effects: { read: "read" },
      capabilities: { all: [], byTool: { search: ["search"] } },
      trust: "ask",
    });
  });

  test.each<[unknown, string, string]>([
    [{ command: "x", timeout: -1 }, "bad_value", "above 0"],
    [{ command: "x", effects: { a: "reed" } }, "bad_value", "one of pure, read"],
    [{ command: "x", args: "-y" }, "wrong_type", "a list"],
    [{ command: "x", args: [1] }, "wrong_type", "must be text"],
    [{ command: "x", trust: true }, "bad_value", "first, ask, all"],
    [{ command: "x", tools: { allows: [] } }, "unknown_key", "allows"],
    [{ command: "x", url: "https://x" }, "two_addresses", "a command and a url"],
    [{ args: ["x"] }, "missing_key", 'a "command" or a "url"'],
    [{ url: "file:///etc/passwd" }, "bad_url", "https://"],
    [{ url: "nonsense" }, "bad_url", "https://"],
    ["x", "wrong_type", "must be a map"],
    [{ command: "${secret.KYE}" }, "unknown_secret", "names no secret"],
    [{ command: "${secret.EMPTY}" }, "secret_missing", "has no value"],
    [{ command: "${env.PRIVATE}" }, "env_not_allowed", "PRIVATE"],
    [{ command: "${PRIVATE}" }, "env_not_allowed", "PRIVATE"],
    [{ command: "${env.UNSET}" }, "env_missing", "not set"],
    [{ command: "${command:run}" }, "unknown_variable", "belongs to an editor"],
    [{ command: "${a b}" }, "unknown_variable", "nothing that can be filled in"],
  ])("%j is refused, and the others stay", async (entry, code, message) => {
    const { servers, problems } = await config({ mcpServers: { bad: entry, good: { command: "y" } } });
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: "error", code, message: expect.stringContaining(message), file: "mcp.json" }),
    );
  });

  test("common environment variables need no permission, in any notation", async () => {
    const args = ["${env:HOME}", "${HOME}/x", "${env.HOME}", "${USER:-nobody}"];
    const { servers, problems } = await config({ mcpServers: { a: { command: "x", args } } });
    expect(problems).toEqual([]);
    expect(servers[0]?.address).toMatchObject({ args: ["/home/me", "/home/me/x", "/home/me", "nobody"] });
  });

  test.each([
    ["PRIVATE", /^add PRIVATE to `env` .*secrets/],
    ["GITHUB_TOKEN", /^add GITHUB_TOKEN to `secrets` .*`env`/],
    ["KEY", /write \$\{secret\.KEY\}$/],
  ])("the hint for %s suggests the likelier fix first", async (name, hint) => {
    const { problems } = await config({ mcpServers: { a: { command: "x", args: [`\${env:${name}}`] } } });
    expect(problems).toMatchObject([{ code: "env_not_allowed", hint: expect.stringMatching(hint) }]);
  });

  test("an expanded value is not expanded again", async () => {
    const dir = await folderWith({ "mcp.json": JSON.stringify({ mcpServers: { a: { command: "${env.X}" } } }) });
    const inner = { ...world, env: { X: "${secret.KEY}" }, allowedEnv: ["X"] };
    expect(readMcpConfig({ dir, ...inner }).servers[0]?.address).toMatchObject({ command: "${secret.KEY}" });
  });

  test("a default value, if the variable is not set", async () => {
    const { servers } = await config({ mcpServers: { a: { command: "${UNSET:-x}", args: ["${NOT_ALLOWED:-y}"] } } });
    expect(servers[0]?.address).toMatchObject({ command: "x", args: ["y"] });
  });

  test("keys in the file are known, so that they can be hidden", async () => {
    const { secretValues } = await config({
      mcpServers: {
        a: { command: "x", env: { API_KEY: "abcdefgh1234", DEBUG: "true-and-long" } },
        b: { url: "https://x", headers: { Authorization: "Bearer zyxwvuts9876" } },
      },
    });
    expect(secretValues).toEqual(["abcdefgh1234", "abcdefgh1234", "Bearer zyxwvuts9876", "zyxwvuts9876"]);
  });

  test("a renewed secret does not change the identity of a server, another variable does", async () => {
    const entry = { mcpServers: { a: { command: "x", env: { K: "${secret.KEY}" } } } };
    const { dir, servers } = await config(entry);
    const renewed = readMcpConfig({ dir, ...world, secrets: { get: () => "another" } });
    expect(renewed.servers[0]?.identity).toBe(servers[0]?.identity);
    await writeFiles(dir, {
      "mcp.json": JSON.stringify({ mcpServers: { a: { command: "x", env: { NODE_OPTIONS: "-r evil" } } } }),
    });
    expect(readMcpConfig({ dir, ...world }).servers[0]?.identity).not.toBe(servers[0]?.identity);
  });

  test("names that tools cannot have are changed with a notice, and do not clash", async () => {
    const { servers, problems } = await config({
      mcpServers: {
        "my server": { command: "x" },
        my_server: { command: "y" },
        tools: { command: "z" },
        日本: { command: "w" },
      },
    });
    expect(servers.map(({ name }) => name)).toEqual(["my_server", "日本"]);
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual([
      ["warning", "renamed"],
      ["error", "bad_name"],
      ["error", "bad_name"],
    ]);
  });

  test("a secret on a command line, a command with spaces and milliseconds are warned about", async () => {
    const { problems, servers } = await config({
      mcpServers: {
        a: { command: "x", args: ["--key=${secret.KEY}"] },
        b: { command: "npx -y thing", timeout: 60_000 },
      },
    });
    expect(servers).toHaveLength(2);
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual([
      ["warning", "secret_in_args"],
      ["warning", "command_line"],
      ["warning", "long_timeout"],
    ]);
    expect(problems[1]?.hint).toBe('write "command": "npx", "args": ["-y","thing"]');
    expect(JSON.stringify(problems)).not.toContain("s3cret");
  });
});

describe("files that cannot be used", () => {
  test.each<[string, string, number]>([
    ['{ "mcpServers": { "a": { "command": "x" } ', "json_syntax", 43],
    ["[]", "wrong_type", 1],
    ['{ "mcpServers": [] }', "wrong_type", 17],
  ])("%s", async (text, code, column) => {
    const { servers, problems } = await config(text);
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ severity: "error", code, line: 1, column }]);
  });

  test("servers without their key are warned about", async () => {
    const { problems } = await config({ files: { command: "x" }, mcpServer: {} });
    expect(problems).toMatchObject([
      { severity: "warning", hint: 'servers stand under the key "mcpServers"' },
      { severity: "warning", hint: 'did you mean "mcpServers"?' },
    ]);
  });
});

interface Row {
  readonly area: string;
  readonly input: { readonly command: string; readonly args: readonly string[] };
  readonly expected: string;
}

const rows = (
  JSON.parse(readFileSync(new URL("../../../test/data/bad-inputs.json", import.meta.url), "utf8")) as Row[]
).filter(({ area }) => area === "mcp-stdio");

describe("packages without an exact version", () => {
  test("there are rows to hold", () => expect(rows.length).toBeGreaterThan(0));

  test.each(rows)("$expected", async ({ input }) => {
    const { servers, problems } = await config({ mcpServers: { a: input } });
    expect(servers).toHaveLength(1);
    expect(problems).toMatchObject([{ severity: "warning", code: "unpinned_package" }]);
    expect(problems[0]?.message).toContain([input.command, ...input.args].join(" "));
    expect(problems[0]?.hint).toContain(`${input.args.at(-1)}@1.2.3`);
  });

  test.each([
    ["npx", ["-y", "pkg"], "pkg@1.2.3"],
    ["npx", ["-y", "@scope/pkg"], "@scope/pkg@1.2.3"],
    ["npx", ["--yes", "pkg@latest"], "pkg@1.2.3"],
    ["npx", ["pkg@^1.2.3"], "pkg@1.2.3"],
    ["npx", ["-p", "pkg", "bin"], "pkg@1.2.3"],
    ["npx", ["--package=@s/pkg@1", "bin"], "@s/pkg@1.2.3"],
    ["C:\\node\\npx.cmd", ["pkg"], "pkg@1.2.3"],
    ["cmd", ["/c", "npx", "-y", "pkg"], "pkg@1.2.3"],
    ["pnpm", ["dlx", "pkg"], "pkg@1.2.3"],
    ["bunx", ["pkg"], "pkg@1.2.3"],
    ["uvx", ["pkg"], "pkg==1.2.3"],
    ["uvx", ["--python", "3.12", "--from", "pkg>=1", "bin"], "pkg==1.2.3"],
    ["docker", ["run", "-i", "--rm", "-e", "KEY", "mcp/thing"], "mcp/thing@sha256:…"],
    ["docker", ["run", "mcp/thing:latest"], "mcp/thing@sha256:…"],
  ])("%s %j", (command, args, pinned) => {
    expect(unpinnedPackage(command, args)?.pinned).toBe(pinned);
  });

  test.each([
    ["npx", ["-y", "pkg@1.2.3"]],
    ["npx", ["@scope/pkg@1.2.3-beta.1", "more", "words"]],
    ["npx", ["./local"]],
    ["uvx", ["pkg==1.2.3"]],
    ["uvx", ["--from", "pkg@1.2", "bin"]],
    ["docker", ["run", "-v", "/a:/b", "mcp/thing:2.0"]],
    ["docker", ["run", "mcp/thing@sha256:abc"]],
    ["node", ["server.js"]],
    ["npx", []],
  ])("%s %j is exact, or fetches nothing", (command, args) => {
    expect(unpinnedPackage(command, args)).toBeUndefined();
  });
});
