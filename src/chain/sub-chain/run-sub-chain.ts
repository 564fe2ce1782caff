import type { RunProgram } from "../../run/index.ts";
import type { RunListener } from "../interpreter/run-events.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import type { Plan } from "../plan/plan.ts";
import { NestedChain } from "./nested-chain.ts";
import type { ProgramTool } from "./program-step.ts";

/** A whole chain inside of another run, in the journal of that run. */
export interface SubChain {
  /** Prefix of its keys in the journal. */
  readonly key: string;
  readonly plan: Plan;
  readonly input: unknown;
  readonly onEvent: RunListener | undefined;
  /** Steps whose work is a program, by the names of their tools. */
  readonly own?: ReadonlyMap<string, ProgramTool>;
}

/** Runs a chain to its end. */
export function* runSubChain(chain: SubChain): RunProgram<RunFacts> {
  // The result of a nested chain is its facts.
  return (yield { kind: "nested", open: (runner, onEnd) => new NestedChain(runner, chain, onEnd) }) as RunFacts;
}
