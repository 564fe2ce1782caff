import { describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { folder, windlass } from "./windlass.ts";

describe.runIf(hasTerminal).concurrent("windlass at a terminal", () => {
  const asking = {
    "windlass.yaml": 'permissions: { ask: ["echo"] }\nsecrets: { KEY: { file: key } }\n',
    key: "very-secret-value",
  };
  const call = 'call echo --args \'{"message": "hi", "password": "hunter2", "note": "very-secret-value"}\'';

  test("asks, without secrets that are known; yes runs the call once and keeps who approved it", async () => {
    const cwd = await folder(asking);
    const { code, screen } = await atTerminal(call, cwd, "y\n");
    expect(code).toBe(0);
    expect(screen).toContain("Run it? [y/N]");
    expect(screen.split("Run it?")[0]).toContain("[redacted]");
    expect(screen.split("Run it?")[0]).not.toContain("very-secret");
    expect(screen.split("Run it?")[0]).toContain('"password": "hunter2"');
    expect(screen.split("Run it?")[1]).toContain('"message": "hi"');
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ tool: "echo", status: "used", decided_by: expect.any(String) }]);
  });

  test("no, or Enter alone, ends the call and leaves nothing that waits", async () => {
    const cwd = await folder(asking);
    const { code, screen } = await atTerminal(call, cwd, "\n");
    expect(code).toBe(1);
    expect(screen).toMatch(/declined at the\s+terminal/);
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  /** Makes the call where nobody can be asked; gives the id of the approval that waits. */
  async function parked(cwd: string): Promise<string> {
    const { code } = await windlass(
      ["call", "echo", "--args", '{"message": "hi", "password": "hunter2", "note": "very-secret-value"}'],
      { cwd },
    );
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
