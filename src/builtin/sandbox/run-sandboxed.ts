import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { parsePath } from "../../file/index.ts";
import { quoteText } from "../../text/index.ts";
import { bubblewrapArguments, firstPipe, sandboxFolder, workFolder } from "./bubblewrap-arguments.ts";
import { ConfinedProcess, type SandboxResult } from "./confined-process.ts";
import { type SandboxLimits, defaultSandboxLimits } from "./sandbox-limits.ts";
import { type SandboxPrograms, findPrograms } from "./sandbox-programs.ts";
import { sandboxFailure, type SandboxReason } from "./sandbox-reasons.ts";

/** A file for the sandbox. */
export interface SandboxFile {
  /** Relative to the working directory of the program. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Files, environment and limits of a program in the sandbox. */
export interface SandboxOptions {
  readonly files?: readonly SandboxFile[];
  /** Further files that the program can only read, below `/opt/windlass`. */
  readonly readOnlyFiles?: readonly SandboxFile[];
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input of the program. Default: empty. */
  readonly input?: string;
  readonly limits?: Partial<SandboxLimits>;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Locations of bubblewrap and prlimit. Default: detected. */
  readonly programs?: SandboxPrograms;
}

const maxFiles = 200;
const maxBytes = 8 * 1_048_576;

/** User of the program if Windlass runs as root, for whom process limits do not apply. */
const unprivilegedUser = 65_534;

/** The user inside, for programs that look up a name. */
const accounts: readonly SandboxFile[] = [
  { path: "/etc/passwd", content: `sandbox:x:1000:1000::${workFolder}:/bin/sh\n` },
  { path: "/etc/group", content: "sandbox:x:1000:\n" },
];

/**
 * Runs a program without network, home or access to other processes, on its own files, under limits. None of
 * its processes survives its end. A program that is missing, that fails or that is killed at a limit is a result; fails
 * with `not_available` if there is no sandbox.
 *
 * @example
 * ```ts
 * const { code, stdout } = await runSandboxed(["node", "main.js"], {
 *   files: [{ path: "main.js", content: "console.log(1 + 1)" }],
 * });
 * ```
 */
export async function runSandboxed(command: readonly string[], options: SandboxOptions = {}): Promise<SandboxResult> {
  const { signal, clock = systemClock } = options;
  const limits = { ...defaultSandboxLimits, ...options.limits };
  const files = filesOf(options);
  checkCommand(command);
  const programs = options.programs ?? (await findPrograms());
  const env = {
    PATH: `${sandboxFolder}:/usr/local/bin:/usr/bin:/bin`,
    HOME: workFolder,
    LANG: "C.UTF-8",
    ...options.env,
  };
  const paths = files.map(({ path }) => path);
  const filter = callFilter();
  const args = await bubblewrapArguments(programs, {
    command,
    files: paths,
    isFiltered: filter !== undefined,
    env,
    limits,
  });
  if (signal?.aborted === true) throw sandboxFailure("aborted", "the work in the sandbox was cancelled");
  const piped = [...files.map(({ content }) => content), ...(filter === undefined ? [] : [filter])];
  const child = start([programs.bubblewrap, ...args], piped, options.input);
  return new ConfinedProcess(child, { limits, signal, clock }).result;
}

function checkCommand(command: readonly string[]): void {
  if (command.length === 0 || command.some((part) => part.includes("\0"))) {
    throw sandboxFailure("bad_files", "a command needs a program, and no NUL characters");
  }
}

/** Returns all files with their absolute paths; the last file with a path wins. */
function filesOf({ files = [], readOnlyFiles = [] }: SandboxOptions): SandboxFile[] {
  const all = new Map<string, SandboxFile>();
  for (const [folder, list] of [
    [workFolder, files],
    [sandboxFolder, readOnlyFiles],
  ] as const) {
    for (const { path, content } of list)
      all.set(sandboxPath(folder, path), { path: sandboxPath(folder, path), content });
  }
  const bytes = [...all.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (all.size > maxFiles)
    throw sandboxFailure("bad_files", `at most ${maxFiles} files are allowed, there are ${all.size}`);
  if (bytes > maxBytes)
    throw sandboxFailure("bad_files", `at most ${maxBytes} bytes of files are allowed, there are ${bytes}`);
  checkNesting(all);
  return [...accounts, ...all.values()];
}

function sandboxPath(folder: string, path: string): string {
  try {
    const { absolute, names } = parsePath(path);
    if (!absolute && names.length > 0) return [folder, ...names].join("/");
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw sandboxFailure("bad_files", error.message);
  }
  throw sandboxFailure("bad_files", `${quoteText(path)} is not a relative file path`);
}

function checkNesting(files: ReadonlyMap<string, SandboxFile>): void {
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (files.has(path.slice(0, end)))
        throw sandboxFailure("bad_files", `${quoteText(path)} is inside a file of that name`);
    }
  }
}

