import type { Workspace } from "../app/index.ts";
import { type FailureError, failureKinds, isFailureError } from "../base/index.ts";
import { oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";

/** What is known when a workspace is closed. */
export interface Closing {
  readonly terminal: Terminal;
  /** What the database could not do while nobody waited for it. */
  readonly storeFailures: readonly FailureError[];
  /** What was to be recorded. */
  readonly what: string;
}

/** The result is out by now, and stays what it is: what goes wrong with its record is told beside it, once. */
export async function closeWorkspace(workspace: Workspace, closing: Closing): Promise<void> {
  const { terminal, storeFailures, what } = closing;
  const warn = (text: string, todo: string): void => {
    terminal.tell(`${terminal.tint("yellow", "warning:")} ${oneLine(text)}`);
    terminal.tell(`  ${terminal.tint("cyan", todo)}`);
  };
  try {
    await workspace.close();
    const [first] = storeFailures;
    if (first !== undefined) warn(first.message, failureKinds[first.code].remedy);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = isFailureError(error) ? error.code : "store_failed";
    warn(`${what} was not recorded: ${message}`, failureKinds[code].remedy);
  }
}
