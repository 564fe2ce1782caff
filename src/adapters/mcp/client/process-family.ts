import { readdirSync, readFileSync } from "node:fs";
import { type Clock, sleep, processState, orElse } from "../../../base/index.ts";

/**
 * A server's program and all its descendants: the process group it leads, and processes with its mark that left the
 * group.
 */
export interface ProcessFamily {
  /** Undefined if the group of that number now belongs to another program. */
  readonly group: number | undefined;
  /** Set in the environment of each process. */
  readonly mark: string;
}

/** Polling interval while a family ends. */
const pollIntervalMs = 20;

/** After SIGKILL only the system itself can be slow. */
const killMs = 1_000;

/** True if any process of the family is running. */
export function familyRuns(family: ProcessFamily): boolean {
  return isGroupThere(family) || carriersOf(family.mark).length > 0;
}

/** Sends a signal to all processes, at once. */
export function signalFamily(
  { group, mark }: ProcessFamily,
  signal: NodeJS.Signals,
  carriers: readonly number[] = carriersOf(mark),
): void {
  if (group !== undefined) signalGroup(group, signal);
  for (const pid of carriers) signalProcess(pid, signal);
}

/**
 * Ends a family: with SIGTERM and, if that does not help in time, SIGKILL; without a grace period, SIGKILL at once.
 * True if none of its processes is running any more.
 */
export async function endFamily(family: ProcessFamily, graceMs: number, clock: Clock): Promise<boolean> {
  // SIGKILL twice: the second pass finds processes that were started during the first.
  const ways = [
    ["SIGTERM", graceMs],
    ["SIGKILL", killMs],
    ["SIGKILL", killMs],
  ] as const;
  for (const [signal, ms] of ways) {
    if (ms === 0) continue;
    const carriers = carriersOf(family.mark);
    if (carriers.length === 0 && !isGroupThere(family)) return true;
    signalFamily(family, signal, carriers);
    await until(() => !isGroupThere(family) && !carriers.some((pid) => carriesMark(pid, family.mark)), ms, clock);
  }
  return !familyRuns(family);
}

function isGroupThere({ group }: ProcessFamily): boolean {
  return group !== undefined && groupRuns(group);
}

/** All processes started with this mark; empty if the system does not expose environments. */
function carriersOf(mark: string): readonly number[] {
  return orElse(
    () =>
      readdirSync("/proc")
        .map(Number)
        .filter((pid) => Number.isInteger(pid) && pid !== process.pid && carriesMark(pid, mark)),
    [],
  );
}

async function until(happened: () => boolean, ms: number, clock: Clock): Promise<void> {
  const end = clock.elapsed() + ms;
  while (!happened() && clock.elapsed() < end) {
    await sleep(clock, pollIntervalMs);
  }
}

/** Environment variable that marks the programs of a server. */
export const markVariable = "WINDLASS_MCP_CHILD";

/** True if a process of this group is running. Zombies do not count. */
function groupRuns(group: number): boolean {
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
  return orElse(
    () => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${markVariable}=${mark}`),
    false,
  );
}

/** Sends a signal to a group; false if there is none. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // Windows has no groups of this kind.
  return signalProcess(process.platform === "win32" ? group : -group, signal);
}

/** Sends a signal to a process; false if there is none. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  return orElse(() => process.kill(pid, signal), false);
}
