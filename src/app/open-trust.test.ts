import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import type { TrustItem } from "./trust-item.ts";
import { openWorkspace } from "./open-workspace.ts";

const code = 'import { writeFileSync } from "node:fs"; writeFileSync(new URL("../ran.trace", import.meta.url), "");';

const hostile = {
  "windlass.yaml": 'secrets: { TOKEN: { env: THE_KEY } }\nenv: [THE_KEY]\nnetwork: { allow: ["127.0.0.1:9"] }\n',
  "tools/run.yaml": "name: run\ndescription: x\nentry: { type: custom, module: ./run.mjs }\n",
  "tools/run.mjs": `${code} export default () => "done";`,
  "tools/list.yaml": "name: list\ndescription: x\neffect: read\nentry: { type: external, command: [echo, hello] }\n",
  "chains/leak.yaml":
    'name: leak\nsteps:\n  - { id: a, tool: text_stats, params: { text: "${env.THE_KEY}${secret.TOKEN}" } }\n',
};

const env = { THE_KEY: "sk-0123456789abcdef" };

async function open(dir: string, options: Parameters<typeof openWorkspace>[1] = {}) {
  const config = join(dir, "config");
  return openWorkspace(dir, { store: "memory", reload: false, env: { ...env, XDG_CONFIG_HOME: config }, ...options });
}

test("[S8] a program that opens a workspace trusts it, like import()", async () => {
  const dir = await folderWith(hostile);
  const workspace = await open(dir);
  expect(workspace.untrusted).toEqual([]);
  expect(await workspace.engine.call("run", {})).toMatchObject({ output: "done" });
  expect(workspace.engine.secrets.get("TOKEN")).toBe(env.THE_KEY);
  await workspace.close();
  expect(existsSync(join(dir, "config"))).toBe(false);
});

test('[S8] with trust: "stored", a program uses nothing of a foreign folder that was not trusted', async () => {
  const dir = await folderWith(hostile);
  const workspace = await open(dir, { trust: "stored" });
  expect(workspace.untrusted.map(({ kind }) => kind)).toEqual([
    "code",
    "command",
    "secret",
    "environment",
    "network",
    "setting",
  ]);
  for (const name of ["run", "list"]) {
    expect(await workspace.engine.call(name, {})).toMatchObject({
      error: { code: "permission_denied", reason: "not_trusted", retry: "never" },
    });
  }
  expect(workspace.engine.secrets.get("TOKEN")).toBeUndefined();
  expect(workspace.env).toEqual({});
  expect(workspace.config.network.allow).toEqual([]);
  expect(workspace.engine.redactor.text(`the key ${env.THE_KEY}`)).not.toContain(env.THE_KEY);
  expect(existsSync(join(dir, "ran.trace"))).toBe(false);
  await workspace.close();
});

test("[S8] a program may request trust: each item once, and a yes is stored", async () => {
  const dir = await folderWith(hostile);
  const requests: (readonly TrustItem[])[] = [];
  const requestTrust = (answer: boolean) => (request: { readonly undecided: readonly TrustItem[] }) => {
    requests.push(request.undecided);
    return Promise.resolve(answer);
  };
  const refused = await open(dir, { trust: "stored", requestTrust: requestTrust(false) });
  expect(refused.untrusted.length).toBe(6);
  await refused.close();
  const again = await open(dir, { trust: "stored", requestTrust: requestTrust(true) });
  expect(again.untrusted.length).toBe(6);
  await again.close();
  expect(requests.length).toBe(1);
  await writeFiles(dir, { "tools/new.yaml": "name: new\ndescription: x\nentry: { type: external, command: [id] }\n" });
  const granted = await open(dir, { trust: "stored", requestTrust: requestTrust(true) });
  expect(requests.at(-1)?.map(({ text }) => text)).toEqual(["id"]);
  expect(granted.untrusted).toEqual([]);
  expect(await granted.engine.call("list", {})).toMatchObject({ output: "hello" });
  await granted.close();
  expect(await readFile(join(dir, "config/windlass/trust.json"), "utf8")).not.toContain(env.THE_KEY);
});

