import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import type { AgentEvent, AgentResult } from "../../../src/agent/index.ts";
import { type ModelCall } from "../../../src/model/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { type Setting, openSetting, runIdOf } from "./agent-setting.ts";

const child = join(import.meta.dirname, "agent-child.ts");
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

interface Run {
  readonly runner: string;
  readonly seed: number;
}

/**
 * The moment at which a process is killed: a delay after a number of events in it, or after an approval was requested.
 */
interface Kill {
  readonly afterLines: number;
  readonly afterMs: number;
}

interface Life {
  readonly isKilled: boolean;
  /** It had requested an approval, and waited for the decision. */
  readonly wasRequest: boolean;
  readonly last: string;
}

/** One process: killed, or run to its end. */
async function live(folder: string, run: Run, kill: Kill | undefined): Promise<Life> {
  const args = ["--no-warnings", child, folder, String(run.seed), run.runner, kill === undefined ? "leave" : "stay"];
  const process_: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(process_, "exit");
  let last = "";
  let happened = 0;
  let wasRequest = false;
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: process_.stdout })) {
    last = line;
    if (line.startsWith("at ")) happened++;
    wasRequest ||= line === "at approval-requested";
    if (kill !== undefined && (happened >= kill.afterLines || wasRequest)) {
      timer ??= setTimeout(() => process_.kill("SIGKILL"), kill.afterMs);
    }
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  // It ends by itself, or because it was killed, and never for another reason.
  expect(code ?? signal).toBe(code === null ? "SIGKILL" : 0);
  return { isKilled: signal === "SIGKILL", wasRequest, last };
}

