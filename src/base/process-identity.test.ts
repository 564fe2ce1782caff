import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { isProcessGone, isProcessAlive, processIdentity, processState } from "./process-identity.ts";

const own = processIdentity(process.pid);
// Starts a process that ends at once, and never waits for it, so that it stays a zombie.
const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
afterAll(() => parent.kill("SIGKILL"));

describe.runIf(process.platform === "linux")("a process", () => {
  test("a running process is alive and not gone", () => {
    expect([isProcessAlive(own), isProcessGone(own)]).toEqual([true, false]);
    expect(processState(process.pid)).toMatchObject({ start: own.processStart, ended: false });
  });

  test("a process that has ended is gone and not alive", async () => {
    const child = spawn("sleep", ["30"], { detached: true, stdio: "ignore" });
    const identity = processIdentity(child.pid ?? 0);
    expect([isProcessAlive(identity), processState(identity.pid)?.group]).toEqual([true, identity.pid]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([isProcessAlive(identity), isProcessGone(identity)]).toEqual([false, true]);
  });

  test("a process of which only the id is known is neither alive nor gone", () => {
    const unknown = { ...own, processStart: "" };
    expect([isProcessAlive(unknown), isProcessGone(unknown)]).toEqual([false, false]);
    const elsewhere = { ...own, bootId: `${own.bootId.split("/")[0]}/pid:[1]` };
    expect([isProcessAlive(elsewhere), isProcessGone(elsewhere)]).toEqual([false, false]);
  });

  test("a process whose id belongs to another process now is gone", () => {
    const other = { ...own, processStart: "1" };
    expect([isProcessAlive(other), isProcessGone(other)]).toEqual([false, true]);
  });

  test("a zombie is gone", async () => {
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    await expect.poll(() => isProcessGone({ ...own, pid: Number(line), processStart: "1" })).toBe(true);
  });

  test("a process of an earlier start of the machine is gone", () => {
    expect(isProcessGone({ ...own, bootId: own.bootId.replace(/^.{8}/, "00000000") })).toBe(true);
  });

  test("a process on a system without process information is not considered gone", () => {
    expect(isProcessGone({ ...own, pid: 2 ** 22, bootId: "" })).toBe(false);
  });
});
