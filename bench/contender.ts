import type { CallRecord } from "../src/store/index.ts";

/** The kind of handler that a contender calls. */
export type Answering = "sync" | "async";

/** A way to call a tool once. */
export interface CallContender {
  /** Converts plain arguments to the input of the contender, before anything is measured. */
  readonly prepare?: (args: Arguments) => unknown;
  readonly call: (input: never) => unknown;
  /** Extracts the output from the result of a call; throws if the call was rejected. */
  readonly outputOf: (answer: unknown) => unknown;
}

/** A way to run many tasks, ten at a time. */
export interface LimitContender {
  readonly limited: (task: () => Promise<void>) => Promise<unknown>;
}

/** A way to write records to disk. */
export interface RecordContender {
  /** Does the unmeasured preparation. The returned function writes the records and finishes when they are on disk. */
  readonly prepare: (records: readonly CallRecord[]) => () => Promise<void> | void;
  /** Returns the number of stored records. */
  readonly count: () => Promise<number>;
}

/** A way to run dependent steps; throws if a step fails. */
export interface ChainContender {
  readonly run: (value: number) => Promise<unknown>;
}

/** A way to let a model call tools until it answers; returns its answer. */
export interface AgentContender {
  readonly run: () => Promise<string>;
}

/** A server that listens, with the tool `echo`. */
export interface HttpContender {
  readonly url: string;
  readonly token: string;
}

/** A way to run a graph of steps; returns their outputs in order. */
export interface DagContender {
  readonly run: () => Promise<unknown>;
}

/** A way to run steps so that a crash loses no step that was started. */
export interface DurableContender {
  /** Executes this number of concurrent runs and resolves with their outputs once everything is on disk. */
  readonly run: (runs: number) => Promise<readonly unknown[]>;
  /** Returns the number of steps on disk. */
  readonly steps: () => Promise<number>;
}

/** Arguments of one call. */
export interface Arguments {
  readonly query: string;
  readonly limit?: number;
  readonly tags?: string[];
  readonly range?: { from: string; to: string };
}

/** A request to a child process. */
export type Prompt =
  /**
   * Warms up and determines the number of repetitions for a sample of `sampleMs`. If a single repetition takes longer
   * than `slowMs`, it is the sample.
   */
  | { readonly kind: "warm"; readonly warmMs: number; readonly sampleMs: number; readonly slowMs: number }
  | { readonly kind: "sample" }
  /** Bytes allocated by one call, or held by one queued task. */
  | { readonly kind: "bytes" };

/** One measured sample. */
export interface Sample {
  /** Work units done: calls, tasks, steps, … */
  readonly units: number;
  /** CPU time of the main thread, in microseconds. */
  readonly cpuUs: number;
  readonly wallUs: number;
}

export type Answer =
  | { readonly ok: true; readonly sample?: Sample; readonly bytes?: number }
  | { readonly ok: false; readonly error: string };
