/** How long and how often things are measured. */
export interface Plan {
  /** Fresh processes per contender: one process may be lucky or unlucky for as long as it lives. */
  readonly processes: number;
  /** Rounds per process. */
  readonly rounds: number;
  readonly warmMs: number;
  readonly sampleMs: number;
  /** Rounds of starting processes; those that take long are measured in fewer. */
  readonly starts: number;
  readonly slowStarts: number;
}

export const full: Plan = { processes: 3, rounds: 9, warmMs: 400, sampleMs: 30, starts: 40, slowStarts: 9 };

export const quick: Plan = { processes: 1, rounds: 5, warmMs: 200, sampleMs: 20, starts: 11, slowStarts: 3 };
