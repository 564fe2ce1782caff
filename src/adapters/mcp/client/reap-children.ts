import { type Clock, isThere } from "../../../base/index.ts";
import type { Child, ChildFiles } from "./child-files.ts";
import { type Family, endFamily, familyRuns } from "./process-family.ts";
import { carriesMark, groupMembers } from "./process-group.ts";

/** What {@link reapChildren} needs. */
export interface ReapOptions {
  readonly files: ChildFiles;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/**
 * Ends the programs that earlier processes of this workspace left running, and nobody else. By force at once: their
 * input ended with the process that held it, and they did not heed that.
 */
export async function reapChildren({ files, clock, log }: ReapOptions): Promise<void> {
  const reaping = files.left().map(async ({ child, remove }) => {
    const family = familyOf(child);
    const runs = familyRuns(family);
    if (runs && !(await endFamily(family, 0, clock))) {
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
function familyOf(child: Child): Family {
  const { pid, mark } = child;
  const isSame = isThere(child) || (groupMembers(pid)?.some((member) => carriesMark(member, mark)) ?? false);
  return { group: isSame ? pid : undefined, mark };
}
