import { type AgentSpec, agentDefaults } from "../../../src/agent/index.ts";
import type { Model } from "../../../src/model/index.ts";
import { scriptedModel } from "../../../src/testing/model/scripted-model.ts";
import { seeded } from "./seeded.ts";

/** A call of one of the effect tools. */
export interface EffectCall {
  readonly tool: string;
  readonly args: { readonly value: number; readonly ms: number };
}

const tools = ["calc", "look", "put", "send", "wipe"] as const;

function effectCall(random: ReturnType<typeof seeded>): EffectCall {
  return { tool: random.pick([...tools]), args: { value: random.upTo(100), ms: random.upTo(40) } };
}

/** A durable call of the crash suite, and its output. */
export function generateCall(seed: number): EffectCall & { readonly output: unknown } {
  const call = effectCall(seeded(seed));
  return { ...call, output: { value: call.args.value + 1 } };
}

/** The calls that the agent of a seed makes, by round. */
function roundsOf(seed: number): readonly (readonly EffectCall[])[] {
  const random = seeded(seed);
  return Array.from({ length: 2 + random.upTo(3) }, () =>
    Array.from({ length: 1 + random.upTo(3) }, () => effectCall(random)),
  );
}

/** The agents of the crash suite. */
export const agentSpec: AgentSpec = { ...agentDefaults, runner: "autonomous" };

/** The answer of an agent whose calls all returned the right values. */
export function answerOf(seed: number): string {
  const values = roundsOf(seed).flatMap((calls) => calls.map(({ args }) => args.value + 1));
  return `the sum is ${values.reduce((sum, value) => sum + value, 0)}.`;
}

/** A model that reads the seed in the prompt, requests the calls of its agent, and adds up their results. */
export function countingModel(): Model {
  return scriptedModel(({ prompt }) => {
    const seed = Number(/seed (\d+)/.exec(JSON.stringify(prompt.filter(({ role }) => role === "user")))?.[1]);
    const round = prompt.filter(({ role }) => role === "assistant").length;
    const calls = roundsOf(seed)[round];
    if (calls !== undefined) {
      const toolCalls = calls.map(({ tool: name, args }, index) => ({ name, args, id: `c${round}-${index}` }));
      return { text: `round ${round}`, toolCalls };
    }
    const results = JSON.stringify(prompt.filter(({ role }) => role === "tool"));
    const values = [...results.matchAll(/\bvalue\b\W+(\d+)/g)].map(([, value]) => Number(value));
    return `the sum is ${values.reduce((sum, value) => sum + value, 0)}.`;
  });
}
