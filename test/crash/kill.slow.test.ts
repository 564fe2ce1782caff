import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readDatabase } from "./read-database.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));
const child = join(import.meta.dirname, "writing-child.ts");

/**
 * Runs a writer and kills it a moment after its first acknowledgment. Returns the number of records it saw flushed.
 */
async function writeAndKill(file: string, name: string, afterMs: number): Promise<number> {
  const writer = spawn(process.execPath, [child, file, name], { stdio: ["ignore", "pipe", "inherit"] });
  let acknowledged = "";
  let armed = false;
  writer.stdout.on("data", (text: Buffer) => {
    acknowledged += text.toString();
    if (armed) return;
    armed = true;
    setTimeout(() => writer.kill("SIGKILL"), afterMs);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    writer.on("close", (...end) => resolve(end));
  });
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  // A truncated line also counts as a resolved flush, but its number is unknown.
  return Number(acknowledged.slice(0, acknowledged.lastIndexOf("\n")).split("\n").at(-1));
}

test(
  "kill -9, 50 times: every flushed record is there, none twice, and the database opens",
  { timeout: 120_000 },
  async () => {
    const file = join(folder, "journal.db");
    const acknowledged: number[] = [];
    const checks: string[] = [];
    for (let round = 0; round < 50; round++) {
      // From immediately to well into a commit, in no order.
      acknowledged.push(await writeAndKill(file, `r${round}`, (round * 37) % 150));
      if (round % 10 === 9) checks.push(readDatabase(file).integrity);
    }
    const { integrity, ids } = readDatabase(file);
    const unique = new Set(ids);
    expect(integrity).toBe("ok");
    expect(ids.length).toBe(unique.size);
    expect(new Set(checks)).toEqual(new Set(["ok"]));
    expect(Math.min(...acknowledged)).toBeGreaterThan(0);
    const missing = acknowledged.flatMap((count, round) =>
      Array.from({ length: count }, (_, i) => `r${round}-${i + 1}`).filter((id) => !unique.has(id)),
    );
    expect(missing).toEqual([]);
  },
);
