import type { SubjectKind } from "./subject.ts";
import type { Spread } from "./statistics.ts";

/** One line of a table. */
export interface Row {
  readonly id: string;
  /** Of the package, for peers. */
  readonly version?: string;
  /** CPU time of the main thread per call, task, record or step, in microseconds. */
  readonly cpuUs: Spread;
  /** To the first floor, within the same round. */
  readonly ratio: Spread;
  /** Bytes allocated by one call, or held by one queued task. */
  readonly bytes?: number;
  /** It is so slow that it was measured once. */
  readonly once?: true;
}

/** What something took, or that it did not come to its end in time. */
export type Cost = { readonly ms: Spread; readonly ratio: Spread; readonly once?: true } | { readonly overMs: number };

/** CPU time of the main thread for 1,000 and 10,000 steps, to the floor in the same round. */
export interface FanoutRow {
  readonly id: string;
  readonly version?: string;
  readonly small: Cost;
  readonly large: Cost;
}

/** The time that passes, to the least that it can take. */
export interface WaitRow {
  readonly id: string;
  readonly version?: string;
  readonly wall: Cost;
  /** CPU time of the main thread meanwhile. */
  readonly cpuMs?: Spread;
}

export interface DurableRow extends RecordRow {
  /** Milliseconds a step takes when only one run goes on. */
  readonly aloneMs: Spread;
}

export interface RecordRow extends Row {
  readonly perSecond: Spread;
  /** Main-thread CPU time per elapsed time. */
  readonly mainShare: number;
}

/** CPU time of the main thread per turn, in microseconds, in a conversation of a few turns and of many. */
export interface AgentCosts {
  readonly few: Pick<Row, "cpuUs" | "ratio">;
  readonly many: Pick<Row, "cpuUs" | "ratio">;
}

/** Turns with one tool call, and with eight. */
export interface AgentRow {
  readonly id: string;
  readonly version?: string;
  readonly one: AgentCosts;
  readonly eight: AgentCosts;
}

export interface StartRow {
  readonly id: string;
  readonly version?: string;
  /** CPU time of the whole process, in milliseconds; absent where the shell cannot tell. */
  readonly cpuMs?: Spread;
  readonly wallMs: Spread;
  readonly cpuRatio?: Spread;
  readonly wallRatio: Spread;
}

export interface Suites {
  readonly sync?: readonly Row[];
  readonly async?: readonly Row[];
  readonly limit?: readonly Row[];
  readonly records?: readonly RecordRow[];
  readonly sequence?: readonly Row[];
  readonly fanout?: readonly FanoutRow[];
  readonly dag?: readonly WaitRow[];
  readonly concurrent?: readonly WaitRow[];
  readonly durable?: readonly DurableRow[];
  readonly agent?: readonly AgentRow[];
  readonly start?: readonly StartRow[];
}

export interface Verdict {
  readonly id: string;
  readonly what: string;
  readonly budget: string;
  /** Undefined when it was not measured. */
  readonly value?: number;
  readonly holds: boolean;
}

/** What `bench/results.json` holds. */
export interface Results {
  readonly format: 1;
  readonly measuredAt: string;
  readonly node: string;
  readonly platform: string;
  readonly subject: SubjectKind;
  readonly rounds: number;
  /** Contenders that could not be measured, and why. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  readonly budgets: readonly Verdict[];
  readonly suites: Suites;
}
