import type { ResultMeta } from "../../tool/index.ts";
import type { StepState } from "./step-state.ts";

/** Keeps with a step what is known of one of its calls besides the output. */
export function noteFacts(state: StepState, meta: ResultMeta): void {
  if (meta["cached"] === true) state.cached = true;
  const facts = factsOf(meta);
  if (facts !== undefined) state.facts = joinFacts(state.facts, facts);
}

/** What the handler reported, apart from what the engine says itself. */
function factsOf(meta: ResultMeta): Readonly<Record<string, unknown>> | undefined {
  let facts: Record<string, unknown> | undefined;
  for (const name in meta) {
    if (name === "callId" || name === "source" || name === "attempts" || name === "cached" || name === "abandoned")
      continue;
    facts ??= {};
    facts[name] = meta[name];
  }
  return facts;
}

/** What several calls of a step reported: tokens add up, of everything else the last word counts. */
function joinFacts(
  before: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const [some, more] = [before?.["tokensUsed"], now["tokensUsed"]];
  const tokens = typeof some === "number" && typeof more === "number" ? { tokensUsed: some + more } : {};
  return before === undefined ? now : { ...before, ...now, ...tokens };
}