test("[S8] a command or a module that appears while the workspace is open is not used without trust", async () => {
  const dir = await folderWith({ "windlass.yaml": "", "tools/list.yaml": hostile["tools/list.yaml"] });
  const workspace = await open(dir, { trust: "stored", requestTrust: () => Promise.resolve(true) });
  expect(await workspace.engine.call("list", {})).toMatchObject({ output: "hello" });
  await writeFiles(dir, {
    "tools/new.yaml": "name: new\ndescription: x\nentry: { type: external, command: [id] }\n",
    "tools/late.mjs": code,
  });
  await workspace.sources.reload();
  expect(await workspace.engine.call("new", {})).toMatchObject({ error: { reason: "not_trusted" } });
  expect(existsSync(join(dir, "ran.trace"))).toBe(false);
  expect(await workspace.engine.call("list", {})).toMatchObject({ output: "hello" });
  await workspace.close();
});

test.each([
  ["keys with escapes", 'name: x\ndescription: x\n"e\\x6etry": { type: external, "comm\\u0061nd": [id] }\n'],
  ["a list over lines", "name: x\ndescription: x\nentry:\n  type: external\n  command:\n    - id\n"],
])("[S8] a command is found behind %s", async (_how, file) => {
  const workspace = await open(await folderWith({ "tools/x.yaml": file }), { trust: "stored" });
  expect(workspace.untrusted.map(({ text }) => text)).toEqual(["id"]);
  expect(await workspace.engine.call("x", {})).toMatchObject({ error: { reason: "not_trusted" } });
  await workspace.close();
});

/** Trusts the folder as it is, then changes these files: the items that are not trusted any more. */
async function untrustedAfter(files: Readonly<Record<string, string>>, changed: Readonly<Record<string, string>>) {
  const dir = await folderWith(files);
  await (await open(dir, { trust: "stored", requestTrust: () => Promise.resolve(true) })).close();
  await writeFiles(dir, changed);
  const workspace = await open(dir, { trust: "stored" });
  const texts = workspace.untrusted.map(({ text }) => text);
  return { workspace, texts };
}

const counting = "name: count_words\ndescription: x\n";

test.each([
  ["a search path", "env: { PATH: bin }", "wc -w (with PATH=bin)"],
  ["a preloaded library", "env: { LD_PRELOAD: ./x.so, N: 1 }", "wc -w (with LD_PRELOAD=./x.so, with N=1)"],
  ["a secret", "env: { TOKEN: '${secret.TOKEN}' }", "wc -w (with TOKEN=${secret.TOKEN})"],
  ["a key in plain text", "env: { API_TOKEN: abcdefgh1 }", "wc -w (with API_TOKEN='[hidden]')"],
  ["a value with spaces", "env: { NODE_OPTIONS: '-r ./x) ' }", "wc -w (with NODE_OPTIONS='-r ./x) ')"],
  ["a folder", "cwd: sub", "wc -w (in sub)"],
  ["its input", 'stdin: "touch x\\n"', "wc -w (input 'touch x␊')"],
])("[S8] a command with %s is another command, and shown with it", async (_what, how, text) => {
  const file = (more: string): string => `${counting}entry: { type: command, command: [wc, -w]${more} }\n`;
  const { workspace, texts } = await untrustedAfter(
    { "windlass.yaml": "secrets: { TOKEN: env }", "tools/x.yaml": file(""), "sub/a": "" },
    { "tools/x.yaml": file(`, ${how}`) },
  );
  expect(texts[0]).toBe(text);
  expect(await workspace.engine.call("count_words", {})).toMatchObject({ error: { reason: "not_trusted" } });
  await workspace.close();
});

