import type { RunFacts } from "./run-facts.ts";

/** A run that is about to be executed, from its start or resumed. */
export interface ObservedRun {
  readonly runId: string;
  readonly chain: string;
  /** Some of it was done in an earlier process. */
  readonly resumed: boolean;
}

/** Wraps runs of chains, to observe them and to have something in effect while they run, such as a trace. */
export interface RunObserver {
  /** Must execute the run, and return the result. */
  run<T extends { readonly facts: RunFacts }>(run: ObservedRun, execute: () => Promise<T>): Promise<T>;
}
