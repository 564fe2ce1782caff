import type { SandboxFile } from "../run-sandboxed.ts";
import type { TestProject } from "./test-project.ts";

/**
 * Runs one file of tests. A driver reads its mark from standard input before anything else runs, and puts it before
 * every event that it emits: text without the mark is only output.
 */
export interface Driver {
  readonly command: readonly string[];
  readonly ownFiles: readonly SandboxFile[];
  readonly env: Readonly<Record<string, string>>;
}

/** Options of a driver. */
export interface DriverOptions {
  /** The file whose tests are run. */
  readonly path: string;
  readonly coverage: boolean;
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/** Creates the driver for a file of a project. */
export type MakeDriver = (project: TestProject, options: DriverOptions) => Driver;

/** A driver truncates longer messages, so that an event stays a small part of the output. */
export const maxMessageChars = 4_000;
