import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type SqliteStore, openSqlite } from "../../../src/adapters/index.ts";
import type { Approval, Decision } from "../../../src/store/index.ts";
import { createRedactor } from "../../../src/secrets/index.ts";
import { seeded } from "./seeded.ts";

const program = join(import.meta.dirname, "run-child.ts");

/** A process that executes runs, and its output so far. */
export interface Child {
  readonly lines: string[];
  kill(signal: NodeJS.Signals): void;
  text(word: string): Promise<string>;
  /** Resolves when it has reported this number of effects, or has ended. */
  effects(count: number): Promise<void>;
  readonly ended: Promise<number | null>;
}

export interface ChildOptions {
  readonly fault?: string;
  /** Time for which a lease holder may be silent. */
  readonly silenceMs?: number;
}

const running = new Set<ChildProcess>();

/** Ends the processes of a failed test, stopped ones as well. */
export function endChildren(): void {
  for (const child of running) child.kill("SIGKILL");
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
  running.add(child);
  child.on("exit", () => running.delete(child));
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
  const effects = async (count: number): Promise<void> => {
    const reported = new Promise<void>((resolve) => {
      child.stdout.on("data", () => lines.filter((line) => line === "effect").length >= count && resolve());
    });
    await Promise.race([reported, ended]);
  };
  return {
    lines,
    ended,
    effects,
    kill: (signal) => void child.kill(signal),
    text: (word) =>
      new Promise((resolve) => {
        const line = lines.find((one) => one.startsWith(word));
        if (line === undefined) waiting.push({ word, resolve });
        else resolve(line);
      }),
  };
}

/** Facts that a killed process reported, which must hold afterwards. */
export interface Promises {
  readonly acknowledged: Set<string>;
  readonly over: Map<string, string>;
  /** Approval id to the step that needs it. */
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

/**
 * Kills the process that executes these runs again and again, then lets it finish. Approvals are decided concurrently.
 */
export async function crash(options: CrashOptions): Promise<Promises> {
  const { folder, words, kills, seed, fault = "-" } = options;
  const random = seeded(seed);
  const promises = noPromises();
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  const people = decideForever({ store, folder, promises });
  const toCancel = [...(options.cancel ?? [])];
  try {
    while (promises.over.size < words.length) {
      const left = words.filter((word) => !promises.over.has(runOf(word)));
      const child = startChild(folder, left, { fault });
      await child.text("ready");
      const last = promises.kills >= kills;
      if (!last) {
        // By progress, not by time: a process that is killed before it has done anything proves nothing.
        await child.effects(1 + random.upTo(14));
        await sleep(random.upTo(15));
        const cancelled = promises.kills % 3 === 1 ? toCancel.shift() : undefined;
        if (cancelled !== undefined) await cancelRun({ store, promises }, cancelled);
        child.kill("SIGKILL");
      }
      if ((await child.ended) === null) promises.kills++;
      for (const line of child.lines) believe(line, promises);
      if (last && promises.over.size < words.length) throw new Error(`not over: ${child.lines.join(" | ")}`);
    }
    return promises;
  } finally {
    await people.stop();
    await store.close();
  }
}

/** Nothing has been reported yet. */
export function noPromises(): Promises {
  return { acknowledged: new Set(), over: new Map(), approved: new Map(), cancelled: new Map(), kills: 0 };
}

function runOf(word: string): string {
  return word.split(":")[1] ?? "";
}

async function cancelRun({ store, promises }: Omit<People, "folder">, runId: string): Promise<void> {
  if (await store.runs.requestCancel(runId, "harness")) promises.cancelled.set(runId, Date.now());
}

/** Everything that a process printed before it was killed has to hold. */
function believe(line: string, promises: Promises): void {
  const [what, id = "", status = ""] = line.split(" ");
  if (what === "acknowledged") promises.acknowledged.add(id);
  if (what === "over") promises.over.set(id, status);
}

export interface People {
  readonly store: SqliteStore;
  readonly folder: string;
  readonly promises: Promises;
}

/** Approves pending calls; for an interrupted call, looks up whether it had begun. */
export function decideForever(people: People): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      for (const approval of await people.store.approvals.list(Date.now(), "pending")) await decide(people, approval);
      await sleep(30);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}

async function decide({ store, folder, promises }: People, approval: Approval): Promise<void> {
  const { id, runId = "", step = "", interrupted = false, args } = approval;
  const wasDone = interrupted && hasBegun(folder, runId.startsWith("call-") ? runId : `${runId}/${step}`);
  const decided = await store.approvals.decide(id, { by: "harness", ...decisionOf(wasDone, runId, args) }, Date.now());
  if (decided?.status === "approved" && !interrupted) promises.approved.set(id, `${runId}/${step}`);
}

/** Chains have a fallback for a rejection; for other runs, the person reports the work as done. */
function decisionOf(wasDone: boolean, runId: string, args: unknown): Decision {
  if (!wasDone || runId.startsWith("run-")) return { approved: !wasDone };
  return { approved: true, done: { output: { value: (args as { readonly value: number }).value + 1 } } };
}

function hasBegun(folder: string, key: string): boolean {
  const file = join(folder, "effects.ndjson");
  return existsSync(file) && readFileSync(file, "utf8").includes(`"effect":"once","key":${JSON.stringify(key)}`);
}
