/** One contender in one process, asked by its parent: `child.ts call|limit|records FILE [sync|async] [VARIANT]`. */
import type { Answer, Question, Sample } from "./contender.ts";
import { mainThreadCpuUs } from "./cpu-time.ts";
import { type Work, callWork, limitWork, recordWork } from "./work.ts";

const [kind = "", ...rest] = process.argv.slice(2);
const kinds: Readonly<Record<string, (args: readonly string[]) => Promise<Work>>> = {
  call: callWork,
  limit: limitWork,
  records: recordWork,
};

try {
  const create = kinds[kind];
  if (create === undefined) throw new Error(`there is no work named "${kind}"`);
  serve(await create(rest));
} catch (error) {
  tell({ ok: false, error: error instanceof Error ? error.message : String(error) });
}

function serve(work: Work): void {
  let repetitions = 1;
  const answer = async (question: Question): Promise<Answer> => {
    switch (question.kind) {
      case "warm":
        repetitions = await warm(work, question);
        return { ok: true };
      case "sample":
        return { ok: true, sample: await sample(work, repetitions) };
      case "bytes":
        return { ok: true, bytes: await work.bytes() };
    }
  };
  process.on("message", (question: Question) => {
    answer(question).then(tell, (error: unknown) => tell({ ok: false, error: String(error) }));
  });
  // Whatever a contender left running must not keep it alive.
  process.on("disconnect", () => process.exit());
  tell({ ok: true });
}

/** Works for `warmMs` of CPU time, for the optimiser's sake; then tells how many repetitions one sample takes. */
async function warm(work: Work, { warmMs, sampleMs }: { warmMs: number; sampleMs: number }): Promise<number> {
  let leftUs = warmMs * 1000;
  let repetitions = 1;
  let perRepetition = Infinity;
  while (leftUs > 0) {
    const { cpuUs } = await sample(work, repetitions);
    leftUs -= cpuUs;
    perRepetition = cpuUs / repetitions;
    if (cpuUs < sampleMs * 1000) repetitions *= 2;
  }
  return Math.max(1, Math.round((sampleMs * 1000) / perRepetition));
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

function tell(answer: Answer): void {
  process.send?.(answer);
}
