import { describe, expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

describe.runIf(hasTerminal).concurrent("windlass at a terminal", () => {
  const request = {
    "windlass.yaml": 'permissions: { ask: ["mirror"] }\nsecrets: { KEY: { file: key } }\n',
    key: "very-secret-value",
    ...codeTool(
      "mirror",
      "export default (args: object) => args;",
      "parameters: [{ name: message, type: string }, { name: password, type: string }, { name: note, type: string }]",
    ),
  };
  const call = 'call mirror --args \'{"message": "hi", "password": "hunter2", "note": "very-secret-value"}\'';

  test("prompts, with known secrets redacted; yes runs the call once and records the approver", async () => {
    const cwd = await folder(request);
    const { code, screen } = await atTerminal(call, cwd, "y\n");
    expect(code).toBe(0);
    expect(screen).toContain("Run it? [y/N]");
    expect(screen.split("Run it?")[0]).toContain("[redacted]");
    expect(screen.split("Run it?")[0]).not.toContain("very-secret");
    expect(screen.split("Run it?")[0]).toContain('"password": "hunter2"');
    expect(screen.split("Run it?")[1]).toContain('"message": "hi"');
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ tool: "mirror", status: "used", decided_by: expect.any(String) }]);
  });

  test("no, or Enter alone, ends the call and leaves nothing pending", async () => {
    const cwd = await folder(request);
    const { code, screen } = await atTerminal(call, cwd, "\n");
    expect(code).toBe(1);
    expect(screen).toMatch(/rejected\s+at\s+the\s+terminal/);
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  /** Makes the call without an approver; returns the id of the pending approval. */
  async function suspended(cwd: string): Promise<string> {
    const { code } = await windlass(
      ["call", "mirror", "--args", '{"message": "hi", "password": "hunter2", "note": "very-secret-value"}'],
      { cwd },
    );
    expect(code).toBe(3);
    const { stdout } = await windlass(["approvals", "--json"], { cwd });
    return JSON.parse(stdout)[0].id;
  }

  test("a rejection made while the prompt is open counts, regardless of what is typed", async () => {
    const cwd = await folder(request);
    const id = await suspended(cwd);
    const { code, screen } = await atTerminal(call, cwd, async () => {
      await windlass(["reject", id, "--by", "Grace", "--note", "not now"], { cwd });
      return "y\n";
    });
    expect(code).toBe(1);
    expect(screen.replaceAll(/\s+/g, " ")).toContain(`${id} was rejected by Grace`);
    expect(screen.replaceAll(/\s+/g, " ")).toContain("a person rejected this call of mirror: not now");
    expect(screen.split("Run it?")[1]).not.toContain('"message": "hi"');
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ id, status: "rejected", decided_by: "Grace" }]);
  });

  test("an approval given while the prompt is open is the one that is used", async () => {
    const cwd = await folder(request);
    const id = await suspended(cwd);
    const { code, screen } = await atTerminal(call, cwd, async () => {
      await windlass(["approve", id, "--by", "Grace"], { cwd });
      return "y\n";
    });
    expect(code).toBe(0);
    expect(screen).toContain("was approved by Grace");
    const { stdout } = await windlass(["approvals", "--all", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ id, status: "used", decided_by: "Grace" }]);
  });

  test("Ctrl-C at the prompt exits with 130", async () => {
    const { code, screen } = await atTerminal(call, await folder(request), "\u0003");
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
