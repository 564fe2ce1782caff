import type { ResultMeta } from "../../tool/index.ts";
import type { ItemState, StepState } from "./step-state.ts";

/** Keeps with a step, or one of its items, what is known of one of its calls besides the output. */
export function noteFacts(state: StepState, meta: ResultMeta, item: number | undefined): void {
  const plain = isPlain(meta);
  noteCached(item === undefined ? state : state.items?.[item], !plain && meta["cached"] === true);
  if (plain) return;
  const facts = factsOf(meta);
  if (facts !== undefined) state.facts = joinFacts(state.facts, facts);
}

/** The last call counts: it is its output that is gone on with. */
function noteCached(of: StepState | ItemState | undefined, cached: boolean): void {
  if (of !== undefined && (cached || of.cached === true)) of.cached = cached;
}

/** Does it have nothing but what the engine says of every call? */
function isPlain(meta: ResultMeta): boolean {
  let count = 0;
  for (const _ in meta) count++;
  return count === 3;
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
