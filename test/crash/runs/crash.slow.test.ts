import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type SqliteStore, openSqlite } from "../../../src/adapters/index.ts";
import { ChainLibrary, type Plan, runChain } from "../../../src/chain/index.ts";
import { createEngine } from "../../../src/engine/index.ts";
import { createRedactor } from "../../../src/secrets/index.ts";
import {
  type Child,
  type Promises,
  crash,
  decideForever,
  endChildren,
  noPromises,
  startChild,
} from "./crash-harness.ts";
import { type EffectLine, effectTools } from "./effect-tools.ts";
import { generateChain } from "./generate-chain.ts";
import { answerOf, generateCall } from "./generate-work.ts";
import { brokenRules, doubledEffects, eventsIn, gaps, readEffects } from "./invariants.ts";

/** `npm run soak -- kills` sets a larger number. */
const requestedKills = Number(process.env["WINDLASS_KILLS"] ?? 60);
const firstSeed = Number(process.env["WINDLASS_SEED"] ?? 1);
const chainsAtOnce = 4;
const quiet = [41, 42, 43];

let base = "";
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "windlass-crash-"));
});
afterEach(endChildren);
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Prepared {
  readonly folder: string;
  readonly words: string[];
  readonly plans: Map<string, Plan>;
}

function prepare(name: string, seeds: readonly number[]): Prepared {
  const folder = mkdtempSync(join(base, `${name}-`));
  const engine = createEngine({ tools: effectTools(undefined) });
  const chains = new ChainLibrary({ tools: engine.tools });
  const plans = new Map<string, Plan>();
  for (const seed of seeds) {
    const { chain, children } = generateChain(seed);
    for (const spec of [...children, chain]) chains.add({ name: spec.name, spec });
    plans.set(`run-${seed}`, chains.plan(chain.name));
  }
  return { folder, words: seeds.map((seed) => `${seed}:run-${seed}`), plans };
}

/** People who decide until the returned function is called. */
function decide(folder: string): () => Promise<void> {
  const opened = openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  const people = opened.then((store) => decideForever({ store, folder, promises: noPromises() }));
  return async () => {
    await (await people).stop();
    await (await opened).close();
  };
}

/** Stops a process while it holds no lock on the database: a process that is stopped in a transaction blocks all others. */
async function stopBetweenWrites(child: Child, folder: string): Promise<void> {
  const database = new DatabaseSync(join(folder, "journal.db"), { timeout: 0 });
  try {
    for (;;) {
      child.kill("SIGSTOP");
      await after(20);
      try {
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
        return;
      } catch {
        child.kill("SIGCONT");
        await after(20);
      }
    }
  } finally {
    database.close();
  }
}

/** Output of a run that is not killed. */
async function undisturbed(plan: Plan): Promise<unknown> {
  const engine = createEngine({ tools: effectTools(undefined) });
  const result = await runChain(plan, { engine, requestApproval: async () => ({ approved: true }) });
  expect(result.status).toBe("success");
  return result.output;
}

/** Kills the process that executes a handful of runs until they have ended, and checks the outcome. */
async function round(number: number, max: number): Promise<{ kills: number; broken: string[] }> {
  const seeds = Array.from({ length: chainsAtOnce }, (_, i) => firstSeed + number * chainsAtOnce + i);
  const { folder, words, plans } = prepare("round", seeds);
  const others = seeds.map((seed, index) => ({ seed, runId: `${index % 2 === 0 ? "agent" : "call"}-${seed}` }));
  words.push(...others.map(({ seed, runId }) => `${seed}:${runId}`));
  const cancel = [`run-${seeds[0]}`];
  const promises = await crash({ folder, words, kills: max, seed: firstSeed * 1000 + number, cancel });
  const effects = readEffects(join(folder, "effects.ndjson"));
  const broken = gaps(join(folder, "journal.db"));
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  try {
    for (const [runId, plan] of plans) {
      broken.push(
        ...brokenRules(runId, plan, effects),
        ...(await brokenEnd({ store, promises, effects }, runId, plan)),
      );
    }
    for (const { seed, runId } of others) {
      broken.push(...doubledEffects(runId, effects), ...(await brokenOther(store, runId, seed)));
    }
    broken.push(...(await lostApprovals(store, promises)));
  } finally {
    await store.close();
  }
  return { kills: promises.kills, broken };
}

interface Seen {
  readonly store: SqliteStore;
  readonly promises: Promises;
  readonly effects: readonly EffectLine[];
}

/** Checks that the run ended with the expected output; a cancelled one may have ended before the cancellation. */
async function brokenEnd({ store, promises, effects }: Seen, runId: string, plan: Plan): Promise<string[]> {
  const stored = await store.runs.read(runId);
  if (stored === undefined) return [`${runId} was acknowledged, and is gone`];
  const { status, output = "null" } = stored.run;
  const requested = promises.cancelled.get(runId);
  const late = effects.filter(
    // Calls after a cancellation are compensations; a busy machine notices the cancellation late.
    ({ key, at }) =>
      requested !== undefined && key.startsWith(`${runId}/`) && !key.includes("^") && at > requested + 5000,
  );
  const broken = late.map(({ key }) => `${key} was done long after the run was cancelled`);
  if (status === "cancelled" && requested !== undefined) return broken;
  if (status !== "success") return [...broken, `${runId} ended as ${status}: ${stored.run.error}`];
  const right = JSON.stringify(await undisturbed(plan));
  return JSON.stringify(JSON.parse(output)) === right ? broken : [...broken, `${runId} gave ${output}, not ${right}`];
}

