import type {
  CallOutcome,
  CancelOutcome,
  DecidedOutcome,
  InterruptedOutcome,
  Plan,
  RunFacts,
  RunListener,
  StepWork,
  Wait,
} from "../../chain/index.ts";
import type { OwnTool } from "./own-step.ts";

/** One call, of a tool or of the model. */
export interface CallWish {
  readonly kind: "call";
  readonly key: string;
  readonly work: StepWork;
  readonly onProgress: ((value: unknown) => void) | undefined;
}

/** A wait, for a person or for time to pass. */
export interface WaitWish {
  readonly kind: "wait";
  readonly key: string;
  readonly what: Wait;
  readonly onAsked: ((approvalId: string, note: string | undefined) => void) | undefined;
}

/** Several flows beside each other. */
export interface AllWish {
  readonly kind: "all";
  readonly flows: readonly Flow<unknown>[];
  /** How many go on at the same time. */
  readonly atOnce: number;
}

/** A whole chain, in the journal of the same run. */
export interface ChainWish {
  readonly kind: "chain";
  readonly key: string;
  readonly plan: Plan;
  readonly input: unknown;
  readonly onEvent: RunListener | undefined;
  /** Steps whose work is a flow, by the names of their tools. */
  readonly own?: ReadonlyMap<string, OwnTool>;
}

/** What a flow can ask for. */
export type Wish = CallWish | WaitWish | AllWish | ChainWish;

/**
 * Work that says what it wants and is told what came of it, and touches nothing else. So it goes the same way when a
 * run is told again from its journal, and can stop at any wish and be taken up by another process.
 */
// What comes back depends on the wish, and is `any` here; the functions below know which it is.
export type Flow<T> = Generator<Wish, T>;

/** Makes a call. The process may have ended while it ran: then nobody knows what came of it. */
export function* call(
  key: string,
  work: StepWork,
  onProgress?: (value: unknown) => void,
): Flow<CallOutcome | InterruptedOutcome> {
  return yield { kind: "call", key, work, onProgress };
}

/** Waits for a person; `cancel` where the run was cancelled meanwhile. */
export function* decision(
  key: string,
  what: Extract<Wait, { kind: "approval" }>,
  onAsked?: WaitWish["onAsked"],
): Flow<DecidedOutcome | CancelOutcome> {
  return yield { kind: "wait", key, what, onAsked };
}

/** What the flows give, in their order. Where one breaks, those that have begun end, and no other begins. */
export function* all<T>(flows: readonly Flow<T>[], atOnce: number = Infinity): Flow<T[]> {
  if (flows.length === 0) return [];
  // One alone needs nobody who gathers.
  if (flows.length === 1) return [yield* flows[0] as Flow<T>];
  return yield { kind: "all", flows, atOnce };
}

/** Runs a chain to its end. */
export function* runPlan(parts: Omit<ChainWish, "kind">): Flow<RunFacts> {
  return yield { kind: "chain", ...parts };
}