function start(
  [bubblewrap = "", ...args]: readonly string[],
  piped: readonly (string | Uint8Array)[],
  input: string | undefined,
): ChildProcess {
  const first = input === undefined ? "ignore" : "pipe";
  const stdio: StdioOptions = [first, "pipe", "pipe", "pipe", ...piped.map(() => "pipe" as const)];
  const user = process.getuid?.() === 0 ? { uid: unprivilegedUser, gid: unprivilegedUser } : {};
  const child = spawn(bubblewrap, args, { cwd: "/", env: {}, stdio, ...user });
  // Pipes break if the sandbox cannot be created.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  for (const [at, content] of piped.entries()) {
    // They were requested as pipes.
    const pipe = child.stdio[firstPipe + at] as Writable & Readable;
    pipe.on("error", () => {});
    pipe.resume();
    pipe.end(content);
  }
  return child;
}

/**
 * Machine-specific data of a filter: the kernel's name of the architecture, and the numbers of the calls that it
 * refuses.
 */
interface Machine {
  readonly audit: number;
  /** Numbers from here on belong to another ABI of the same kernel. */
  readonly otherFrom?: number;
  /** memfd_create, memfd_secret, shmget, msgget. */
  readonly refused: readonly number[];
}

const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: { audit: 0xc000_003e, otherFrom: 0x4000_0000, refused: [319, 447, 29, 68] },
  arm64: { audit: 0xc000_00b7, refused: [279, 447, 194, 186] },
};

/** Offsets of the call number and of the architecture in the filter's input. */
const callAt = 0;
const machineAt = 4;

const load = 0x20;
const ifEqual = 0x15;
const ifAtMin = 0x35;
const giveBack = 0x06;
const allow = 0x7fff_0000;
/** ENOSYS, as on an older kernel: programs then use another way. */
const noSuchCall = 0x0005_0000 + 38;

/** Operation, its value, and whether to jump to the last instruction if the condition is true, or false. */
type Instruction = readonly [code: number, value: number, refuseIf?: boolean];

/**
 * Returns a seccomp program that refuses system calls which allocate memory that belongs to no process, since it could
 * not be counted. Calls of another ABI are all refused. Undefined for architectures whose call numbers are not known
 * here.
 */
export function callFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const machine = machines[architecture];
  if (machine === undefined) return undefined;
  const { audit, otherFrom, refused } = machine;
  const other: Instruction[] = otherFrom === undefined ? [] : [[ifAtMin, otherFrom, true]];
  return assemble([
    [load, machineAt],
    [ifEqual, audit, false],
    [load, callAt],
    ...other,
    ...refused.map((call): Instruction => [ifEqual, call, true]),
    [giveBack, allow],
    [giveBack, noSuchCall],
  ]);
}

/** Encodes the program for the kernel; the last instruction is the refusal. */
function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, value, refuseIf]] of program.entries()) {
    const toRefuse = program.length - 2 - at;
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(refuseIf === true ? toRefuse : 0, at * 8 + 2);
    bytes.writeUInt8(refuseIf === false ? toRefuse : 0, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}

/** Result of testing the sandbox. */
export type SandboxStatus =
  | { readonly available: true }
  | { readonly available: false; readonly reason: SandboxReason; readonly message: string };

/** Tests the sandbox; if it does not work, returns the reason and the fix. */
export async function sandboxStatus(
  options: Pick<SandboxOptions, "signal" | "clock" | "programs"> = {},
): Promise<SandboxStatus> {
  try {
    const { code, stderr } = await runSandboxed(["node", "--version"], { ...options, limits: { timeMs: 20_000 } });
    if (code === 0) return { available: true };
    return { available: false, reason: "setup_failed", message: `node does not run in the sandbox: ${stderr.trim()}` };
  } catch (error) {
    if (!isFailureError(error) || error.code !== "not_available") throw error;
    // The sandbox fails only with its own reasons.
    return { available: false, reason: error.reason as SandboxReason, message: error.message };
  }
}