test.each([
  ["environment", { env: { NODE_OPTIONS: "--import=/x.mjs" } }, "s: node x.js (with NODE_OPTIONS=--import=/x.mjs)"],
  ["folder", { cwd: "bin" }, "s: node x.js (in bin)"],
  ["trust", { trust: "all" }, "s: node x.js (every change of its tools accepted)"],
  ["effects", { effects: { wipe: "read" } }, "s: node x.js (wipe taken as read)"],
])("[S8] an MCP server is shown with its %s", async (_what, more, text) => {
  const mcp = (entry: object): string =>
    JSON.stringify({ mcpServers: { s: { command: "node", args: ["x.js"], ...entry } } });
  const { workspace, texts } = await untrustedAfter({ "mcp.json": mcp({}) }, { "mcp.json": mcp(more) });
  expect(texts).toEqual([text]);
  await workspace.close();
});

test.each([
  ["no settings", undefined, 0],
  ["default rules", "permissions: { ask: ['model:destructive', 'mcp:destructive', 'trigger:destructive'] }", 0],
  ["no approvals for triggers", "permissions: { ask: ['model:destructive', 'mcp:destructive'] }", 1],
  ["stricter rules", "permissions: { ask: ['*'], deny: [write_file], allow: [calculator] }", 0],
  ["fewer approvals", "permissions: { ask: ['model:destructive'] }", 1],
  ["no approvals", "permissions: { ask: [] }", 1],
  ["tainted calls", "permissions: { allow: ['*', 'write_file trusted'] }", 1],
  ["editable files", "files: { editable: [tools] }", 1],
  ["skills that preapprove", "skills: { trust_allowed_tools: true }", 1],
  ["relied-on tools of agents", "agent: { trusted_tools: [web_fetch] }", 1],
  ["relied-on tools", "chains: { trusted_tools: [web_fetch] }", 1],
  ["limits and folders", "concurrency: { max_concurrent: 3 }\nvault: notes\nretention: { days: 3 }", 0],
])("[S8] only settings wider than the default need trust: %s", async (_what, settings, count) => {
  const files: Record<string, string> = settings === undefined ? {} : { "windlass.yaml": settings };
  const workspace = await open(await folderWith({ "notes/a.md": "", ...files }), { trust: "stored" });
  expect(workspace.untrusted.length).toBe(count);
  const { ask: rules = ["model:destructive"] } = workspace.config.permissions;
  expect(rules.some((rule) => rule === "model:destructive" || rule === "*")).toBe(true);
  expect(JSON.stringify(workspace.config.permissions)).not.toContain("trusted");
  await workspace.close();
});

test.each(["TOKEN", "${secret.TOKEN}"])(
  "[S8] the receiver of the key of a service is known, written as %s",
  async (key) => {
    const settings = `secrets: { TOKEN: { env: THE_KEY } }\nweather: { api_key: "${key}" }\n`;
    const dir = await folderWith({ "windlass.yaml": settings });
    const workspace = await open(dir, { trust: "stored" });
    expect(workspace.untrusted.map(({ text }) => text)).toEqual(["THE_KEY (as TOKEN) to open-meteo.com"]);
    expect(workspace.config.weather).toEqual({});
    await workspace.close();
    const trusted = await open(dir, { trust: "stored", requestTrust: () => Promise.resolve(true) });
    expect(trusted.config.weather).toEqual({ apiKey: key });
    await trusted.close();
  },
);

test("[S8] a chain reports a tool whose file has errors, even if untrusted code may have it", async () => {
  const dir = await folderWith({
    "windlass.yaml": "",
    "tools/code.mjs": code,
    "tools/broken.yaml": "name: broken\ndescription: x\nentry: { type: nonsense }\n",
    "chains/uses.yaml": "name: uses\nsteps:\n  - { id: a, tool: broken }\n",
    "chains/other.yaml": "name: other\nsteps:\n  - { id: a, tool: of_code }\n",
  });
  const workspace = await open(dir, { trust: "stored" });
  await expect(workspace.loadChain("uses")).rejects.toMatchObject({ problems: [{ code: "broken_tool" }] });
  expect((await workspace.loadChain("other")).name).toBe("other");
  await workspace.close();
});
