/** Durations and repetitions of the measurements. */
export interface Plan {
  /** Fresh processes per contender, because a process can be consistently fast or slow for its whole lifetime. */
  readonly processes: number;
  /** Rounds per process. */
  readonly rounds: number;
  /** Rounds per process for work that mostly waits, and so takes long. */
  readonly waitRounds: number;
  readonly warmMs: number;
  readonly sampleMs: number;
  /** A contender whose single repetition takes longer than this is measured once, … */
  readonly slowMs: number;
  /** … and is stopped if it takes longer than this. */
  readonly limitMs: number;
  /** Rounds of process starts; `slowStarts` is the number for slow ones. */
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
