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
function atTerminal(words: string, cwd: string, answer?: string | (() => Promise<string>)): Promise<Session> {
  const command = `stty cols 60 rows 24; ${shellCommand} ${words}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { cwd, env: environment });
  let screen = "";
  let answered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    if (!answered && answer !== undefined && screen.includes("[y/N]")) {
      answered = true;
      void Promise.resolve(typeof answer === "string" ? answer : answer()).then((typed) => child.stdin.write(typed));
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

  /** Makes the call where nobody can be asked; gives the id of the approval that waits. */
  async function parked(cwd: string): Promise<string> {
    const { code } = await windlass(["call", "echo", "--args", '{"message": "hi", "password": "hunter2"}'], { cwd });
    expect(code).toBe(3);
    const { stdout } = await windlass(["approvals", "--json"], { cwd });
    return JSON.parse(stdout)[0].id;
  }

  test("a rejection made while the question is open counts, whatever is typed", async () => {
    const cwd = await folder(asking);
    const id = await parked(cwd);
    const { code, screen } = await atTerminal(call, cwd, async () => {
      await windlass(["reject", id, "--by", "Grace", "--note", "not now"], { cwd });
      return "y\n";
    });
    expect(code).toBe(1);
    expect(screen.replaceAll(/\s+/g, " ")).toContain(`${id} was rejected by Grace`);
    expect(screen.split("Run it?")[1]).not.toContain('"message": "hi"');
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ id, status: "rejected", decided_by: "Grace" }]);
  });

  test("an approval given while the question is open is the one that is used", async () => {
    const cwd = await folder(asking);
    const id = await parked(cwd);
    const { code, screen } = await atTerminal(call, cwd, async () => {
      await windlass(["approve", id, "--by", "Grace"], { cwd });
      return "y\n";
    });
    expect(code).toBe(0);
    expect(screen).toContain("was approved by Grace");
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ id, status: "used", decided_by: "Grace" }]);
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
