import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { isGone, isThere, processIdentity, processState } from "./process-identity.ts";

const own = processIdentity(process.pid);

describe.runIf(process.platform === "linux")("a process", () => {
  test("that runs is there and not gone", () => {
    expect([isThere(own), isGone(own)]).toEqual([true, false]);
    expect(processState(process.pid)).toMatchObject({ start: own.processStart, ended: false });
  });

  test("that ended is gone and not there", async () => {
    const child = spawn("sleep", ["30"], { detached: true, stdio: "ignore" });
    const identity = processIdentity(child.pid ?? 0);
    expect([isThere(identity), processState(identity.pid)?.group]).toEqual([true, identity.pid]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([isThere(identity), isGone(identity)]).toEqual([false, true]);
  });

  test("of which only the number is known is neither there nor gone", () => {
    const unknown = { ...own, processStart: "" };
    expect([isThere(unknown), isGone(unknown)]).toEqual([false, false]);
    const elsewhere = { ...own, bootId: `${own.bootId.split("/")[0]}/pid:[1]` };
    expect([isThere(elsewhere), isGone(elsewhere)]).toEqual([false, false]);
  });

  test("with the number of another one is gone", () => {
    const other = { ...own, processStart: "1" };
    expect([isThere(other), isGone(other)]).toEqual([false, true]);
  });
});
