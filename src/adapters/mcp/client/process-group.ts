import { readFileSync, readdirSync } from "node:fs";
import { processState } from "../../../base/index.ts";

/** Environment variable that marks the programs of a server. */
export const markVariable = "WINDLASS_MCP_CHILD";

/** True if a process of this group is running. Zombies do not count. */
export function groupRuns(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  const members = groupMembers(group);
  return members === undefined || members.length > 0;
}

/** The running processes of a group; undefined if the system does not list them. */
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

/** True if this process was started with this mark in its environment. An ended process has no mark. */
export function carriesMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${markVariable}=${mark}`);
  } catch {
    return false;
  }
}

/** Sends a signal to a group; false if there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // Windows has no groups of this kind.
  return signalProcess(process.platform === "win32" ? group : -group, signal);
}

/** Sends a signal to a process; false if there is none. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
