import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { openSqlite } from "../../../src/adapters/index.ts";
import { createRedactor } from "../../../src/text/index.ts";

const child = join(import.meta.dirname, "agent-child.ts");
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

interface Run {
  readonly runner: string;
  readonly seed: number;
}

/** One life of the process: killed after so many milliseconds, or left to its end. */
async function live(folder: string, run: Run, killAfterMs: number | undefined): Promise<readonly string[]> {
  const args = ["--no-warnings", child, folder, String(run.seed), run.runner];
  const process_: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(process_, "exit");
  const lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: process_.stdout })) {
    lines.push(line);
    if (line === "ready" && killAfterMs !== undefined) timer = setTimeout(() => process_.kill("SIGKILL"), killAfterMs);
  }
  await exited;
  clearTimeout(timer);
  return lines;
}

interface Done {
  readonly tool: string;
  readonly effect: string;
  readonly key: string;
}

function effects(folder: string): Done[] {
  try {
    const lines = readFileSync(join(folder, "effects.ndjson"), "utf8").trim().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Done);
  } catch {
    return [];
  }
}

/** Decides what people are asked, as somebody would who looks at the log first. */
async function decideAll(folder: string): Promise<number> {
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  const pending = await store.approvals.list(Date.now(), "pending");
  for (const { id, interrupted, step, runId } of pending) {
    const wasDone = effects(folder).some(({ key }) => key === `${runId}/${step}`);
    const done = interrupted === true && wasDone ? { done: { output: { done: "by hand" } } } : {};
    await store.approvals.decide(id, { approved: true, by: "somebody", ...done }, Date.now());
  }
  await store.close();
  return pending.length;
}

/** Rounds that were told again, by the life that told them. */
function retold(lives: readonly (readonly string[])[]): Map<string, Set<string>> {
  const texts = new Map<string, Set<string>>();
  for (const line of lives.flat()) {
    const [, place = "", text = ""] = /^round true (\S+) (.*)$/.exec(line) ?? [];
    if (place !== "") texts.set(place, (texts.get(place) ?? new Set()).add(text));
  }
  return texts;
}

describe("[N12] an agent whose process is killed at any moment", () => {
  const kills = Number(process.env["WINDLASS_KILLS"] ?? 24);
  const runs = ["autonomous", "crew"].flatMap((runner): Run[] =>
    Array.from({ length: Math.max(2, Math.round(kills / 6)) }, (_, index) => ({ runner, seed: index + 1 })),
  );

  test.each(runs)(
    "goes on in the next process: what was said stays said, and nothing harmful runs twice ($runner, seed $seed)",
    async (run) => {
      const folder = await mkdtemp(join(tmpdir(), "windlass-agent-"));
      folders.push(folder);
      const lives: (readonly string[])[] = [];
      let asked = 0;
      for (let life = 0; life < 40; life++) {
        const killAfterMs = life < 6 ? 15 + ((run.seed * 37 + life * 53) % 120) : undefined;
        const lines = await live(folder, run, killAfterMs);
        lives.push(lines);
        if (lines.at(-1)?.startsWith("over completed") === true) break;
        asked += await decideAll(folder);
      }
      expect(lives.at(-1)?.at(-1)).toMatch(/^over completed/);
      for (const texts of retold(lives).values()) expect(texts.size).toBe(1);
      const harmful = effects(folder).filter(({ effect }) => effect === "once");
      expect(new Set(harmful.map(({ key }) => key)).size).toBe(harmful.length);
      expect(harmful.filter(({ tool }) => tool === "wipe").length === 0 || asked > 0).toBe(true);
    },
    60_000,
  );
});
