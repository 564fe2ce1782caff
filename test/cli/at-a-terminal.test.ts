import { execFileSync, spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { environment, folder, shellCommand, windlass } from "./windlass.ts";

/** `script` of util-linux gives a program a terminal. */
const hasTerminal =
  process.platform === "linux" &&
  (() => {
    try {
      return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
    } catch {
      return false;
    }
  })();

interface Session {
  readonly code: number | null;
  /** What the person saw, both streams. */
  readonly screen: string;
}

/** Runs the program at a terminal of 60 columns, and types an answer when it asks. */
function atTerminal(words: string, cwd: string, answer?: string): Promise<Session> {
  const command = `stty cols 60 rows 24; ${shellCommand} ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { cwd, env: environment });
  let screen = "";
  let answered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (!answered && answer !== undefined && screen.includes("[y/N]")) {
      answered = true;
      child.stdin.write(answer);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen: screen.replaceAll("\r\n", "\n") }));
  });
}

describe.runIf(hasTerminal).concurrent("windlass at a terminal", () => {
  const asking = { "windlass.yaml": 'permissions: { ask: ["echo"] }\n' };
  const call = 'call echo --args \'{"message": "hi", "password": "hunter2"}\'';

  test("asks, without secrets; yes runs the call once and keeps who approved it", async () => {
    const cwd = await folder(asking);
    const { code, screen } = await atTerminal(call, cwd, "y\n");
    expect(code).toBe(0);
    expect(screen).toContain("Run it? [y/N]");
    expect(screen.split("Run it?")[0]).toContain("[redacted]");
    expect(screen.split("Run it?")[0]).not.toContain("hunter2");
    expect(screen.split("Run it?")[1]).toContain('"message": "hi"');
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ tool: "echo", status: "used", decided_by: expect.any(String) }]);
  });

  test("no, or anything else, ends the call and leaves nothing that waits", async () => {
    const cwd = await folder(asking);
    const { code, screen } = await atTerminal(call, cwd, "\n");
    expect(code).toBe(1);
    expect(screen).toContain("declined at the terminal");
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test("Ctrl-C at the question ends with 130", async () => {
    const { code, screen } = await atTerminal(call, await folder(asking), "\u0003");
    expect(code).toBe(130);
    expect(screen).toContain("[cancelled]");
  });

  test("tables fit the terminal and are painted", async () => {
    const { screen } = await atTerminal("tools", await folder());
    // oxlint-disable-next-line no-control-regex
    const plain = screen.replaceAll(/\u001b\[[\d;]*m/g, "");
    expect(plain).not.toBe(screen);
    expect(plain).toContain("…");
    expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
