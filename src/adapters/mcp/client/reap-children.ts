import { type Clock, isThere } from "../../../base/index.ts";
import type { Child, ChildFiles } from "./child-files.ts";
import { carriesMark, endGroup, groupMembers } from "./process-group.ts";

/** What {@link reapChildren} needs. */
export interface ReapOptions {
  readonly files: ChildFiles;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/** Ends the programs that earlier processes of this workspace left running, and nobody else. */
export async function reapChildren({ files, graceMs, clock, log }: ReapOptions): Promise<void> {
  const reaping = files.left().map(async ({ child, remove }) => {
    const runs = isSameGroup(child);
    if (runs && !(await endGroup(child.pid, graceMs, clock))) {
      log(`a program of the MCP server "${child.server}" (${child.pid}) was left running and cannot be ended`);
      return;
    }
    if (runs) log(`ended a program of the MCP server "${child.server}" (${child.pid}) that was left running`);
    remove();
  });
  await Promise.all(reaping);
}

/**
 * Is the group with this number the one that was started? Either its first process is there, or, where that is gone,
 * one that has the mark: numbers are given again.
 */
function isSameGroup(child: Child): boolean {
  if (isThere(child)) return true;
  return groupMembers(child.pid)?.some((pid) => carriesMark(pid, child.mark)) ?? false;
}
