import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { type HostileWorkspace, hostileWorkspace, stolenKey } from "./hostile-workspace.ts";
import { type Run, folder, windlass } from "./windlass.ts";

const made: HostileWorkspace[] = [];
afterAll(() => Promise.all(made.map(({ site }) => site.close())));

async function clone(more: Readonly<Record<string, string>> = {}): Promise<HostileWorkspace> {
  const workspace = await hostileWorkspace(more);
  made.push(workspace);
  return workspace;
}

function run({ dir, env }: HostileWorkspace, words: string, input = ""): Promise<Run> {
  return windlass(words.split(" "), { cwd: dir, env, input });
}

/** Every command that opens a workspace, and what is typed into it. */
const commands: readonly (readonly [words: string, input?: string])[] = [
  ["tools"],
  ["tools show evil"],
  ["tools show cmd"],
  ["tools search evil"],
  ["tools schema cmd"],
  ["validate"],
  ["validate tools/evil.mjs tools/custom.yaml chains/steal.yaml mcp.json windlass.yaml skills"],
  ["chains"],
  ["graph steal"],
  ["doctor"],
  ["doctor --network"],
  ["run steal"],
  ["run steal --dry-run"],
  ["call evil"],
  ["call custom"],
  ["call cmd"],
  ["call send"],
  ["call thief/anything"],
  ["call calculator expression=1+1"],
  ["ask hello"],
  ["ask hello --runner llm"],
  ["chat", "hello\n"],
  ["mcp serve"],
  ["mcp list"],
  ["mcp list --connect"],
  ["mcp approve thief --yes"],
  ["mcp login thief"],
  ["skills"],
  ["skills validate"],
  ["runs"],
  ["show x"],
  ["explain x a"],
  ["resume"],
  ["resume x"],
  ["rerun x"],
  ["cancel x"],
  ["test steal --replay x"],
  ["records"],
  ["stats"],
  ["approvals"],
  ["approve x"],
  ["reject x"],
  ["prune --days 1"],
  ["completion bash"],
  ["__complete call e"],
  ["__complete run s"],
];

