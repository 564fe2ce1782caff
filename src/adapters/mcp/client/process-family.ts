import { readdirSync } from "node:fs";
import type { Clock } from "../../../base/index.ts";
import { carriesMark, groupRuns, signalGroup, signalProcess } from "./process-group.ts";

/** A server's program and all that it started: the group it leads, and whoever left that group and has its mark. */
export interface Family {
  /** None where the group of that number is somebody else's by now. */
  readonly group: number | undefined;
  /** In the environment of each of them. */
  readonly mark: string;
}

/** How often a family is looked at while it ends. */
const lookMs = 20;

/** After SIGKILL only the system itself can be slow. */
const killMs = 1_000;

/** Does anybody of it run? */
export function familyRuns(family: Family): boolean {
  return isGroupThere(family) || carriersOf(family.mark).length > 0;
}

/** Sends a signal to all of it, at once. */
export function signalFamily(
  { group, mark }: Family,
  signal: NodeJS.Signals,
  carriers: readonly number[] = carriersOf(mark),
): void {
  if (group !== undefined) signalGroup(group, signal);
  for (const pid of carriers) signalProcess(pid, signal);
}

/**
 * Ends a family: with a request and, where that does not help in time, by force; with no time, by force at once. True
 * when nothing of it runs any more.
 */
export async function endFamily(family: Family, graceMs: number, clock: Clock): Promise<boolean> {
  // By force twice: what was started while the others were looked for is found by the second look.
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

function isGroupThere({ group }: Family): boolean {
  return group !== undefined && groupRuns(group);
}

/** Everybody who was started with this mark; nobody where the system does not tell. */
function carriersOf(mark: string): readonly number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid && carriesMark(pid, mark));
  } catch {
    return [];
  }
}

async function until(happened: () => boolean, ms: number, clock: Clock): Promise<void> {
  const end = clock.elapsed() + ms;
  while (!happened() && clock.elapsed() < end) {
    await new Promise<void>((resolve) => void clock.after(lookMs, resolve));
  }
}
