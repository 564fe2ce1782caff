import { readFileSync, readdirSync } from "node:fs";
import { processState } from "../../../base/index.ts";

/** The variable by which the programs of a server are known as such. */
export const markVariable = "WINDLASS_MCP_CHILD";

/** Does a process of this group run? Ended ones that nobody has taken note of do not count. */
export function groupRuns(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  const members = groupMembers(group);
  return members === undefined || members.length > 0;
}

/** The processes of a group that run; undefined where the system does not tell. */
export function groupMembers(group: number): readonly number[] | undefined {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => {
        const state = Number.isInteger(pid) ? processState(pid) : undefined;
        return state !== undefined && state.group === group && !state.ended;
      });
  } catch {
    return undefined;
  }
}

/** Was this process started with this mark in its environment? One that has ended has none. */
export function carriesMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${markVariable}=${mark}`);
  } catch {
    return false;
  }
}

/** Sends a signal to a group; false where there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // Windows has no groups of this kind.
  return signalProcess(process.platform === "win32" ? group : -group, signal);
}

/** Sends a signal to a process; false where there is none. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