/** Checks that an agent or a durable call ended with the expected output. */
async function brokenOther(store: SqliteStore, runId: string, seed: number): Promise<string[]> {
  const run = (await store.runs.read(runId))?.run;
  if (run?.status !== "success") return [`${runId} ended as ${run?.status}: ${run?.error}`];
  const [output, right] = [
    run.output ?? "",
    runId.startsWith("call-") ? JSON.stringify(generateCall(seed).output) : answerOf(seed),
  ];
  return output.includes(right) ? [] : [`${runId} gave ${output}, not ${right}`];
}

/** One approval for each step that needs one: an approved step does not request another. */
async function lostApprovals(store: SqliteStore, { approved }: Promises): Promise<string[]> {
  const prompts = (await store.approvals.list(Date.now())).filter(({ interrupted }) => interrupted !== true);
  const steps = prompts.map(({ runId, step }) => `${runId}/${step}`);
  const twice = steps
    .filter((step, index) => steps.indexOf(step) !== index)
    .map((step) => `${step} was asked for twice`);
  const lost = prompts.filter(({ id, status }) => approved.has(id) && status !== "used" && status !== "approved");
  return [...twice, ...lost.map(({ id, status }) => `the approval ${id} was given, and is ${status}`)];
}

describe("[N12] kill -9 at any moment", () => {
  test(
    `${requestedKills} times: outputs are correct, nothing runs twice, and nothing is lost`,
    { timeout: 3_600_000, retry: 0 },
    async () => {
      let kills = 0;
      const broken: string[] = [];
      for (let number = 0; kills < requestedKills && broken.length === 0; number++) {
        const done = await round(number, requestedKills - kills);
        kills += done.kills;
        broken.push(...done.broken);
      }
      expect(broken).toEqual([]);
      expect(kills).toBe(requestedKills);
    },
  );

  test("the rules detect a journal that breaks its guarantees", { timeout: 300_000 }, async () => {
    const broken: string[] = [];
    for (let seed = 900; seed < 912 && broken.length === 0; seed++) {
      const { folder, words, plans } = prepare("hasty", [seed, seed + 100]);
      await crash({ folder, words, kills: 5, seed, fault: "hasty" }).catch((error: unknown) =>
        broken.push(String(error)),
      );
      const effects = readEffects(join(folder, "effects.ndjson"));
      for (const [runId, plan] of plans) broken.push(...brokenRules(runId, plan, effects));
    }
    expect(broken).not.toEqual([]);
  });
});

describe("[N12] two processes", () => {
  test("a dead holder's run is claimed long before its lease expires", { timeout: 120_000 }, async () => {
    const { folder, words } = prepare("adopt", [31]);
    const adopter = startChild(folder, ["adopt"]);
    await adopter.text("ready");
    const owner = startChild(folder, words);
    await owner.text("acknowledged");
    owner.kill("SIGKILL");
    const killedAt = Date.now();
    await owner.ended;
    const line = await adopter.text("adopted run-31");
    adopter.kill("SIGKILL");
    await adopter.ended;
    // Without a sign of life, a lease holds for 15 seconds.
    expect(Number(line.split(" ")[2]) - killedAt).toBeLessThan(5000);
  });

  test(
    "a run is never executed by both: the second joins, and both report the same end",
    { timeout: 120_000 },
    async () => {
      const { folder, words, plans } = prepare("both", quiet);
      const children = [startChild(folder, words), startChild(folder, words), startChild(folder, words)];
      const people = decide(folder);
      await Promise.all(children.map(({ ended }) => ended));
      await people();
      const effects = readEffects(join(folder, "effects.ndjson"));
      for (const [runId, plan] of plans) {
        expect(brokenRules(runId, plan, effects)).toEqual([]);
        expect(new Set(effects.filter(({ key }) => key.startsWith(`${runId}/`)).map(({ pid }) => pid)).size).toBe(1);
        for (const { lines } of children) expect(lines).toContain(`over ${runId} success`);
      }
    },
  );

  test("a stopped holder loses its lease and cannot commit afterwards", { timeout: 120_000 }, async () => {
    const { folder, words } = prepare("stopped", quiet);
    const owner = startChild(folder, words, { silenceMs: 1500 });
    const people = decide(folder);
    for (const word of words) await owner.text(`acknowledged ${word.split(":")[1]}`);
    await stopBetweenWrites(owner, folder);
    const heir = startChild(folder, words, { silenceMs: 1500 });
    expect(await heir.ended).toBe(0);
    const before = eventsIn(folder);
    const effects = readEffects(join(folder, "effects.ndjson")).filter(
      ({ effect }) => effect !== "read" && effect !== "pure",
    );
    owner.kill("SIGCONT");
    await owner.ended;
    await people();
    const taken = words
      .map((word) => word.split(":")[1] ?? "")
      .filter((id) => heir.lines.includes(`over ${id} success`));
    expect(taken.length).toBeGreaterThan(0);
    // It wrote nothing and caused no effect; it reports that other processes hold the runs.
    expect(eventsIn(folder)).toBe(before);
    const after = readEffects(join(folder, "effects.ndjson")).filter(
      ({ effect }) => effect !== "read" && effect !== "pure",
    );
    expect(after.filter(({ what }) => what === "begin").length).toBe(
      effects.filter(({ what }) => what === "begin").length,
    );
    expect(owner.lines.filter((line) => line.startsWith("lost")).every((line) => line.endsWith("run_lost"))).toBe(true);
    expect(owner.lines.some((line) => line.startsWith("lost"))).toBe(true);
  });
});
