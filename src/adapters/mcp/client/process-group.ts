import { readFileSync, readdirSync } from "node:fs";
import { type Clock, processState } from "../../../base/index.ts";

/** The variable by which the programs of a server are known as such. */
export const markVariable = "WINDLASS_MCP_CHILD";

/** How often a group is looked at while it ends. */
const lookMs = 20;

/** After SIGKILL only the system itself can be slow. */
const killMs = 2_000;

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

/** Was this process started with this mark in its environment? */
export function carriesMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${markVariable}=${mark}`);
  } catch {
    return false;
  }
}

/** Sends a signal to a group; false where there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no groups of this kind.
    return process.kill(process.platform === "win32" ? group : -group, signal);
  } catch {
    return false;
  }
}

/** Ends a group, first with a request, then by force; true when nothing of it runs any more. */
export async function endGroup(group: number, graceMs: number, clock: Clock): Promise<boolean> {
  if (!groupRuns(group)) return true;
  signalGroup(group, "SIGTERM");
  if (await untilGone(group, graceMs, clock)) return true;
  signalGroup(group, "SIGKILL");
  return untilGone(group, killMs, clock);
}

async function untilGone(group: number, ms: number, clock: Clock): Promise<boolean> {
  const until = clock.elapsed() + ms;
  while (groupRuns(group)) {
    if (clock.elapsed() >= until) return false;
    await new Promise<void>((resolve) => void clock.after(lookMs, resolve));
  }
  return true;
}
