import { readFileSync, readlinkSync } from "node:fs";

/** A process, told apart from every other that had its number before or gets it later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in ticks since the machine started; empty where the system does not tell. */
  readonly processStart: string;
  /** Which start of the machine, and within which set of process numbers; empty where the system does not tell. */
  readonly bootId: string;
}

/** Who has this number now. */
export function processIdentity(pid: number): ProcessIdentity {
  return { pid, processStart: processState(pid)?.start ?? "", bootId: bootId() };
}

/**
 * Is this process certainly gone? Where nobody can tell, as in another container, it is not: then only its silence
 * counts.
 */
export function isGone(process: ProcessIdentity): boolean {
  const [boot, pidSpace] = process.bootId.split("/", 2);
  const [ownBoot, ownPidSpace] = bootId().split("/", 2);
  if (boot !== ownBoot) return boot !== "" && ownBoot !== "";
  if (pidSpace !== ownPidSpace) return false;
  if (!answers(process.pid)) return true;
  const state = processState(process.pid);
  // Exists, but hides what it is.
  if (state === undefined || process.processStart === "") return false;
  return state.ended || state.start !== process.processStart;
}

/** Is this process certainly still there? Where nobody can tell, it is not: a number alone is nobody. */
export function isThere(process: ProcessIdentity): boolean {
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

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not allowed to ask: then there is somebody.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** What the system tells about a process. */
export interface ProcessState {
  /** In ticks since the machine started: a number that is given again has another. */
  readonly start: string;
  /** Only its parent has not taken note yet. */
  readonly ended: boolean;
  readonly group: number;
}

/** What the system tells about the process of this number; undefined where there is none, or no telling. */
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
