import type { Workspace } from "../../app/index.ts";
import { type FailureError, failureKinds, isFailureError, withCliCommands } from "../../base/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Context for closing a workspace. */
export interface CloseContext {
  readonly terminal: Terminal;
  /** Failures of the database in background writes. */
  readonly storeFailures: readonly FailureError[];
  /** The subject to be recorded, such as "the call". */
  readonly unrecorded: string;
}

/** The result has already been printed and stays valid: failures to record it are reported separately, once. */
export async function closeWorkspace(workspace: Workspace, closing: CloseContext): Promise<void> {
  const { terminal, storeFailures, unrecorded } = closing;
  const warn = (text: string, todo: string): void => {
    terminal.log(`${terminal.tint("yellow", "warning:")} ${toOneLine(text)}`);
    terminal.log(`  ${terminal.tint("cyan", todo)}`);
  };
  try {
    await workspace.close();
    const [first] = storeFailures;
    if (first !== undefined) warn(first.message, withCliCommands(failureKinds[first.code].remedy));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = isFailureError(error) ? error.code : "store_failed";
    warn(`${unrecorded} was not recorded: ${message}`, withCliCommands(failureKinds[code].remedy));
  }
}
