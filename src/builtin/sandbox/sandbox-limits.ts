/** Limits of a program in the sandbox. */
export interface SandboxLimits {
  /** Wall-clock time after which the program is killed. */
  readonly timeMs: number;
  /** Memory of all its processes together, and of its folders. */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly processes: number;
  /** CPU time of one process. */
  readonly cpuSeconds: number;
  /** Total size of its files, which are in memory. */
  readonly diskBytes: number;
  /** Size of one file. */
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Maximum output; the program is killed if it prints more. */
  readonly outputBytes: number;
}

const mebibyte = 1_048_576;

/** Default limits, for running tests of a few files. */
export const defaultSandboxLimits: SandboxLimits = {
  timeMs: 60_000,
  memoryBytes: 1024 * mebibyte,
  processes: 128,
  cpuSeconds: 60,
  diskBytes: 64 * mebibyte,
  fileBytes: 32 * mebibyte,
  openFiles: 256,
  outputBytes: mebibyte,
};

/**
 * Returns the limits of each process, as arguments of prlimit. They are hard limits: no process inside can raise them.
 */
export function limitArguments(limits: SandboxLimits): string[] {
  return [
    `--nproc=${limits.processes}`,
    // Private writable memory, used or only reserved, as V8 does for each of its threads; the total use is watched
    // separately. A limit on the address space would not work: V8 reserves far more than it may write.
    `--data=${2 * limits.memoryBytes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    "--core=0",
  ];
}
