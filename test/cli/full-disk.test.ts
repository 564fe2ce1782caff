import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";
import { windlass } from "./windlass.ts";

const disk = mkdtempSync(join(tmpdir(), "windlass-cli-full-"));
const mounted = mountSmallDisk();
afterAll(() => {
  if (mounted) execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

function mountSmallDisk(): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function fillUp(leave: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize - leave));
}

describe.skipIf(!mounted)("windlass on a full disk", () => {
  test("without a database yet, says so and calls nothing", async () => {
    fillUp(0);
    const { code, stdout, stderr } = await windlass(["call", "echo", "message=hi"], { cwd: disk });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: .*is full.*\[store_full: disk_full\]/);
    expect(stderr).not.toMatch(/unexpected|\(node:/);
  });

  test("prints the result of the call, and warns once that it was not recorded", async () => {
    rmSync(join(disk, "filler"));
    expect(await windlass(["call", "echo", "message=first"], { cwd: disk })).toMatchObject({ code: 0, stderr: "" });
    // The database can be opened, but there is no space for the record.
    fillUp(96 * 1024);
    const { code, stdout, stderr } = await windlass(["call", "echo", `message=${"x".repeat(100_000)}`, "--json"], {
      cwd: disk,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true });
    expect(stderr.match(/warning:/g)).toHaveLength(1);
    expect(stderr).toMatch(/^warning: the call was not recorded: the disk .* is full/);
    expect(stderr).toContain("windlass prune");
    expect(stderr).not.toMatch(/\(node:|Warning:/);
    rmSync(join(disk, "filler"));
    const { stdout: records } = await windlass(["records", "--json"], { cwd: disk });
    expect(JSON.parse(records).records).toHaveLength(1);
  });

  test("[F11] prune works with little space, and says how much it needs with none", async () => {
    rmSync(join(disk, "filler"), { force: true });
    const store = await openSqlite({ file: join(disk, ".windlass/journal.db"), redactor: createRedactor([]) });
    for (let count = 0; count < 8; count++) store.records.add(sampleRecord({ output: `${count} `.repeat(30_000) }));
    await store.close();
    fillUp(0);
    const none = await windlass(["prune", "--size", "100kB"], { cwd: disk });
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toMatch(/is full; committed data is intact\. Free some space, at least 256 kB; .*\[store_full/);
    expect(none.stderr).not.toMatch(/or prune|windlass prune/);
    rmSync(join(disk, "filler"));
    fillUp(256 * 1024);
    const some = await windlass(["prune", "--size", "100kB"], { cwd: disk });
    expect(some).toMatchObject({ code: 0, stderr: "" });
    expect(some.stdout).toMatch(/^\d+ records removed, \d.* freed/);
    expect(JSON.parse((await windlass(["records", "--json"], { cwd: disk })).stdout).records.length).toBeLessThan(3);
  });
});
