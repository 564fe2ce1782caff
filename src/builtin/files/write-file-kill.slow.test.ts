import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createFileAccess } from "../../file/index.ts";

/** Calls the tool for one version after another, each as one number repeated. */
const writer = `
const { createEngine } = await import(${JSON.stringify(resolve("src/engine/index.ts"))});
const { createFileAccess } = await import(${JSON.stringify(resolve("src/file/index.ts"))});
const { writeFileTool } = await import(${JSON.stringify(resolve("src/builtin/files/write-file-tool.ts"))});
const files = createFileAccess({ roots: [{ path: process.argv[1], write: true }] });
const engine = createEngine({ tools: [writeFileTool({ files })] });
const write = (count) => engine.call("write_file", { path: "a.md", content: (count + "\\n").repeat(50_000) });
await write(Number(process.argv[2]) + 1);
process.stdout.write("ready");
for (let count = Number(process.argv[2]) + 2; ; count++) await write(count);
`;

test("write_file under kill -9, 50 times: the file is old or new, never partial, and the next write leaves no leftovers", async () => {
  const root = mkdtempSync(join(tmpdir(), "windlass-kill-"));
  const file = join(root, "a.md");
  const body = (count: number): string => `${count}\n`.repeat(50_000);
  const countIn = (text: string): number => Number(text.split("\n", 1)[0]);
  writeFileSync(file, body(0));
  let newer = 0;
  let leftovers = 0;
  for (let kill = 0; kill < 50; kill++) {
    const last = countIn(readFileSync(file, "utf8"));
    const child = spawn(process.execPath, ["--input-type=module", "-e", writer, root, String(last)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    // Somewhere within the next writes.
    await setTimeout((kill * 7) % 23);
    child.kill("SIGKILL");
    await ended;
    const text = readFileSync(file, "utf8");
    expect(text === body(countIn(text))).toBe(true);
    expect(countIn(text)).toBeGreaterThan(last);
    if (countIn(text) > last + 1) newer++;
    if (readdirSync(root).some((name) => name.endsWith(".tmp"))) leftovers++;
  }
  expect(newer).toBeGreaterThan(0);
  expect(leftovers).toBeGreaterThan(0);
  await createFileAccess({ roots: [{ path: root, write: true }] }).write("b.md", "done");
  expect(readdirSync(root).toSorted()).toEqual(["a.md", "b.md"]);
  rmSync(root, { recursive: true });
}, 120_000);
