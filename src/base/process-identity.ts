import { readFileSync, readlinkSync } from "node:fs";
import { systemErrorCode } from "./system-error-code.ts";

/** Identifies a process uniquely, even if its process id is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since boot; empty if the system does not provide it. */
  readonly processStart: string;
  /** Boot id and pid namespace; empty if the system does not provide them. */
  readonly bootId: string;
}

/** Identity of the process that has this id now. */
export function processIdentity(pid: number): ProcessIdentity {
  return { pid, processStart: processState(pid)?.start ?? "", bootId: bootId() };
}

/**
 * True if this process is certainly gone. False if that is unknown, as in another container: then only its missing
 * heartbeat counts.
 */
export function isProcessGone(process: ProcessIdentity): boolean {
  const [boot, pidSpace] = process.bootId.split("/", 2);
  const [ownBoot, ownPidSpace] = bootId().split("/", 2);
  if (boot !== ownBoot) return boot !== "" && ownBoot !== "";
  if (pidSpace !== ownPidSpace) return false;
  if (!processExists(process.pid)) return true;
  const state = processState(process.pid);
  // Exists, but hides what it is.
  if (state === undefined || process.processStart === "") return false;
  return state.ended || state.start !== process.processStart;
}

/** True if this process is certainly still running. False if that is unknown: a process id alone proves nothing. */
export function isProcessAlive(process: ProcessIdentity): boolean {
  if (process.processStart === "" || process.bootId === "" || process.bootId !== bootId()) return false;
  const state = processState(process.pid);
  return state !== undefined && !state.ended && state.start === process.processStart;
}

function bootId(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** True if a process has this id, also one that this user must not signal. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // No permission to signal it: so the process exists.
    return systemErrorCode(error) === "EPERM";
  }
}

/** System information about a process. */
export interface ProcessState {
  /** In ticks since the machine started: a process that reuses the id has a different one. */
  readonly start: string;
  /** A zombie: only its parent has not reaped it yet. */
  readonly ended: boolean;
  readonly group: number;
}

/** System information about the process with this id; undefined if it does not exist or is not readable. */
export function processState(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may hold blanks and brackets itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const start = fields[19];
    if (start === undefined) return undefined;
    return { start, ended: fields[0] === "Z" || fields[0] === "X", group: Number(fields[2]) };
  } catch {
    return undefined;
  }
}
