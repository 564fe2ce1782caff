/** What the exit code of the program says; the same for every command. */
export const exitCodes = {
  ok: 0,
  /** The call, the run, or the work of the command failed. */
  failed: 1,
  /** The command line or a file is not right. */
  usage: 2,
  /** A person has to approve the call, or a step of the run, first. */
  waiting: 3,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The same for people, at the end of the help. */
export const exitCodeWords: readonly (readonly [code: ExitCode, means: string])[] = [
  [exitCodes.ok, "it worked"],
  [exitCodes.failed, "the call or the run failed"],
  [exitCodes.usage, "the command line or a file is wrong"],
  [exitCodes.waiting, "it waits for approval"],
  [exitCodes.timeout, "out of time"],
  [exitCodes.interrupted, "interrupted"],
  [exitCodes.terminated, "terminated"],
];
