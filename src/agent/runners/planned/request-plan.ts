import { findToolsName } from "../../../hub/index.ts";
import { type ModelTurn, type TurnToolCall, textOfTurn } from "../../../model/index.ts";
import type { Flow } from "../../flow/flow.ts";
import { type Talk, askInRoom } from "../../loop/converse.ts";
import { type MeantCall, meantCalls } from "../../loop/meaning.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { planTerms } from "./plan-terms.ts";

/** What a model wants to know before it answers. */
export interface Plan {
  readonly calls: readonly TurnToolCall[];
  /** The words that matter in the question; empty where it did not tell. */
  readonly terms: readonly string[];
}

/** A plan with the answer that it was read from. */
export interface ToldPlan extends Plan {
  readonly turn: ModelTurn;
  readonly calls: readonly MeantCall[];
  /** It looks for tools first. */
  readonly looks: boolean;
}

/** For a model that plans with its tools bound. */
export const planRules: readonly string[] = [
  "Do not answer the message yet. Call the tools that you need to answer it, all of them now and at once: their results " +
    "come back together, then you answer, and no more can be called. Call none where none is needed. Write nothing " +
    "besides, except one line `terms: …, …` with the words that matter most for a search, in the language of the notes.",
];

/** Where the message has commands. */
export const commandsRule: string =
  "Commands such as @vault in the message are carried out without you: plan what is needed besides.";

/** Asks the model once which tools to call. */
export function* askPlan(run: AgentRun, talk: Talk, round: number): Flow<ToldPlan> {
  const turn = yield* askInRoom(run, talk, { place: { part: talk.part, round }, must: undefined });
  const calls = meantCalls(turn);
  const looks = calls.some(({ name, broken }) => name === findToolsName && broken === undefined);
  return { turn, calls, looks, terms: planTerms(textOfTurn(turn), calls) };
}
