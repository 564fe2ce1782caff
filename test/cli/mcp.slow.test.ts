import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childrenOf, runs } from "../mcp/connecting.ts";
import { folderWith, writeFiles } from "../support/workspace.ts";
import { windlass } from "./windlass.ts";

const plain = join(import.meta.dirname, "../mcp/servers/plain-server.ts");

function mcpJson(...args: string[]): Record<string, string> {
  return {
    "mcp.json": JSON.stringify({ mcpServers: { plain: { command: process.execPath, args: [plain, ...args] } } }),
  };
}

describe("windlass mcp list", () => {
  test("[C04] shows what is known without starting anything, and connects on request", async () => {
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

  test("reports problems of a server and of its entry, and hides secrets", async () => {
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

  test("[F18] exits with 1 if an entry is broken, although all other servers work", async () => {
    const cwd = await folderWith({ "windlass.yaml": "" });
    await writeFiles(cwd, { "mcp.json": JSON.stringify({ mcpServers: { odd: { command: 5 } } }) });
    for (const more of [[], ["--json"]]) {
      const run = await windlass(["mcp", "list", "--connect", ...more], { cwd });
      expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining("broken") as string });
    }
    // Without --connect nothing is checked, only listed.
    expect(await windlass(["mcp", "list"], { cwd })).toMatchObject({ code: 0 });
  });

  test("an unknown word gets a suggestion, and an empty list says how to add a server", async () => {
    const cwd = await folderWith({ "windlass.yaml": "" });
    expect(await windlass(["mcp", "lits"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("windlass mcp list"),
    });
    expect((await windlass(["mcp"], { cwd })).stderr).toContain("mcp add");
  });
});

describe("windlass mcp add and remove", () => {
  test("add and remove an entry, with the whole command line shown", async () => {
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

describe("stored configuration", () => {
  test("keys are redacted in the added entry and in the lines around a problem", async () => {
    const cwd = await folderWith({ "windlass.yaml": "" });
    const url = "https://me:pass-word-1@example.com/mcp";
    const added = await windlass(["mcp", "add", "docs", "--url", url, "--header", "X-Odd=odd-header-value"], { cwd });
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("docs is at https://example.com/mcp") });
    expect(added.stderr).toContain("warning: its address contains a key");
    const lost = await windlass(["mcp", "add", "lost", "--url", url, "--header", "no-pair-here"], { cwd });
    expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining("--header takes KEY=VALUE") });
    const text = readFileSync(join(cwd, "mcp.json"), "utf8");
    await writeFiles(cwd, { "mcp.json": text.replace('"headers"', '"tiemout": 1,\n      "headers"') });
    for (const words of [["mcp"], ["validate"]]) {
      const reported = await windlass(words, { cwd });
      expect(reported.stderr).toContain('unknown key "tiemout"');
      expect(reported.stdout + reported.stderr).not.toContain("pass-word-1");
    }
    const shown = [added, lost, await windlass(["mcp"], { cwd })].map(({ stdout, stderr }) => stdout + stderr).join("");
    expect(shown).not.toMatch(/pass-word-1|odd-header-value|no-pair-here/);
  });

  test("a link stays a link, and a path that is not a file does not block", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", "shared.json": "{}" });
    symlinkSync("shared.json", join(cwd, "mcp.json"));
    expect(await windlass(["mcp", "add", "files", "--", "x"], { cwd })).toMatchObject({ code: 0 });
    expect(lstatSync(join(cwd, "mcp.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "shared.json"), "utf8")).toContain('"files"');
    rmSync(join(cwd, "shared.json"));
    expect(await windlass(["mcp", "add", "files", "--", "x"], { cwd })).toMatchObject({ code: 2 });
    rmSync(join(cwd, "mcp.json"));
    execFileSync("mkfifo", [join(cwd, "mcp.json")]);
    const list = await windlass(["mcp"], { cwd });
    expect(list.stderr).toContain("the file cannot be read: it is not a regular file");
    expect(await windlass(["mcp", "add", "files", "--", "x"], { cwd })).toMatchObject({ code: 2 });
    expect(await windlass(["tools"], { cwd })).toMatchObject({ code: 0 });
  });

  test("logins are removed with the server, or separately", async () => {
    const login = (server: string): string => JSON.stringify({ server, url: "https://x/mcp", tokens: {} });
    const cwd = await folderWith({
      "windlass.yaml": "",
      "mcp.json": JSON.stringify({ mcpServers: { docs: { url: "https://x/mcp" }, mail: { url: "https://x/mcp" } } }),
      ".windlass/mcp/auth/1.json": login("docs"),
      ".windlass/mcp/auth/2.json": login("mail"),
      ".windlass/mcp/auth/3.json": "{",
    });
    expect(await windlass(["mcp", "remove", "docs"], { cwd })).toMatchObject({ code: 0 });
    const left = (): string[] => readdirSync(join(cwd, ".windlass/mcp/auth")).toSorted();
    expect(left()).toEqual(["2.json", "3.json"]);
    const out = await windlass(["mcp", "logout", "mail"], { cwd });
    expect(out).toMatchObject({ code: 0, stderr: expect.stringContaining("Removed the login") });
    expect(left()).toEqual(["3.json"]);
    expect((await windlass(["mcp", "logout", "mail"], { cwd })).stderr).toContain("no login");
  });
});

test("a broken tool reserves its name, and a server receives no calls for it", async () => {
  const cwd = await folderWith({ "windlass.yaml": "", "tools/say.yaml": "name: [say", ...mcpJson() });
  await windlass(["mcp", "list", "--connect"], { cwd });
  for (const name of ["say", "skill", "read_result"]) {
    const called = await windlass(["call", name, "--args", '{"message":"SECRET"}'], { cwd });
    expect(called.code).not.toBe(0);
    expect(called.stdout).not.toContain("SECRET");
  }
  expect(await windlass(["call", "plain/echo", "--args", '{"message":"x"}'], { cwd })).toMatchObject({
    code: 0,
    stdout: '"x"\n',
  });
});

test("a rejected tool says why, also by its short name", async () => {
  const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
  await windlass(["mcp", "list", "--connect"], { cwd });
  await writeFiles(cwd, mcpJson("banner"));
  const called = await windlass(["call", "say", "message=x"], { cwd });
  expect(called.code).not.toBe(0);
  expect(called.stderr).toContain("windlass mcp approve plain");
});

test("doctor reports servers and their files under mcp, each with its reason", async () => {
  const cwd = await folderWith({
    "windlass.yaml": "",
    "mcp.json": JSON.stringify({
      mcpServers: { odd: { command: "${NOT_SET_ANYWHERE}" }, npx: { command: "npx", args: ["pkg"] } },
    }),
  });
  const { stdout } = await windlass(["doctor", "--json"], { cwd });
  const { findings } = JSON.parse(stdout) as { findings: { about: string; status: string; message: string }[] };
  expect(findings).toContainEqual(
    expect.objectContaining({ about: "mcp odd", status: "fail", message: expect.stringContaining("NOT_SET_ANYWHERE") }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({ about: "mcp", status: "warn", message: expect.stringContaining("no exact version") }),
  );
  expect(findings.filter(({ about }) => about === "chains")).toHaveLength(1);
  expect(findings.filter(({ message }) => message.includes("NOT_SET_ANYWHERE"))).toHaveLength(1);
});

test("programs left by an earlier process are stopped when the next command ends", async () => {
  const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
  const stateDir = join(cwd, ".windlass");
  const program = join(import.meta.dirname, "../mcp/connecting-child.ts");
  const holder = spawn(process.execPath, [program, stateDir, "stubborn"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  const pids = childrenOf(stateDir);
  expect(pids.length).toBeGreaterThan(0);
  holder.kill("SIGKILL");
  await once(holder, "close");
  expect(await windlass(["tools"], { cwd })).toMatchObject({ code: 0 });
  expect(pids.filter(runs)).toEqual([]);
});

describe("windlass mcp approve", () => {
  test("shows the changes, and approves them on confirmation", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
    await windlass(["mcp", "list", "--connect"], { cwd });
    expect(await windlass(["mcp", "approve", "plain"], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("No tool of plain needs approval"),
    });
    await writeFiles(cwd, mcpJson("banner"));
    const list = await windlass(["mcp"], { cwd });
    expect(list.stdout).toMatch(/plain +changed/);
    expect(list.stderr).toContain("windlass mcp approve plain");
    expect(list.stderr.match(/changed since it was approved/g)).toHaveLength(1);
    const shown = await windlass(["mcp", "approve", "plain"], { cwd });
    expect(shown).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/- command: .*plain-server\.ts\n {2}\+ command: .*banner\n {4}trust: first/),
    });
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

  test("shows every changed part, and no secret", async () => {
    const entry = (env: object): string =>
      JSON.stringify({ mcpServers: { plain: { command: process.execPath, args: [plain], env } } });
    const cwd = await folderWith({ "windlass.yaml": "", "mcp.json": entry({ API_KEY: "the-first-key" }) });
    await windlass(["mcp", "list", "--connect"], { cwd });
    await writeFiles(cwd, { "mcp.json": entry({ API_KEY: "the-second-key", NODE_OPTIONS: "--no-warnings" }) });
    const shown = await windlass(["mcp", "approve", "plain"], { cwd });
    expect(shown).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /- env\.API_KEY: \[.*\]\n {2}\+ env\.API_KEY: \[.*\] \(changed\)\n {2}\+ env\.NODE_OPTIONS: --no-warnings/,
      ),
    });
    expect(shown.stdout + shown.stderr).not.toMatch(/the-(?:first|second)-key/);
  });

  test("login is for remote servers", async () => {
    const cwd = await folderWith({ "windlass.yaml": "", ...mcpJson() });
    expect(await windlass(["mcp", "login", "plain"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs no login"),
    });
  });
});
