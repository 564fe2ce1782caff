import type { SubjectKind } from "./subject.ts";
import type { Spread } from "./statistics.ts";

/** One row of a table. */
export interface Row {
  readonly id: string;
  /** Version of the package, for peers. */
  readonly version?: string;
  /** CPU time of the main thread per call, task, record or step, in microseconds. */
  readonly cpuUs: Spread;
  /** Ratio to the baseline, within the same round. */
  readonly ratio: Spread;
  /** Bytes allocated by one call, or held by one queued task. */
  readonly bytes?: number;
  /** Set if the contender is so slow that it was measured once. */
  readonly once?: true;
}

/** The measured time, or the limit that was exceeded. */
export type Cost = { readonly ms: Spread; readonly ratio: Spread; readonly once?: true } | { readonly overMs: number };

/** CPU time of the main thread for 1,000 and 10,000 steps, with the ratio to the baseline in the same round. */
export interface FanoutRow {
  readonly id: string;
  readonly version?: string;
  readonly small: Cost;
  readonly large: Cost;
}

/** Elapsed time, with the ratio to the lower bound. */
export interface WaitRow {
  readonly id: string;
  readonly version?: string;
  readonly wall: Cost;
  /** CPU time of the main thread during that time. */
  readonly cpuMs?: Spread;
}

export interface DurableRow extends RecordRow {
  /** Milliseconds per step if only one run is running. */
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

/** Costs of turns with one tool call, and with eight. */
export interface AgentRow {
  readonly id: string;
  readonly version?: string;
  readonly one: AgentCosts;
  readonly eight: AgentCosts;
}

/** CPU time of a prompt, in milliseconds, in a conversation with few earlier prompts and with many. */
export interface ConversationRow {
  readonly id: string;
  readonly early: Spread;
  readonly late: Spread;
  readonly ratio: Spread;
}

export interface StartRow {
  readonly id: string;
  readonly version?: string;
  /** CPU time of the whole process, in milliseconds; undefined if it cannot be measured. */
  readonly cpuMs?: Spread;
  readonly wallMs: Spread;
  readonly cpuRatio?: Spread;
  readonly wallRatio: Spread;
  /** Size of `dist` in the installed package, in megabytes. */
  readonly distMb?: number;
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
  readonly conversation?: readonly ConversationRow[];
  readonly http?: readonly Row[];
  readonly start?: readonly StartRow[];
}

export interface Verdict {
  readonly id: string;
  readonly what: string;
  readonly budget: string;
  /** Undefined if it was not measured. */
  readonly value?: number;
  readonly holds: boolean;
}

/** Contents of `bench/results.json`. */
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
