// Executes runs on a database until it is killed, or follows commands; see run-journal.test.ts.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openSqlite } from "../../src/adapters/index.ts";
import { isFailureError } from "../../src/base/index.ts";
import type { RunLease } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { sampleEvent, sampleRun, settledCall } from "../conformance/sample-run.ts";

const [file = "", mode = "", name = ""] = process.argv.slice(2);
const store = await openSqlite({ file, redactor: createRedactor([]) });
const { owner } = store.runs.join();
const say = (line: string): void => void writeSync(1, `${line}\n`);

async function make(id: string): Promise<RunLease> {
  const made = await store.runs.create(sampleRun(id), owner);
  if ("existing" in made) throw new Error(`${id} exists`);
  return made.lease;
}

/** Executes runs forever, several at once, and prints what is durable: the last event of a run, or its end. */
async function writeRuns(): Promise<void> {
  const execute = async (id: string, steps: number): Promise<void> => {
    const lease = await make(id);
    say(`${id} 0`);
    for (let seq = 1; seq < 2 * steps; seq += 2) {
      const begun = store.runs.append(lease, { ...sampleEvent(seq), kind: "started" });
      // Some are awaited one by one, some together with the next.
      if (seq % 3 === 0) await begun;
      const output = { id, text: "x".repeat((seq * 31) % 3000) };
      await store.runs.append(lease, settledCall(seq + 1, output, { id: `${id}-${seq + 1}`, callerId: id }));
      say(`${id} ${seq + 1}`);
    }
    await store.runs.finish(lease, { status: "success", at: steps, output: String(steps) });
    say(`${id} over`);
  };
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let run = 0; ; run++) await execute(`${name}-${lane}-${run}`, 2 + ((run + lane) % 5) * 10);
  });
  await Promise.all(lanes);
}

/** Holds one run, and appends to it or ends it on command. */
async function holdRun(): Promise<void> {
  const lease = await make(name);
  await store.runs.append(lease, sampleEvent(1));
  say("ready");
  let seq = 1;
  const orders: Record<string, () => Promise<unknown> | undefined> = {
    append: () => store.runs.append(lease, settledCall(++seq, "late")),
    finish: () => store.runs.finish(lease, { status: "success", at: 1, output: '"stale"' }),
    heartbeat: () => store.runs.changes(owner, [name]),
    close: () => store.close(),
  };
  for await (const order of createInterface({ input: process.stdin })) {
    try {
      await orders[order]?.();
      say("ok");
    } catch (error) {
      say(isFailureError(error) ? error.code : String(error));
    }
  }
}

/** Creates a run without events. */
async function makeRun(): Promise<void> {
  await make(name);
  say("made");
  process.stdin.resume();
}

const modes: Record<string, () => Promise<void>> = { write: writeRuns, hold: holdRun, make: makeRun };
await modes[mode]?.();
