import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { processIdentity } from "../../src/base/index.ts";
import { childrenOf, connecting, runs, testServer } from "./connecting.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process that holds servers; each has started a program in its group, and one in a separate group. */
async function holder(stateDir: string, ...modes: string[]): Promise<{ process: ChildProcess; left: number[] }> {
  const program = join(import.meta.dirname, "connecting-child.ts");
  const child = spawn(process.execPath, [program, stateDir, ...modes], { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { process: child, left: JSON.parse(line) as number[] };
}

describe("servers of a killed process", () => {
  test("servers that exit at the end of their input end within 2 s, the rest at the next start", async () => {
    const { stateDir, connector, reported } = connecting({ limits: { endMs: 60_000 } });
    const held = await holder(stateDir, "good", "stubborn");
    const files = readdirSync(join(stateDir, "mcp", "children"));
    const pidOf = (server: string): number => {
      const file = files.find((name) =>
        readFileSync(join(stateDir, "mcp", "children", name), "utf8").includes(`"${server}"`),
      );
      return Number.parseInt(file ?? "", 10);
    };
    const [good, stubborn] = [pidOf("good"), pidOf("stubborn")];
    held.process.kill("SIGKILL");
    await expect.poll(() => runs(good), { timeout: 2_000 }).toBe(false);
    expect(runs(stubborn)).toBe(true);
    // The programs that a server has started are left in both cases.
    expect(held.left.map(runs)).toEqual([true, true, true, true]);
    // Killed immediately: their grace period is over.
    await connector.reap();
    // The system needs a moment to end a process that was killed.
    await expect.poll(() => [stubborn, ...held.left].filter(runs), { timeout: 2_000 }).toEqual([]);
    expect(childrenOf(stateDir)).toEqual([]);
    expect(
      reported.lines.filter((line) => line.includes("that was still running from an earlier process")),
    ).toHaveLength(2);
  });

  test("on its own terms, servers are ended with it", async () => {
    const { stateDir, connector } = connecting({ limits: { endMs: 200 } });
    const held = await holder(stateDir, "good");
    const [pid] = childrenOf(stateDir);
    held.process.kill("SIGTERM");
    await expect.poll(() => runs(pid!), { timeout: 2_000 }).toBe(false);
    await connector.reap();
    await expect.poll(() => held.left.filter(runs), { timeout: 2_000 }).toEqual([]);
  });
});

describe("processes that belong to others stay untouched", () => {
  test("servers of a running process", async () => {
    const { stateDir, connector } = connecting();
    const held = await holder(stateDir, "good");
    const [pid] = childrenOf(stateDir);
    await connector.reap();
    expect([runs(pid!), ...held.left.map(runs)]).toEqual([true, true, true]);
    expect(childrenOf(stateDir)).toEqual([pid]);
    held.process.kill("SIGKILL");
    await once(held.process, "exit");
    await connector.reap();
    await expect.poll(() => held.left.filter(runs), { timeout: 2_000 }).toEqual([]);
  });

  test("servers of this process", async () => {
    const { stateDir, connector, connect } = connecting();
    await connect(testServer("plain-server.ts"));
    await connector.reap();
    expect(runs(childrenOf(stateDir)[0]!)).toBe(true);
  });

  test("a process with the reused id of an ended one, and invalid files", async () => {
    const { stateDir, connector } = connecting();
    const stranger = spawn("sleep", ["30"], { detached: true, stdio: "ignore" });
    started.push(stranger);
    const pid = stranger.pid ?? 0;
    const folder = join(stateDir, "mcp", "children");
    mkdirSync(folder, { recursive: true });
    const gone = { ...processIdentity(process.pid), processStart: "1" };
    const identity = processIdentity(pid);
    const child = { server: "x", mark: "0123456789abcdef01234567", owner: gone };
    writeFileSync(join(folder, "1.json"), JSON.stringify({ ...child, ...identity, processStart: "5" }));
    writeFileSync(join(folder, "2.json"), JSON.stringify({ ...child, ...identity, bootId: "another/pid:[1]" }));
    const nonsense = ["{", "[]", "null", JSON.stringify({ ...child, pid: 1, processStart: "1", bootId: "" })];
    const huge = JSON.stringify({ ...child, ...identity, pid: -1 });
    for (const [at, text] of [...nonsense, huge].entries()) writeFileSync(join(folder, `bad-${at}.json`), text);
    await connector.reap();
    expect(runs(pid)).toBe(true);
    expect(readdirSync(folder).filter((name) => !name.startsWith("bad"))).toEqual([]);
  });

  test("if nothing was ever started, nothing is searched", async () => {
    const { stateDir, connector } = connecting();
    await connector.reap();
    expect(readdirSync(stateDir)).toEqual([]);
  });
});