function linesOf<T>(folder: string, file: string): T[] {
  try {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    // The last line may be truncated by a kill.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as T);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

interface Done {
  readonly tool: string;
  readonly effect: string;
  readonly key: string;
}

const effects = (folder: string): Done[] => linesOf(folder, "effects.ndjson");

/** The journal, as seen by a process that has none of the tools and sends no model requests. */
async function within<T>(folder: string, work: (setting: Setting) => Promise<T>): Promise<T> {
  const setting = await openSetting(folder, { tools: [], model: scriptedModel([]) });
  try {
    return await work(setting);
  } finally {
    await setting.close();
  }
}

/** Decides pending approvals, as a person would who reads the log first. */
async function decideAll(folder: string, { store }: Setting): Promise<number> {
  const pending = await store.approvals.list(Date.now(), "pending");
  for (const { id, interrupted, step, runId } of pending) {
    const wasDone = effects(folder).some(({ key }) => key === `${runId}/${step}`);
    const done = interrupted === true && wasDone ? { done: { output: { done: "by hand" } } } : {};
    await store.approvals.decide(id, { approved: true, by: "somebody", ...done }, Date.now());
  }
  return pending.length;
}

interface History {
  /** Responses of the model, results of tools and decisions of people, in order. */
  readonly reported: readonly AgentEvent[];
  readonly result: AgentResult;
}

const ends: ReadonlySet<string> = new Set(["round-finished", "tool-finished", "approval-decided"]);

/** The replayed state of a run; undefined if it never began. */
async function historyOf({ seed }: Run, { runs }: Setting): Promise<History | undefined> {
  if (!(await runs.has(runIdOf(seed)))) return undefined;
  const reported: AgentEvent[] = [];
  const result = await runs.inspect(runIdOf(seed), (event) => {
    if (ends.has(event.type)) reported.push(event);
  });
  return { reported, result };
}

interface Requested {
  readonly key: string;
  readonly prompt: ModelCall["prompt"];
}

/**
 * The model requests, as the last process that sent each sent it: a response that was not journaled before a kill is
 * requested again, and so is what followed from it.
 */
function promptsOf(folder: string): ModelCall["prompt"][] {
  const prompts = new Map(linesOf<Requested>(folder, "prompts.ndjson").map(({ key, prompt }) => [key, prompt]));
  return [...prompts.values()];
}

/** Checks that a life sent no request whose response was journaled before it. */
function expectNoneRepeated(folder: string, { before, known }: { before: number; known: readonly AgentEvent[] }): void {
  const rounds = known.filter((event) => event.type === "round-finished");
  const answered = new Set(rounds.map(({ part, round }) => `${part}.${round}`));
  const sent = linesOf<Requested>(folder, "prompts.ndjson").slice(before);
  expect(sent.map(({ key }) => key).filter((key) => answered.has(key))).toEqual([]);
}

/** Number of kills that each run has to survive. */
const expected = 4;

function killOf({ seed }: Run, life: number, kills: number): Kill {
  const afterMs = (seed * 13 + life * 29) % 8;
  // After enough kills, only while an approval is pending.
  return { afterMs, afterLines: kills < expected ? 1 + ((seed * 5 + life * 7) % 4) : Infinity };
}

interface Survived {
  readonly kills: number;
  /** Of these, while an approval was pending, and after something was persisted. */
  readonly whileRequest: number;
  readonly halfWay: number;
  readonly requested: number;
  readonly last: string;
}

/** Runs it through its lives, and checks after each that everything reported before is replayed. */
async function survive(folder: string, run: Run): Promise<Survived> {
  let [kills, whileRequest, halfWay, requested] = [0, 0, 0, 0];
  let known: readonly AgentEvent[] = [];
  for (let life = 0; life < 40; life++) {
    const isOften = kills >= expected && whileRequest > 0;
    const before = linesOf(folder, "prompts.ndjson").length;
    const { isKilled, wasRequest, last } = await live(folder, run, isOften ? undefined : killOf(run, life, kills));
    const { reported = [], prompts } = await within(folder, async (setting) => ({
      ...(await historyOf(run, setting)),
      prompts: await decideAll(folder, setting),
    }));
    expect(reported.slice(0, known.length)).toEqual(known);
    expectNoneRepeated(folder, { before, known });
    known = reported;
    if (isKilled) kills++;
    if (isKilled && wasRequest) whileRequest++;
    if (isKilled && reported.length > 0) halfWay++;
    if (last.startsWith("over ") && !last.startsWith("over waiting")) {
      return { kills, whileRequest, halfWay, requested, last };
    }
    requested += prompts;
  }
  throw new Error("it never ended");
}

describe("[N12] an agent whose process is killed at any moment", () => {
  const scale = Number(process.env["WINDLASS_KILLS"] ?? 24);
  const firstSeed = Number(process.env["WINDLASS_SEED"] ?? 1);
  const runs = ["autonomous", "planned", "crew"].flatMap((runner): Run[] =>
    Array.from({ length: Math.max(2, Math.round(scale / 12)) }, (_, index) => ({ runner, seed: firstSeed + index })),
  );

  test.each(runs)(
    "resumes in the next process: the conversation stays the same, and nothing destructive runs twice ($runner, seed $seed)",
    async (run) => {
      const folder = await mkdtemp(join(tmpdir(), "windlass-agent-"));
      folders.push(folder);
      const { kills, whileRequest, halfWay, requested, last } = await survive(folder, run);
      expect(last).toMatch(/^over completed/);
      expect(kills).toBeGreaterThanOrEqual(3);
      expect(halfWay).toBeGreaterThan(0);
      expect(whileRequest).toBeGreaterThan(0);

      const input = JSON.parse(readFileSync(join(folder, "result.json"), "utf8")) as AgentResult;
      const history = await within(folder, (setting) => historyOf(run, setting));
      expect(JSON.parse(JSON.stringify(history?.result))).toEqual(input);
      const prompts = promptsOf(folder);
      if (run.runner === "autonomous") expectOneConversation(prompts, input.messages);

      const harmful = effects(folder).filter(({ effect }) => effect === "once");
      expect(new Set(harmful.map(({ key }) => key)).size).toBe(harmful.length);
      expect(harmful.some(({ tool }) => tool === "wipe")).toBe(true);
      expect(requested).toBeGreaterThan(0);
    },
    120_000,
  );
});

/**
 * Each model request contains the whole conversation before it, word for word, from any process. Tool results are in
 * envelopes, which a stored conversation does not have.
 */
function expectOneConversation(prompts: readonly ModelCall["prompt"][], whole: AgentResult["messages"]): void {
  expect(prompts.length).toBeGreaterThan(3);
  for (const prompt of prompts) {
    const messages = JSON.stringify(prompt.filter(({ role }) => role !== "system"));
    const plain = messages.replaceAll(/<data-(\w+) name=\\"\w+\\">\\n(.*?)\\n<\/data-\1>/g, "$2");
    const text = JSON.parse(plain) as unknown[];
    expect(text).toEqual(JSON.parse(JSON.stringify(whole.slice(0, text.length))));
  }
  expect(JSON.stringify(prompts)).toContain("<data-");
}
