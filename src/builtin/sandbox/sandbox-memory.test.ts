import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { callFilter } from "./run-sandboxed.ts";
import { type SandboxLimits, type SandboxResult, runSandboxed, sandboxStatus } from "./index.ts";

const { available } = await sandboxStatus();
const python = available && existsSync("/usr/bin/python3");

const mebibyte = 1_048_576;

function run(code: string, limits: Partial<SandboxLimits> = {}): Promise<SandboxResult> {
  return runSandboxed(["python3", "-c", code], { limits: { timeMs: 15_000, ...limits } });
}

describe.skipIf(!python)("the memory limit applies to", () => {
  const touch = (pages: string): string => `for at in range(0, len(${pages}), 4096): ${pages}[at] = 1`;

  test.each([
    ["private memory", "held = []\nwhile True: held.append(bytearray(1 << 20))"],
    ["shared memory", `import mmap\nheld = mmap.mmap(-1, 2200 << 20)\n${touch("held")}`],
    [
      "shared memory of many processes",
      `import mmap, os, time
for _ in range(8):
    if os.fork() == 0:
        held = mmap.mmap(-1, 60 << 20)
        ${touch("held")}
        time.sleep(60)
time.sleep(60)`,
    ],
    ["empty files", "at = 0\nwhile True:\n    open('/tmp/%d' % at, 'w').close()\n    at += 1"],
    ["empty folders", "import os\nat = 0\nwhile True:\n    os.mkdir('/dev/shm/%d' % at)\n    at += 1"],
  ])("%s", async (_what, code) => {
    const ended = await run(code, { memoryBytes: 100 * mebibyte });
    // A fast program may reach the limit of the system before its memory is measured, or while it reports that.
    const isKilled = ended.ended === "memory";
    const isRefused = { code: 1, stderr: expect.stringContaining("MemoryError") as string };
    expect(ended).toMatchObject(isKilled ? { code: 137 } : isRefused);
  });

  test("memory that belongs to no process: it cannot be allocated", async () => {
    const { stdout } = await run(`
import ctypes, errno, os
try:
    os.memfd_create("a")
except OSError as error:
    print(errno.errorcode[error.errno])
system = ctypes.CDLL(None, use_errno=True)
for call in (system.shmget, system.msgget):
    print(call(0, 0o1600, 0o1600), errno.errorcode[ctypes.get_errno()])`);
    expect(stdout.split("\n")).toEqual(["ENOSYS", "-1 ENOSYS", "-1 ENOSYS", ""]);
  });

  test("the files of all folders together", async () => {
    const { stdout } = await run(
      `
written = 0
for folder in ("/box", "/tmp", "/dev/shm"):
    try:
        with open(folder + "/file", "wb", buffering=0) as file:
            while True: written += file.write(bytes(1 << 16))
    except OSError: pass
print(written)`,
      { diskBytes: 8 * mebibyte, fileBytes: 8 * mebibyte },
    );
    expect(Number(stdout)).toBeLessThanOrEqual(8 * mebibyte);
    expect(Number(stdout)).toBeGreaterThan(7 * mebibyte);
  });
});

test("calls are filtered if their numbers are known, and those of other ABIs are refused too", () => {
  const read = (architecture: NodeJS.Architecture): number[][] => {
    const program = Buffer.from(callFilter(architecture) ?? []);
    return Array.from({ length: program.length / 8 }, (_, at) => [
      program.readUInt16LE(at * 8),
      at + 1 + (program[at * 8 + 2] ?? 0),
      at + 1 + (program[at * 8 + 3] ?? 0),
      program.readUInt32LE(at * 8 + 4),
    ]);
  };
  for (const architecture of ["x64", "arm64"] as const) {
    const program = read(architecture);
    const refuse = program.length - 1;
    expect(program[refuse]?.[3]).toBe(0x5_0000 + 38);
    expect(program[refuse - 1]?.[3]).toBe(0x7fff_0000);
    // Another architecture jumps to the refusal; so do the calls.
    expect(program[1]?.[2]).toBe(refuse);
    for (const [, yes, no] of program.slice(3, -2)) expect([yes, no === refuse]).toEqual([refuse, false]);
  }
  expect(callFilter("riscv64")).toBeUndefined();
});
