import type { RunFacts } from "./run-facts.ts";

/** A run that is about to be executed, from its beginning or from where it was left. */
export interface ObservedRun {
  readonly runId: string;
  readonly chain: string;
  /** Something of it was done in an earlier life. */
  readonly resumed: boolean;
}

/** Put around runs of chains, to see them and to have something in effect meanwhile, such as a trace. */
export interface RunObserver {
  /** Has to execute it, and to give back what that gives. */
  run<T extends { readonly facts: RunFacts }>(run: ObservedRun, execute: () => Promise<T>): Promise<T>;
}
