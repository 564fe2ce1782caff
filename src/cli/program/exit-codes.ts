/** Exit codes of the program; the same for every command. */
export const exitCodes = {
  ok: 0,
  /** The call, the run or the command failed. */
  failed: 1,
  /** The command line or a file is invalid. */
  usage: 2,
  /** The call, or a step of the run, needs approval first. */
  waiting: 3,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Texts of the exit codes, at the end of the help. */
export const exitCodeTexts: readonly (readonly [code: ExitCode, means: string])[] = [
  [exitCodes.ok, "success"],
  [exitCodes.failed, "the call or run failed"],
  [exitCodes.usage, "invalid command line or file"],
  [exitCodes.waiting, "waiting for approval"],
  [exitCodes.timeout, "timed out"],
  [exitCodes.interrupted, "interrupted"],
  [exitCodes.terminated, "terminated"],
];
