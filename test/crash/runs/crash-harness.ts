import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqliteStore, openSqlite } from "../../../src/adapters/index.ts";
import { createRedactor } from "../../../src/text/index.ts";
import { seeded } from "./seeded.ts";

const program = join(import.meta.dirname, "run-child.ts");

/** A process that executes runs, and what it said so far. */
export interface Child {
  readonly lines: string[];
  kill(signal: NodeJS.Signals): void;
  said(word: string): Promise<string>;
  readonly ended: Promise<number | null>;
}

export interface ChildOptions {
  readonly fault?: string;
  /** How long an owner may be silent. */
  readonly silenceMs?: number;
}

/** Starts a process that executes runs. */
export function startChild(folder: string, words: readonly string[], options: ChildOptions = {}): Child {
  const { fault = "-", silenceMs = 15_000 } = options;
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
    WINDLASS_SILENCE: String(silenceMs),
  };
  const child = spawn(process.execPath, ["--no-warnings", program, folder, fault, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const lines: string[] = [];
  const waiting: { word: string; resolve: (line: string) => void }[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      for (const one of waiting) if (line.startsWith(one.word)) one.resolve(line);
    }
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  return {
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    said: (word) =>
      new Promise((resolve) => {
        const line = lines.find((one) => one.startsWith(word));
        if (line === undefined) waiting.push({ word, resolve });
        else resolve(line);
      }),
  };
}

/** What the harness was told and relied on. */
export interface Promises {
  readonly acknowledged: Set<string>;
  readonly over: Map<string, string>;
  /** Approval id to what was asked. */
  readonly approved: Map<string, string>;
  readonly cancelled: Map<string, number>;
  kills: number;
}

export interface CrashOptions {
  readonly folder: string;
  readonly words: readonly string[];
  readonly kills: number;
  readonly seed: number;
  readonly fault?: string;
  /** Runs that are cancelled once, at some moment. */
  readonly cancel?: readonly string[];
}

/** Kills the process that executes these runs again and again, then lets it finish. Meanwhile, people decide. */
export async function crash(options: CrashOptions): Promise<Promises> {
  const { folder, words, kills, seed, fault = "-" } = options;
  const random = seeded(seed);
  const promises: Promises = {
    acknowledged: new Set(),
    over: new Map(),
    approved: new Map(),
    cancelled: new Map(),
    kills: 0,
  };
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  const people = decideForever({ store, folder, promises });
  const toCancel = [...(options.cancel ?? [])];
  try {
    while (promises.over.size < words.length) {
      const left = words.filter((word) => !promises.over.has(word.split(":")[1] ?? ""));
      const child = startChild(folder, left, { fault });
      await child.said("ready");
      const last = promises.kills >= kills;
      if (!last) {
        const moment = 5 + random.upTo(220);
        await new Promise((resolve) => setTimeout(resolve, moment));
        const next = toCancel[0];
        if (next !== undefined && promises.kills % 3 === 1 && (await store.runs.requestCancel(next, "harness"))) {
          promises.cancelled.set(next, Date.now());
        }
        if (next !== undefined && promises.kills % 3 === 1) toCancel.shift();
        child.kill("SIGKILL");
        promises.kills++;
      }
      await child.ended;
      for (const line of child.lines) {
        const [what, id = "", status = ""] = line.split(" ");
        if (what === "acknowledged") promises.acknowledged.add(id);
        if (what === "over") promises.over.set(id, status);
      }
      if (last && promises.over.size < words.length) throw new Error(`not over: ${child.lines.join(" | ")}`);
    }
    return promises;
  } finally {
    people.stop();
    await people.ended;
    await store.close();
  }
}

export interface People {
  readonly store: SqliteStore;
  readonly folder: string;
  readonly promises: Promises;
}

/** Approves what is asked for; of a call that was interrupted, looks up whether it had begun. */
export function decideForever({ store, folder, promises }: People): { stop(): void; readonly ended: Promise<void> } {
  let going = true;
  const ended = (async () => {
    while (going) {
      for (const approval of await store.approvals.list(Date.now(), "pending")) {
        const { id, runId = "", step = "", message } = approval;
        const asked = message.startsWith("Do ");
        const approved = asked || !hasBegun(folder, `${runId}/${step}`);
        const decided = await store.approvals.decide(id, { approved, by: "harness" }, Date.now());
        if (decided?.status === "approved" && asked) promises.approved.set(id, `${runId}/${step}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  return { stop: () => (going = false), ended };
}

function hasBegun(folder: string, key: string): boolean {
  const file = join(folder, "effects.ndjson");
  return existsSync(file) && readFileSync(file, "utf8").includes(`"effect":"once","key":${JSON.stringify(key)}`);
}
