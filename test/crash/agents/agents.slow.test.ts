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
import { type ModelCall, scriptedModel } from "../../../src/model/index.ts";
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

/** When a process is killed: so long after so many things have happened in it, or after a person was asked. */
interface Kill {
  readonly afterLines: number;
  readonly afterMs: number;
}

interface Life {
  readonly isKilled: boolean;
  /** It had asked a person, and stayed for the answer. */
  readonly wasAsking: boolean;
  readonly last: string;
}

/** One life of the process: killed, or left to its end. */
async function live(folder: string, run: Run, kill: Kill | undefined): Promise<Life> {
  const args = ["--no-warnings", child, folder, String(run.seed), run.runner, kill === undefined ? "leave" : "stay"];
  const process_: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(process_, "exit");
  let last = "";
  let happened = 0;
  let wasAsking = false;
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: process_.stdout })) {
    last = line;
    if (line.startsWith("at ")) happened++;
    wasAsking ||= line === "at approval-asked";
    if (kill !== undefined && (happened >= kill.afterLines || wasAsking)) {
      timer ??= setTimeout(() => process_.kill("SIGKILL"), kill.afterMs);
    }
  }
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  // It ends by itself, or because it was killed, and never for another reason.
  expect(code ?? signal).toBe(code === null ? "SIGKILL" : 0);
  return { isKilled: signal === "SIGKILL", wasAsking, last };
}

function linesOf<T>(folder: string, file: string): T[] {
  try {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    // The last one may be half of a line: a process was killed over it.
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

/** The journal, as a process sees it that has none of the tools and asks no model. */
async function within<T>(folder: string, work: (setting: Setting) => Promise<T>): Promise<T> {
  const setting = await openSetting(folder, { tools: [], model: scriptedModel([]) });
  try {
    return await work(setting);
  } finally {
    await setting.close();
  }
}

/** Decides what people are asked, as somebody would who looks at the log first. */
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
  /** What the model said, what tools gave and what people decided, in order. */
  readonly told: readonly AgentEvent[];
  readonly result: AgentResult;
}

const ends: ReadonlySet<string> = new Set(["round-finished", "tool-finished", "approval-decided"]);

/** All that is known of a run, told again; undefined where it never began. */
async function historyOf({ seed }: Run, { runs }: Setting): Promise<History | undefined> {
  if (!(await runs.has(runIdOf(seed)))) return undefined;
  const told: AgentEvent[] = [];
  const result = await runs.inspect(runIdOf(seed), (event) => {
    if (ends.has(event.type)) told.push(event);
  });
  return { told, result };
}

interface Asked {
  readonly key: string;
  readonly prompt: ModelCall["prompt"];
}

/** What the model was asked; in whichever life a question was asked, it was the same. */
function promptsOf(folder: string): ModelCall["prompt"][] {
  const questions = Map.groupBy(linesOf<Asked>(folder, "questions.ndjson"), ({ key }) => key);
  return [...questions.values()].flatMap(([first, ...again]) => {
    for (const { key, prompt } of again) expect(prompt, `the question ${key}`).toEqual(first?.prompt);
    return first === undefined ? [] : [first.prompt];
  });
}

/** So many kills each run has to survive. */
const wanted = 4;

function killOf({ seed }: Run, life: number, kills: number): Kill {
  const afterMs = (seed * 13 + life * 29) % 8;
  // Once it was killed often enough, only while it asks somebody.
  return { afterMs, afterLines: kills < wanted ? 1 + ((seed * 5 + life * 7) % 4) : Infinity };
}

interface Survived {
  readonly kills: number;
  /** Of these, while a person was asked, and after something was kept. */
  readonly whileAsking: number;
  readonly halfWay: number;
  readonly asked: number;
  readonly last: string;
}

/** Runs it through its lives, and looks after each whether all that was told before is told again. */
async function survive(folder: string, run: Run): Promise<Survived> {
  let [kills, whileAsking, halfWay, asked] = [0, 0, 0, 0];
  let known: readonly AgentEvent[] = [];
  for (let life = 0; life < 40; life++) {
    const isOften = kills >= wanted && whileAsking > 0;
    const { isKilled, wasAsking, last } = await live(folder, run, isOften ? undefined : killOf(run, life, kills));
    const { told = [], questions } = await within(folder, async (setting) => ({
      ...(await historyOf(run, setting)),
      questions: await decideAll(folder, setting),
    }));
    expect(told.slice(0, known.length)).toEqual(known);
    known = told;
    if (isKilled) kills++;
    if (isKilled && wasAsking) whileAsking++;
    if (isKilled && told.length > 0) halfWay++;
    if (last.startsWith("over ") && !last.startsWith("over waiting")) {
      return { kills, whileAsking, halfWay, asked, last };
    }
    asked += questions;
  }
  throw new Error("it never ended");
}

describe("[N12] an agent whose process is killed at any moment", () => {
  const scale = Number(process.env["WINDLASS_KILLS"] ?? 24);
  const runs = ["autonomous", "planned", "crew"].flatMap((runner): Run[] =>
    Array.from({ length: Math.max(2, Math.round(scale / 12)) }, (_, index) => ({ runner, seed: index + 1 })),
  );

  test.each(runs)(
    "goes on in the next process: what was said stays said, and nothing harmful runs twice ($runner, seed $seed)",
    async (run) => {
      const folder = await mkdtemp(join(tmpdir(), "windlass-agent-"));
      folders.push(folder);
      const { kills, whileAsking, halfWay, asked, last } = await survive(folder, run);
      expect(last).toMatch(/^over completed/);
      expect(kills).toBeGreaterThanOrEqual(3);
      expect(halfWay).toBeGreaterThan(0);
      expect(whileAsking).toBeGreaterThan(0);

      const given = JSON.parse(readFileSync(join(folder, "result.json"), "utf8")) as AgentResult;
      const history = await within(folder, (setting) => historyOf(run, setting));
      expect(JSON.parse(JSON.stringify(history?.result))).toEqual(given);
      const prompts = promptsOf(folder);
      if (run.runner === "autonomous") expectOneConversation(prompts, given.messages);

      const harmful = effects(folder).filter(({ effect }) => effect === "once");
      expect(new Set(harmful.map(({ key }) => key)).size).toBe(harmful.length);
      expect(harmful.some(({ tool }) => tool === "wipe")).toBe(true);
      expect(asked).toBeGreaterThan(0);
    },
    120_000,
  );
});

/** Each question has all that was said and done before it, word for word, whichever process asked it. */
function expectOneConversation(prompts: readonly ModelCall["prompt"][], whole: AgentResult["messages"]): void {
  expect(prompts.length).toBeGreaterThan(3);
  for (const prompt of prompts) {
    const said = prompt.filter(({ role }) => role !== "system");
    expect(said).toEqual(JSON.parse(JSON.stringify(whole.slice(0, said.length))));
  }
}
