import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { currentOwner, isDead } from "./owner-process.ts";

const own = currentOwner();
const onLinux = process.platform === "linux";
// Starts one that ends at once, and then is a program that does not take note of that.
const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
afterAll(() => parent.kill("SIGKILL"));

describe("an owner", () => {
  test("is this process, under another name every time", () => {
    expect(own).toMatchObject({ pid: process.pid });
    expect(own.id).not.toBe(currentOwner().id);
    expect({ ...own, id: "" }).toEqual({ ...currentOwner(), id: "" });
    expect(own.processStart).toMatch(onLinux ? /^\d+$/ : /^$/);
  });

  test("that lives is not dead", () => {
    expect(isDead(own)).toBe(false);
    expect(isDead({ ...own, processStart: "" })).toBe(false);
    expect(isDead({ ...own, pid: process.ppid, processStart: "" })).toBe(false);
  });

  test("whose process has ended is dead", async () => {
    const child = spawn(process.execPath, ["--eval", ""]);
    await once(child, "exit");
    expect(isDead({ ...own, pid: child.pid ?? 0, processStart: "" })).toBe(true);
  });

  test.runIf(onLinux)("whose process has ended and was not buried yet is dead", async () => {
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    await expect.poll(() => isDead({ ...own, pid: Number(line), processStart: "1" })).toBe(true);
  });

  test.runIf(onLinux)("whose number belongs to another process now is dead", () => {
    expect(isDead({ ...own, processStart: `${Number(own.processStart) - 1}` })).toBe(true);
  });

  test.runIf(onLinux)("of an earlier start of the machine is dead", () => {
    expect(isDead({ ...own, bootId: own.bootId.replace(/^.{8}/, "00000000") })).toBe(true);
  });

  test.runIf(onLinux)("in another container, or on a system that tells nothing, is not taken for dead", () => {
    expect(isDead({ ...own, pid: 2 ** 22, bootId: `${own.bootId.split("/")[0]}/pid:[1]` })).toBe(false);
    expect(isDead({ ...own, pid: 2 ** 22, bootId: "" })).toBe(false);
  });
});
