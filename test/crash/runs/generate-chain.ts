import type { ChainSpec, StepSpec } from "../../../src/chain/index.ts";
import { seeded } from "./seeded.ts";

/** A chain of the crash suite, and the chains it calls. */
export interface Generated {
  readonly chain: ChainSpec;
  readonly children: readonly ChainSpec[];
}

type Random = ReturnType<typeof seeded>;

/**
 * Chains with diamonds, loops, sub-chains, approvals, retries and fallbacks. Every step adds to the values it reads, so
 * that the output shows whether each step ran with the right values; fallbacks return the output of the step itself.
 */
export function generateChain(seed: number): Generated {
  const random = seeded(seed);
  const children = [child(`child-${seed}-a`, random), child(`child-${seed}-b`, random)];
  const steps: StepSpec[] = [];
  const count = 5 + random.upTo(7);
  for (let i = 0; i < count; i++) steps.push(step(i, steps, { random, children }));
  const chain = {
    name: `crash-${seed}`,
    max_parallel: 1 + random.upTo(5),
    steps,
    output: {
      total: sum(
        steps.map(({ id }) => id),
        0,
      ),
    },
  };
  return { chain, children };
}

interface Making {
  readonly random: Random;
  readonly children: readonly ChainSpec[];
}

function step(index: number, before: readonly StepSpec[], { random, children }: Making): StepSpec {
  const id = `s${index}`;
  const reads = before.filter(() => random.chance(index < 3 ? 0.7 : 0.35)).map((other) => other.id);
  const params = { value: sum(reads, index + 1), ms: random.upTo(12) };
  // Its condition holds for every failure, including a rejection.
  const stand = { condition: "${error}", tool: "look", params };
  const kind = random.upTo(12);
  if (kind === 0) return { id, tool: "calc", params };
  if (kind <= 2) return { id, tool: "look", params };
  if (kind <= 4)
    return {
      id,
      tool: "put",
      params,
      ...(random.chance(0.3) && { compensate: { tool: "put", params: { value: 0 } } }),
    };
  // A lookup decides whether the work of an interrupted call was done, as people do.
  if (kind <= 6) return { id, tool: "send", params, error_handling: { strategy: "fallback", fallback: [stand] } };
  if (kind === 7) return { id, tool: "flaky", params, retry: { max: 20, delay: "5ms", backoff: "fixed" } };
  if (kind === 8)
    return {
      id,
      tool: "broken",
      params,
      error_handling: { strategy: "fallback", fallback: [stand] },
      retry: { max: 1, delay: "3ms" },
    };
  if (kind === 9) {
    const list = Array.from({ length: 2 + random.upTo(4) }, (_, n) => n);
    return {
      id,
      tool: random.pick(["put", "look", "flaky"]),
      for_each: list,
      concurrency: 2,
      retry: { max: 20, delay: "3ms", backoff: "fixed" },
      params: { value: "${item}", ms: params.ms },
    };
  }
  if (kind === 10) return { id, tool: random.pick(children).name, params: { start: params.value } };
  return {
    id,
    tool: random.pick(["put", "send"]),
    params,
    approval: `Do ${id}?`,
    error_handling: { strategy: "fallback", fallback: [stand] },
  };
}

function child(name: string, random: Random): ChainSpec {
  const steps: StepSpec[] = [
    { id: "first", tool: random.pick(["look", "put"]), params: { value: "${input.start}", ms: random.upTo(8) } },
    {
      id: "again",
      tool: "put",
      params: { value: "${steps.first.output.value}", ms: 2 },
      repeat: { until: "${index >= 2}", max: 5, delay: "2ms" },
    },
    {
      id: "last",
      tool: random.pick(["calc", "send"]),
      params: { value: "${steps.again.output.value}", ms: 3 },
      error_handling: {
        strategy: "fallback",
        fallback: [{ condition: "${error}", tool: "look", params: { value: "${steps.again.output.value}" } }],
      },
    },
  ];
  return { name, input: { start: "number" }, steps, output: { value: "${steps.last.output.value}" } };
}

/** The values of steps, of any kind, and a number. */
function sum(ids: readonly string[], start: number): string {
  const parts = ids.map((id) => `(steps.${id}.output.value ?? sum(steps.${id}.output[*].value ?? []))`);
  return `\${${[start, ...parts].join(" + ")}}`;
}
