import type { SandboxFile } from "../run-sandboxed.ts";
import type { TestProject } from "./test-project.ts";

/**
 * How one file of tests is run, and what that needs. A driver reads its mark from its standard input before anything
 * else runs, and puts it before every event that it tells: what is printed without the mark is only output.
 */
export interface Driver {
  readonly command: readonly string[];
  readonly ownFiles: readonly SandboxFile[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a driver is told. */
export interface DriverOptions {
  /** The file whose tests are run. */
  readonly path: string;
  readonly coverage: boolean;
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Makes the driver for a file of a project. */
export type MakeDriver = (project: TestProject, options: DriverOptions) => Driver;

/** A driver cuts longer messages, so that an event stays a small piece of the output. */
export const longestTold = 4_000;
