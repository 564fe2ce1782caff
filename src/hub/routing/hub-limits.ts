/** How much is tried at once, for how long, and how much of it is kept. */
export interface HubLimits {
  /** Candidates that run at the same time. */
  readonly atOnce: number;
  /** How long a candidate may take that states no timeout of its own. */
  readonly toolMs: number;
  /** How long a success or a failure decides who goes first. */
  readonly recentMs: number;
  /** Failures in a row after which a candidate is passed over. */
  readonly failures: number;
  /** For how long at first; twice as long each time that it fails again. */
  readonly restMs: number;
  readonly longestRestMs: number;
  /** Results that are longer than this, all together, are merged without a model. */
  readonly synthesisChars: number;
  /** The same for more results than this. */
  readonly synthesisResults: number;
  /** How long the model may take. */
  readonly synthesisMs: number;
  /** What a model reads of one result, by kind; of a search more where there are at most two. */
  readonly calculateChars: number;
  readonly searchChars: number;
  readonly searchFewChars: number;
  readonly extractChars: number;
  readonly otherChars: number;
  /** What is kept of one result where no model is asked. */
  readonly mergeChars: number;
  /** What is kept of a model's answer. */
  readonly answerChars: number;
}

/** The limits where nothing else is said. */
export const usualHubLimits: HubLimits = {
  atOnce: 3,
  toolMs: 30_000,
  recentMs: 300_000,
  failures: 3,
  restMs: 30_000,
  longestRestMs: 600_000,
  synthesisChars: 2_000,
  synthesisResults: 3,
  synthesisMs: 10_000,
  calculateChars: 100,
  searchChars: 200,
  searchFewChars: 300,
  extractChars: 300,
  otherChars: 250,
  mergeChars: 300,
  answerChars: 4_000,
};
