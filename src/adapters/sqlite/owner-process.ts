import { readFileSync, readlinkSync } from "node:fs";
import { type Ids, createIds } from "../../base/index.ts";
import type { RunOwner } from "../../store/index.ts";

/**
 * This process as the owner of runs; every call makes another owner.
 *
 * @example
 * ```ts
 * const claim = await store.runs.claim(runId, currentOwner());
 * ```
 */
export function currentOwner(ids: Ids = createIds()): RunOwner {
  const { pid } = process;
  return { id: ids.next(), pid, processStart: processState(pid)?.start ?? "", bootId: bootId() };
}

/**
 * Is the process of this owner certainly gone? Where nobody can tell, as in another container, it is not: then only
 * its silence counts.
 */
export function isDead(owner: RunOwner): boolean {
  const [boot, pidSpace] = owner.bootId.split("/", 2);
  const [ownBoot, ownPidSpace] = bootId().split("/", 2);
  if (boot !== ownBoot) return boot !== "" && ownBoot !== "";
  if (pidSpace !== ownPidSpace) return false;
  if (!answers(owner.pid)) return true;
  const state = processState(owner.pid);
  // Exists, but hides what it is.
  if (state === undefined || owner.processStart === "") return false;
  return state.ended || state.start !== owner.processStart;
}

/** Which start of the machine, and within which set of process numbers; empty where the system does not tell. */
function bootId(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not allowed to ask: then there is somebody.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

interface ProcessState {
  /** In ticks since the machine started: a number that is given again has another. */
  readonly start: string;
  /** Only its parent has not taken note yet. */
  readonly ended: boolean;
}

function processState(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may hold blanks and brackets itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const start = fields[19];
    return start === undefined ? undefined : { start, ended: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}
