import type { ResultMeta } from "../../tool/index.ts";
import type { ItemState, StepState } from "./step-state.ts";

/** Records facts about a call, besides its output, with a step or one of its items. */
export function recordCallFacts(state: StepState, meta: ResultMeta, item: number | undefined): void {
  const plain = isPlain(meta);
  noteCached(item === undefined ? state : state.items?.[item], !plain && meta["cached"] === true);
  if (plain) return;
  const facts = factsOf(meta);
  if (facts !== undefined) state.facts = joinFacts(state.facts, facts);
}

/** The last call counts: its output is the one that is used. */
function noteCached(of: StepState | ItemState | undefined, cached: boolean): void {
  if (of !== undefined && (cached || of.cached === true)) of.cached = cached;
}

/** True if it holds only the fields that the engine sets for every call. */
function isPlain(meta: ResultMeta): boolean {
  let count = 0;
  for (const _ in meta) count++;
  return count === 3;
}

/** Facts that the handler reported, without those that the engine sets itself. */
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

/** Facts that several calls of a step reported: tokens add up, of everything else the last value counts. */
function joinFacts(
  before: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const [some, more] = [before?.["tokensUsed"], now["tokensUsed"]];
  const tokens = typeof some === "number" && typeof more === "number" ? { tokensUsed: some + more } : {};
  return before === undefined ? now : { ...before, ...now, ...tokens };
}
