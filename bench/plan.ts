/** How long and how often things are measured. */
export interface Plan {
  /** Fresh processes per contender: one process may be lucky or unlucky for as long as it lives. */
  readonly processes: number;
  /** Rounds per process. */
  readonly rounds: number;
  /** Rounds per process of work that mostly waits, and so takes long. */
  readonly waitRounds: number;
  readonly warmMs: number;
  readonly sampleMs: number;
  /** Whoever takes longer than this for one repetition is measured once, … */
  readonly slowMs: number;
  /** … and not to its end when it takes longer than this. */
  readonly limitMs: number;
  /** Rounds of starting processes; those that take long are measured in fewer. */
  readonly starts: number;
  readonly slowStarts: number;
}

export const full: Plan = {
  processes: 3,
  rounds: 9,
  waitRounds: 3,
  warmMs: 400,
  sampleMs: 30,
  slowMs: 3000,
  limitMs: 60_000,
  starts: 40,
  slowStarts: 9,
};

export const quick: Plan = {
  processes: 1,
  rounds: 5,
  waitRounds: 3,
  warmMs: 200,
  sampleMs: 20,
  slowMs: 2000,
  limitMs: 10_000,
  starts: 11,
  slowStarts: 3,
};
