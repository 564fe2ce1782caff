import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { codeTool, folder, shellCommand, windlass } from "./windlass.ts";

/** A program that would run for an hour, and writes its pid to a file. */
const forever = {
  "tools/forever.yaml": `name: forever
description: For tests.
entry:
  type: external
  command: ["${process.execPath}", --eval, "fs.writeFileSync('pid', String(process.pid)); setTimeout(() => {}, 3600e3)"]
`,
};

/** The number in a file, once it exists. */
function numberIn(file: string): Promise<number> {
  return vi.waitFor(
    async () => {
      const number = Number(await readFile(file, "utf8"));
      expect(number).toBeGreaterThan(0);
      return number;
    },
    { timeout: 10_000, interval: 20 },
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.concurrent("windlass under signals", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s during a call aborts it, records it and exits with %i", async (signal, expected) => {
    const cwd = await folder(forever);
    let pid = 0;
    const { code, stderr } = await windlass(["call", "forever"], {
      cwd,
      onStart: (kill) =>
        void numberIn(join(cwd, "pid")).then((found) => {
          pid = found;
          kill(signal);
        }),
    });
    expect({ code, pid }).toEqual({ code: expected, pid: expect.any(Number) });
    expect(stderr).toContain("Cancelling");
    expect(stderr).toContain("[cancelled]");
    expect(isAlive(pid)).toBe(false);
    const { stdout } = await windlass(["records", "--json"], { cwd });
    expect(JSON.parse(stdout).records).toMatchObject([{ tool: "forever", error: { code: "cancelled" } }]);
  });

  test("a second Ctrl-C does not wait for a tool that ignores the first", async () => {
    const body = `export default (_args: object, ctx: { progress(value: unknown): void }) => {
      ctx.progress("deaf");
      return new Promise((done) => setTimeout(done, 3600e3));
    };`;
    const cwd = await folder(codeTool("deaf", body));
    let sent = 0;
    const { code, stderr } = await windlass(["call", "deaf"], {
      cwd,
      onStderr: (text, kill) => {
        if (text.includes(["deaf", "Cancelling"][sent] ?? "never")) {
          sent++;
          kill("SIGINT");
        }
      },
    });
    expect({ code, sent }).toEqual({ code: 130, sent: 2 });
    expect(stderr).not.toContain("[cancelled]");
  });

  test("a closed pipe ends the output quietly", async () => {
    const cwd = await folder();
    const script = `${shellCommand} schema tool | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { cwd });
    expect(stdout).toBe("{\n0\n");
    expect(stderr).toBe("");
  });

  test.runIf(process.platform === "linux")("output that cannot be written is a failure", async () => {
    const cwd = await folder();
    const script = `${shellCommand} schema tool > /dev/full; echo $?`;
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { cwd });
    expect(stdout).toBe("1\n");
    expect(stderr).toContain("cannot write the output");
  });
});