describe("a cloned workspace with a hostile module, server and secret", () => {
  test("[S8] no command executes, starts or sends anything before trust", async () => {
    const workspace = await clone();
    for (const [words, input] of commands) {
      await run(workspace, words, input);
      expect({ words, traces: workspace.traces() }).toEqual({ words, traces: [] });
    }
  }, 240_000);

  test("[S8] commands that need a part of the set exit with code 2 and name the command to type", async () => {
    const workspace = await clone();
    const needing = ["run steal", "call evil", "call cmd", "call send", "ask hello", "mcp serve", "mcp approve thief"];
    for (const words of needing) {
      const { code, stderr } = await run(workspace, words);
      expect({ words, code, stderr }).toEqual({ words, code: 2, stderr: expect.stringContaining("windlass trust") });
      expect(stderr).not.toContain(stolenKey);
    }
    const json = await run(workspace, "call cmd --json");
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "permission_denied", reason: "not_trusted" } });
  });

  test("[S8] a private address that windlass.yaml allows is refused as not trusted, and validate says so", async () => {
    const { env, site } = await clone();
    const fetch = `name: fetch\ndescription: F.\nentry: { type: http, url: "${site.origin}/x" }\n`;
    const cwd = await folder({
      "windlass.yaml": `network: { allow: ["127.0.0.1:${site.port}"] }\n`,
      "tools/fetch.yaml": fetch,
    });
    const call = await windlass(["call", "fetch"], { cwd, env });
    expect(call.code).toBe(2);
    expect(call.stderr).toContain(`error: not trusted: the private address 127.0.0.1:${site.port}; review`);
    expect(call.stderr).not.toContain("to network.allow");
    const validate = await windlass(["validate"], { cwd, env });
    expect(validate).toMatchObject({ code: 0, stdout: expect.stringContaining("no problems") });
    expect(validate.stderr).toContain(`the address 127.0.0.1:${site.port}`);
    const outer = await folder({});
    const chosen = await windlass(["call", "-C", cwd, "fetch"], { cwd: outer, env });
    expect(chosen.stderr.match(/`?windlass trust -C \S+/g)).toHaveLength(2);
    const trusted = await windlass(["trust", "-C", cwd], { cwd: outer, env });
    expect(trusted.stdout).toContain(`Trusted: ${cwd}\n`);
    expect(await windlass(["call", "fetch"], { cwd, env })).toMatchObject({ code: 0 });
  });

  test("[S8] doctor, skills and the commands of servers say what is not used", async () => {
    const workspace = await clone({ "skills/helper/tools/more.mjs": "export {};\n" });
    expect((await run(workspace, "doctor")).stdout).toMatch(/code next to them is not trusted, so it is not loaded/);
    expect((await run(workspace, "skills")).stderr).toMatch(/a trusted workspace loads the code next to skills/);
    const remote = '{ "mcpServers": { "remote": { "url": "https://mcp.example.com" } } }';
    await writeFile(join(workspace.dir, "mcp.json"), remote);
    const login = await run(workspace, "mcp login remote");
    expect(login).toMatchObject({ code: 2, stderr: expect.stringContaining('the MCP server "remote" is not trusted') });
    expect(await run(workspace, "mcp list --connect")).toMatchObject({ code: 2 });
    const added = await run(workspace, "mcp add other -- node x.js");
    expect(added.stderr).toContain("Added other to mcp.json. It is not trusted: review and trust the workspace with:");
    expect(added.stderr).not.toContain("Test it with");
  });

  test("[S8] mcp serve reports a command that appears and is not trusted", async () => {
    const { env } = await clone();
    const cwd = await folder({
      "windlass.yaml": "engine: { watch_for_changes: true }\n",
      "tools/one.yaml": "name: one\ndescription: One.\nentry: { type: builtin, handler: echo }\n",
    });
    let isWritten = false;
    const { stderr } = await windlass(["mcp", "serve", "--http", "--port", "0"], {
      cwd,
      env,
      onStderr: (text, kill) => {
        if (text.includes("not trusted: the command")) kill("SIGTERM");
        if (isWritten || !text.includes("serving")) return;
        isWritten = true;
        const tool = "name: two\ndescription: Two.\nentry: { type: command, command: [touch, x] }\n";
        void writeFile(join(cwd, "tools/two.yaml"), tool);
      },
    });
    expect(stderr).toContain("warning: tools/two.yaml:3:1: not trusted: the command touch x");
  });

  test("[S8] everything that needs none of the set works before trust", async () => {
    const workspace = await clone();
    expect(await run(workspace, "call calculator expression=2*21")).toMatchObject({ code: 0 });
    expect(await run(workspace, "run sum")).toMatchObject({ code: 0, stdout: "3\n" });
    expect((await run(workspace, "graph steal")).stdout).toContain("evil");
    expect(await run(workspace, "tools")).toMatchObject({ code: 0, stdout: expect.stringContaining("calculator") });
    expect(await run(workspace, "doctor")).toMatchObject({ code: 0, stdout: expect.stringContaining("not trusted") });
    expect(await run(workspace, "mcp list")).toMatchObject({ code: 0, stdout: expect.stringContaining("untrusted") });
  });

  test("[S8] validate reports code as not checked, never as an error, and still finds errors in YAML", async () => {
    const workspace = await clone({ "tools/broken.yaml": "name: broken\ndescription: x\nentry: { type: nonsense }\n" });
    const { code, stdout } = await run(workspace, "validate --json");
    const problems = JSON.parse(stdout) as { file: string; severity: string; code: string }[];
    const errors = problems.filter(({ severity }) => severity === "error").map(({ file }) => file);
    expect({ code, errors }).toEqual({ code: 2, errors: ["tools/broken.yaml"] });
    const unchecked = problems.filter((problem) => problem.code === "not_checked").map(({ file }) => file);
    for (const file of ["tools/evil.mjs", "tools/custom.yaml", "tools/cmd.yaml", "chains/steal.yaml"]) {
      expect(unchecked).toContain(file);
    }
  });

  test("[S8] trust shows the module, the server and the secret with its hosts; then everything works", async () => {
    const workspace = await clone();
    const listed = await run(workspace, "trust --list");
    expect(listed.code).toBe(0);
    expect((await run(workspace, "call evil")).code).toBe(2);
    const { code, stdout } = await run(workspace, "trust");
    expect(code).toBe(0);
    const host = `127.0.0.1:${workspace.site.port}`;
    for (const part of ["tools/evil.mjs", "touch command.trace", "thief", "touch server.trace", "HOSTILE_KEY", host]) {
      expect(stdout).toContain(part);
      expect(listed.stdout).toContain(part);
    }
    expect(await run(workspace, "call evil")).toMatchObject({ code: 0, stdout: '"done"\n' });
    expect(await run(workspace, "call custom")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call cmd")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call send")).toMatchObject({ code: 0 });
    expect(workspace.site.requests.at(-1)?.headers.authorization).toBe(stolenKey);
    await run(workspace, "mcp list --connect");
    expect(workspace.traces()).toEqual(expect.arrayContaining(["module", "custom", "command", "server"]));
  });

  test("[S8] WINDLASS_TRUST=1 and --trust trust it for one command and store nothing", async () => {
    const workspace = await clone();
    const trusted = { ...workspace, env: { ...workspace.env, WINDLASS_TRUST: "1" } };
    expect(await run(trusted, "call evil")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call evil --trust")).toMatchObject({ code: 0 });
    expect(await run(workspace, "--trust call evil")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call evil")).toMatchObject({ code: 2 });
    for (const value of ["0", "no", "false"]) {
      expect(await run({ ...workspace, env: { ...workspace.env, WINDLASS_TRUST: value } }, "call evil")).toMatchObject({
        code: 2,
      });
    }
  });
});

describe("the grant", () => {
  test("[S8] covers edited files, and not a new server, command, secret or host", async () => {
    const workspace = await clone();
    const { dir } = workspace;
    await run(workspace, "trust");
    await writeFile(
      join(dir, "tools/evil.mjs"),
      `${await readFile(join(dir, "tools/evil.mjs"), "utf8")}\nexport const other = 1;`,
    );
    expect(await run(workspace, "call evil")).toMatchObject({ code: 0 });
    await writeFile(
      join(dir, "tools/other.yaml"),
      'name: other\ndescription: x\nentry: { type: external, command: [sh, -c, "touch new.trace"] }\n',
    );
    expect(await run(workspace, "call other")).toMatchObject({ code: 2, stderr: expect.stringContaining("trust") });
    expect(await run(workspace, "call evil")).toMatchObject({ code: 0 });
    const url = workspace.site.origin.replace("127.0.0.1", "localhost");
    await writeFile(
      join(dir, "tools/elsewhere.yaml"),
      `name: elsewhere\ndescription: x\neffect: read\nentry: { type: external, url: "${url}/x", headers: { a: "\${secret.TOKEN}" } }\n`,
    );
    expect(await run(workspace, "call elsewhere")).toMatchObject({ code: 2 });
    expect(await run(workspace, "trust --list")).toMatchObject({ stdout: expect.stringContaining("localhost") });
    await run(workspace, "trust");
    expect(await run(workspace, "call other")).toMatchObject({ code: 0 });
    const mcp = JSON.stringify({ mcpServers: { second: { command: "sh", args: ["-c", "touch second.trace"] } } });
    await writeFile(join(dir, "mcp.local.json"), mcp);
    expect(await run(workspace, "call second/x")).toMatchObject({ code: 2, stderr: expect.stringContaining("trust") });
  });

  test("[S8] is stored privately, by real path, and can be revoked", async () => {
    const workspace = await clone();
    const link = join(workspace.config, "link");
    await symlink(workspace.dir, link);
    await run({ ...workspace, dir: link }, "trust");
    const file = join(workspace.config, "windlass/trust.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).not.toContain("link");
    expect(await run(workspace, "call evil")).toMatchObject({ code: 0 });
    expect(await run(workspace, "trust --revoke")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call evil")).toMatchObject({ code: 2 });
  });

  test("[S8] a damaged trust file grants nothing, and is replaced", async () => {
    const workspace = await clone();
    await mkdir(join(workspace.config, "windlass"), { recursive: true });
    for (const text of ["{", "[]", '{"version":1,"workspaces":[]}', '{"version":1,"workspaces":{"/":5}}', ""]) {
      await writeFile(join(workspace.config, "windlass/trust.json"), text);
      expect(await run(workspace, "call evil")).toMatchObject({ code: 2 });
    }
    expect(await run(workspace, "trust")).toMatchObject({ code: 0 });
    expect(await run(workspace, "call evil")).toMatchObject({ code: 0 });
  });

  test("[S8] grants by several processes at once are all stored", async () => {
    const config = await folder();
    const all = await Promise.all(
      Array.from({ length: 6 }, () => clone().then((workspace) => ({ ...workspace, config }))),
    );
    const env = { WINDLASS_TRUST: "", XDG_CONFIG_HOME: config };
    await Promise.all(all.map(({ dir }) => windlass(["trust"], { cwd: dir, env })));
    for (const { dir } of all) expect(await windlass(["call", "evil"], { cwd: dir, env })).toMatchObject({ code: 0 });
  });
});

describe("a workspace that needs no trust", () => {
  test("[S8] a folder that init made works without a prompt", async () => {
    const dir = await folder();
    const env = { WINDLASS_TRUST: "", XDG_CONFIG_HOME: join(dir, "config") };
    await windlass(["init", "mine"], { cwd: dir, env });
    const made = await windlass(["call", "greet", "name=Ada", "-C", "mine"], { cwd: dir, env });
    expect(made).toMatchObject({ code: 0, stderr: "" });
  });

  test("[S8] the package's examples run without trust", async () => {
    const env = { WINDLASS_TRUST: "", XDG_CONFIG_HOME: await folder() };
    const cwd = join(import.meta.dirname, "../../examples/harbour");
    expect(await windlass(["tools"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    const ran = await windlass(["run", "morning-report", "-i", "harbour=Hoorn"], { cwd, env });
    expect(ran).toMatchObject({ code: 0 });
  });

  test("[S8] without windlass.yaml no module is loaded, even if everything is trusted", async () => {
    const dir = await folder({ "tools/read.md": "" });
    const code = 'import { writeFileSync } from "node:fs"; writeFileSync("ran.trace", "");';
    await writeFile(join(dir, "tools/evil.mjs"), code);
    for (const value of ["", "1"]) {
      const env = { WINDLASS_TRUST: value, XDG_CONFIG_HOME: join(dir, "config") };
      expect(await windlass(["tools"], { cwd: dir, env })).toMatchObject({ code: 0 });
      expect(await windlass(["validate"], { cwd: dir, env })).toMatchObject({ code: 0 });
      await expect(stat(join(dir, "ran.trace"))).rejects.toThrow("ENOENT");
    }
  });

  test("[S8] init trusts what it wrote, and nothing that the folder had before", async () => {
    const { dir, env, traces, config } = await clone();
    await rm(join(dir, "windlass.yaml"));
    const { code, stderr } = await windlass(["init", "."], { cwd: dir, env });
    expect(code).toBe(0);
    for (const part of ["tools/evil.mjs", "touch command.trace", "thief", "windlass trust"]) {
      expect(stderr).toContain(part);
    }
    for (const words of ["tools", "call evil", "call custom", "call cmd", "call thief/anything", "run steal"]) {
      await windlass(words.split(" "), { cwd: dir, env });
    }
    expect(traces()).toEqual([]);
    expect(await windlass(["call", "greet", "name=Ada"], { cwd: dir, env })).toMatchObject({ code: 0 });
    const trust = JSON.parse(await readFile(join(config, "windlass/trust.json"), "utf8")) as { workspaces: object };
    expect(Object.values(trust.workspaces)).toMatchObject([
      { trusted: [expect.any(String), expect.any(String)], declined: [] },
    ]);
  });

  test.each([
    ["an installed package", "node_modules/windlass/"],
    ["the package of the folder itself", ""],
  ])("[S8] init does not trust code that would load a package of the folder as windlass: %s", async (_which, at) => {
    const { config, env } = await clone();
    const dir = await folder({
      [`${at}package.json`]: '{ "name": "windlass", "type": "module", "exports": "./index.mjs" }',
      [`${at}index.mjs`]: 'import { writeFileSync } from "node:fs"; writeFileSync("package.trace", "");',
    });
    const own = { ...env, XDG_CONFIG_HOME: config };
    expect(await windlass(["init", "."], { cwd: dir, env: own })).toMatchObject({ code: 0 });
    expect(await windlass(["tools"], { cwd: dir, env: own })).toMatchObject({ code: 0 });
    await expect(stat(join(dir, "package.trace"))).rejects.toThrow("ENOENT");
  });

  test("[S8] mcp add does not trust an entry that a file of the workspace completes", async () => {
    const { env } = await clone();
    const dir = await folder({
      "windlass.yaml": "",
      "mcp.local.json":
        '{ "mcpServers": { "s": { "cwd": "elsewhere", "env": { "NODE_OPTIONS": "--import=./x.mjs" } } } }',
    });
    expect(await windlass(["mcp", "add", "s", "--", "node", "x.js"], { cwd: dir, env })).toMatchObject({ code: 0 });
    expect(await windlass(["mcp", "list"], { cwd: dir, env })).toMatchObject({
      stdout: expect.stringContaining("untrusted"),
    });
    expect(await windlass(["mcp", "add", "t", "--", "node", "x.js"], { cwd: dir, env })).toMatchObject({ code: 0 });
    const { stdout } = await windlass(["mcp", "list", "--json"], { cwd: dir, env });
    expect(stdout.match(/untrusted/g)).toHaveLength(2);
    const empty = await folder({ "windlass.yaml": "" });
    expect(await windlass(["mcp", "add", "t", "--", "node", "x.js"], { cwd: empty, env })).toMatchObject({ code: 0 });
    expect(await windlass(["mcp", "list"], { cwd: empty, env })).toMatchObject({
      stdout: expect.not.stringContaining("untrusted"),
    });
  });

  test("[S8] init works if the grant cannot be stored, and says so", async () => {
    const dir = await folder({ config: "a file" });
    await chmod(join(dir, "config"), 0o400);
    const env = { WINDLASS_TRUST: "", XDG_CONFIG_HOME: join(dir, "config") };
    const { code, stderr } = await windlass(["init", "mine"], { cwd: dir, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("windlass trust") });
  });
});

describe.runIf(hasTerminal)("at a terminal", () => {
  test("[S8] the first command shows the set and prompts once; a yes is stored", async () => {
    const workspace = await clone();
    const { dir, env } = workspace;
    const first = await atTerminal("call evil", dir, "y\n", env);
    expect(first.screen).toMatch(/tools\/evil\.mjs[\s\S]*thief[\s\S]*HOSTILE_KEY[\s\S]*\[y\/N\]/);
    expect(first).toMatchObject({ code: 0 });
    const second = await atTerminal("call evil", dir, undefined, env);
    expect(second).toMatchObject({ code: 0, screen: expect.not.stringContaining("[y/N]") });
  });

  test("[S8] a no is remembered until the set changes, and the command continues without it", async () => {
    const workspace = await clone();
    const { dir, env, traces } = workspace;
    const first = await atTerminal("tools", dir, "n\n", env);
    expect(first).toMatchObject({ code: 0, screen: expect.stringContaining("calculator") });
    const second = await atTerminal("call cmd", dir, undefined, env);
    expect(second).toMatchObject({ code: 2, screen: expect.not.stringContaining("[y/N]") });
    expect(traces()).toEqual([]);
    await writeFile(
      join(dir, "tools/new.yaml"),
      "name: new\ndescription: x\nentry: { type: external, command: [id] }\n",
    );
    const third = await atTerminal("tools", dir, "y\n", env);
    expect(third.screen).toContain("[y/N]");
    expect((await atTerminal("call evil", dir, undefined, env)).code).toBe(0);
  });
});
