import type { CallRecord } from "../src/store/index.ts";

/** How the handler of a contender answers. */
export type Answering = "sync" | "async";

/** One way to make one call of a tool. */
export interface CallContender {
  /** What the contender takes instead of plain arguments, made before anything is measured. */
  readonly prepare?: (args: Arguments) => unknown;
  readonly call: (given: never) => unknown;
  /** What the call gave, taken out of whatever envelope it comes in; throws when the call was refused. */
  readonly outputOf: (answer: unknown) => unknown;
}

/** One way to run many tasks, ten at a time. */
export interface LimitContender {
  readonly limited: (task: () => Promise<void>) => Promise<unknown>;
}

/** One way to put records on the disk. */
export interface RecordContender {
  /** Gets ready what is not measured; the function it gives writes the records and ends when they are on the disk. */
  readonly prepare: (records: readonly CallRecord[]) => () => Promise<void> | void;
  /** How many there are. */
  readonly count: () => Promise<number>;
}

/** One way to run steps that need each other; throws when a step fails. */
export interface ChainContender {
  readonly run: (value: number) => Promise<unknown>;
}

/** One way to let a model call tools until it answers; gives its answer. */
export interface AgentContender {
  readonly run: () => Promise<string>;
}

/** One way to run a graph of steps; gives what they gave, in order. */
export interface DagContender {
  readonly run: () => Promise<unknown>;
}

/** One way to run steps so that a crash loses nothing that was begun. */
export interface DurableContender {
  /** Executes so many runs side by side; all that they did is on the disk when it resolves with what they gave. */
  readonly run: (runs: number) => Promise<readonly unknown[]>;
  /** How many steps are on the disk. */
  readonly steps: () => Promise<number>;
}

/** What one call is given. */
export interface Arguments {
  readonly query: string;
  readonly limit?: number;
  readonly tags?: string[];
  readonly range?: { from: string; to: string };
}

/** What a child process is asked for. */
export type Question =
  /**
   * Warms up and finds out how many repetitions make a sample of `sampleMs`. When a single one takes longer than
   * `slowMs`, it is the sample.
   */
  | { readonly kind: "warm"; readonly warmMs: number; readonly sampleMs: number; readonly slowMs: number }
  | { readonly kind: "sample" }
  /** Bytes allocated by one call, or held by one queued task. */
  | { readonly kind: "bytes" };

/** What it answers. */
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
