import { defaultBreakerLimits } from "../../base/index.ts";

/** Limits on concurrency, time and the size of results. */
export interface HubLimits {
  /** Candidates that run at the same time. */
  readonly maxParallel: number;
  /** Timeout of a candidate that states none. */
  readonly toolTimeoutMs: number;
  /** Time for which a success or a failure affects the order of candidates. */
  readonly recencyMs: number;
  /** Consecutive failures after which a candidate is skipped. */
  readonly failureThreshold: number;
  /** For how long at first; twice as long each time that it fails again. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
  /** Results that are longer than this, all together, are merged without a model. */
  readonly synthesisChars: number;
  /** The same for more results than this. */
  readonly synthesisResults: number;
  /** Timeout of the model request. */
  readonly synthesisTimeoutMs: number;
  /** Characters of one result that a model reads, by kind; more for a search if there are at most two results. */
  readonly calculateChars: number;
  readonly searchChars: number;
  readonly searchFewChars: number;
  readonly extractChars: number;
  readonly otherChars: number;
  /** Characters of one result in a merge without a model. */
  readonly mergeChars: number;
  /** Maximum characters of a model's answer. */
  readonly answerChars: number;
}

/** Default limits. */
export const defaultHubLimits: HubLimits = {
  maxParallel: 3,
  toolTimeoutMs: 30_000,
  recencyMs: 300_000,
  ...defaultBreakerLimits,
  synthesisChars: 2_000,
  synthesisResults: 3,
  synthesisTimeoutMs: 10_000,
  calculateChars: 100,
  searchChars: 200,
  searchFewChars: 300,
  extractChars: 300,
  otherChars: 250,
  mergeChars: 300,
  answerChars: 4_000,
};
