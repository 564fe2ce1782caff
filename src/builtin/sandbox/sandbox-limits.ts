/** What a program in the sandbox may use. */
export interface SandboxLimits {
  /** Time on the clock; the program is killed then. */
  readonly timeMs: number;
  /** Memory of all its processes together, and of its folders. */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly processes: number;
  /** Computing time of one process. */
  readonly cpuSeconds: number;
  /** All that it writes to its folders; they are kept in memory. */
  readonly diskBytes: number;
  /** Size of one file. */
  readonly fileBytes: number;
  readonly openFiles: number;
  /** What it prints; the program is killed when it prints more. */
  readonly outputBytes: number;
}

const mebibyte = 1_048_576;

/** Limits for running tests of a few files. */
export const defaultLimits: SandboxLimits = {
  timeMs: 60_000,
  memoryBytes: 1024 * mebibyte,
  processes: 128,
  cpuSeconds: 60,
  diskBytes: 64 * mebibyte,
  fileBytes: 32 * mebibyte,
  openFiles: 256,
  outputBytes: mebibyte,
};

/** The limits of each process, as arguments of prlimit. They bind hard: no process inside can raise them. */
export function limitArguments(limits: SandboxLimits): string[] {
  return [
    `--nproc=${limits.processes}`,
    // Private memory that can be written, in use or only reserved, as V8 does for each of its threads; what all have in
    // use together is watched. The address space would be the wrong thing: V8 reserves far more than it may write.
    `--data=${2 * limits.memoryBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    "--core=0",
  ];
}
