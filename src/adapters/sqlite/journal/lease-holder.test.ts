import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { createLeaseHolder, isLeaseHolderDead } from "./lease-holder.ts";

const own = createLeaseHolder();
const onLinux = process.platform === "linux";
// Starts a process that ends at once, and never waits for it, so that it stays a zombie.
const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
afterAll(() => parent.kill("SIGKILL"));

describe("a lease holder", () => {
  test("is this process, under another name every time", () => {
    expect(own).toMatchObject({ pid: process.pid });
    expect(own.id).not.toBe(createLeaseHolder().id);
    expect({ ...own, id: "" }).toEqual({ ...createLeaseHolder(), id: "" });
    expect(own.processStart).toMatch(onLinux ? /^\d+$/ : /^$/);
  });

  test("a lease holder that lives is not dead", () => {
    expect(isLeaseHolderDead(own)).toBe(false);
    expect(isLeaseHolderDead({ ...own, processStart: "" })).toBe(false);
    expect(isLeaseHolderDead({ ...own, pid: process.ppid, processStart: "" })).toBe(false);
  });

  test("a lease holder whose process has ended is dead", async () => {
    const child = spawn(process.execPath, ["--eval", ""]);
    await once(child, "exit");
    expect(isLeaseHolderDead({ ...own, pid: child.pid ?? 0, processStart: "" })).toBe(true);
  });

  test.runIf(onLinux)("a lease holder whose process is a zombie is dead", async () => {
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    await expect.poll(() => isLeaseHolderDead({ ...own, pid: Number(line), processStart: "1" })).toBe(true);
  });

  test.runIf(onLinux)("a lease holder whose number belongs to another process now is dead", () => {
    expect(isLeaseHolderDead({ ...own, processStart: `${Number(own.processStart) - 1}` })).toBe(true);
  });

  test.runIf(onLinux)("a lease holder of an earlier start of the machine is dead", () => {
    expect(isLeaseHolderDead({ ...own, bootId: own.bootId.replace(/^.{8}/, "00000000") })).toBe(true);
  });

  test.runIf(onLinux)(
    "a lease holder in another container, or on a system without process information, is not considered dead",
    () => {
      expect(isLeaseHolderDead({ ...own, pid: 2 ** 22, bootId: `${own.bootId.split("/")[0]}/pid:[1]` })).toBe(false);
      expect(isLeaseHolderDead({ ...own, pid: 2 ** 22, bootId: "" })).toBe(false);
    },
  );
});
