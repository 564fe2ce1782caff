/** Runs one contender in its own process, on requests of the parent: `child.ts WORK FILE [SETTING] [VARIANT]`. */
import { agentWork } from "./agent-work.ts";
import { concurrentWork, dagWork, durableWork, fanoutWork, sequenceWork } from "./chain-work.ts";
import type { Answer, Prompt, Sample } from "./contender.ts";
import { mainThreadCpuUs } from "./cpu-time.ts";
import { httpWork } from "./http-work.ts";
import { type Work, callWork, limitWork, recordWork } from "./work.ts";

const [kind = "", ...rest] = process.argv.slice(2);
const kinds: Readonly<Record<string, (args: readonly string[]) => Promise<Work>>> = {
  call: callWork,
  limit: limitWork,
  records: recordWork,
  sequence: sequenceWork,
  fanout: fanoutWork,
  dag: dagWork,
  concurrent: concurrentWork,
  durable: durableWork,
  agent: agentWork,
  http: httpWork,
};

try {
  const create = kinds[kind];
  if (create === undefined) throw new Error(`unknown work "${kind}"`);
  serve(await create(rest));
} catch (error) {
  report({ ok: false, error: error instanceof Error ? error.message : String(error) });
}

function serve(work: Work): void {
  let repetitions = 1;
  const answer = async (prompt: Prompt): Promise<Answer> => {
    switch (prompt.kind) {
      case "warm": {
        const warmed = await warm(work, prompt);
        if (typeof warmed === "object") return { ok: true, sample: warmed };
        repetitions = warmed;
        return { ok: true };
      }
      case "sample":
        return { ok: true, sample: await sample(work, repetitions) };
      case "bytes":
        if (work.bytes === undefined) throw new Error("this work does not count bytes");
        return { ok: true, bytes: await work.bytes() };
    }
  };
  process.on("message", (prompt: Prompt) => {
    answer(prompt).then(report, (error: unknown) => report({ ok: false, error: String(error) }));
  });
  // Work that a contender has not finished must not keep the process alive.
  process.on("disconnect", () => process.exit());
  report({ ok: true });
}

/**
 * Warms up the optimizer for `warmMs` of CPU time, or five times as long in elapsed time if the work mostly waits, and
 * returns the number of repetitions per sample. Slow work is not repeated: its first repetition is the sample.
 */
async function warm(work: Work, { warmMs, sampleMs, slowMs }: Prompt & { kind: "warm" }): Promise<number | Sample> {
  let leftUs = warmMs * 1000;
  let repetitions = 1;
  let perRepetition = Infinity;
  while (leftUs > 0) {
    const done = await sample(work, repetitions);
    if (repetitions === 1 && done.wallUs > slowMs * 1000) return done;
    leftUs -= work.waits === true ? Math.max(done.cpuUs, done.wallUs / 5) : done.cpuUs;
    perRepetition = done.cpuUs / repetitions;
    if (work.waits !== true && done.cpuUs < sampleMs * 1000) repetitions *= 2;
  }
  return work.waits === true ? 1 : Math.max(1, Math.round((sampleMs * 1000) / perRepetition));
}

async function sample(work: Work, repetitions: number): Promise<Sample> {
  const repeat = work.prepare(repetitions);
  const main = mainThreadCpuUs();
  const wall = performance.now();
  const repeated = repeat();
  if (repeated instanceof Promise) await repeated;
  const wallUs = (performance.now() - wall) * 1000;
  const cpuUs = mainThreadCpuUs() - main;
  return { units: repetitions * work.units, cpuUs, wallUs };
}

function report(answer: Answer): void {
  // The parent no longer listens if the contender took too long; errors are ignored.
  process.send?.(answer, () => {});
}
