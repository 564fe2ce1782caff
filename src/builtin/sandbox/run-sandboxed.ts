import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { pathParts } from "../../file/index.ts";
import { quoteText } from "../../text/index.ts";
import { bubblewrapArguments, firstPipe, ownFolder, workFolder } from "./bubblewrap-arguments.ts";
import { callFilter } from "./call-filter.ts";
import { Confined, type SandboxResult } from "./confined.ts";
import { type SandboxLimits, defaultLimits } from "./sandbox-limits.ts";
import { type SandboxPrograms, findPrograms } from "./sandbox-programs.ts";
import { refuseSandbox } from "./sandbox-reasons.ts";

/** A file for the sandbox. */
export interface SandboxFile {
  /** Relative to the folder in which the program starts. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** What a program gets in the sandbox, and how much it may use. */
export interface SandboxOptions {
  readonly files?: readonly SandboxFile[];
  /** Files besides, which the program can only read, below `/opt/windlass`. */
  readonly ownFiles?: readonly SandboxFile[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the program can read from its standard input, and then its end; nothing where absent. */
  readonly input?: string;
  readonly limits?: Partial<SandboxLimits>;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Where bubblewrap and prlimit are; found out by default. */
  readonly programs?: SandboxPrograms;
}

const mostFiles = 200;
const mostBytes = 8 * 1_048_576;

/** Runs as this user where Windlass runs as the superuser: limits of processes do not hold for that one. */
const nobody = 65_534;

/** The user inside, for programs that ask for a name. */
const accounts: readonly SandboxFile[] = [
  { path: "/etc/passwd", content: `sandbox:x:1000:1000::${workFolder}:/bin/sh\n` },
  { path: "/etc/group", content: "sandbox:x:1000:\n" },
];

/**
 * Runs a program without network, home or other processes in sight, on files of its own, under limits. However it ends,
 * nothing of it runs on. A program that is not there, that fails or that is killed at a limit is a result; fails with
 * `not_available` where there is no sandbox.
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
  const limits = { ...defaultLimits, ...options.limits };
  const files = filesOf(options);
  checkCommand(command);
  const programs = options.programs ?? (await findPrograms());
  const env = { PATH: `${ownFolder}:/usr/local/bin:/usr/bin:/bin`, HOME: workFolder, LANG: "C.UTF-8", ...options.env };
  const paths = files.map(({ path }) => path);
  const filter = callFilter();
  const args = await bubblewrapArguments(programs, {
    command,
    files: paths,
    isFiltered: filter !== undefined,
    env,
    limits,
  });
  if (signal?.aborted === true) throw refuseSandbox("aborted", "the work in the sandbox was cancelled");
  const piped = [...files.map(({ content }) => content), ...(filter === undefined ? [] : [filter])];
  const child = start([programs.bubblewrap, ...args], piped, options.input);
  return new Confined(child, { limits, signal, clock }).result;
}

function checkCommand(command: readonly string[]): void {
  if (command.length === 0 || command.some((part) => part.includes("\0"))) {
    throw refuseSandbox("bad_files", "a command needs a program, and no NUL characters");
  }
}

/** All files with their absolute paths; later ones of the same path count. */
function filesOf({ files = [], ownFiles = [] }: SandboxOptions): SandboxFile[] {
  const all = new Map<string, SandboxFile>();
  for (const [folder, list] of [
    [workFolder, files],
    [ownFolder, ownFiles],
  ] as const) {
    for (const { path, content } of list) all.set(placeOf(folder, path), { path: placeOf(folder, path), content });
  }
  const bytes = [...all.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (all.size > mostFiles)
    throw refuseSandbox("bad_files", `at most ${mostFiles} files fit in, there are ${all.size}`);
  if (bytes > mostBytes)
    throw refuseSandbox("bad_files", `at most ${mostBytes} bytes of files fit in, there are ${bytes}`);
  checkNesting(all);
  return [...accounts, ...all.values()];
}

function placeOf(folder: string, path: string): string {
  try {
    const { absolute, names } = pathParts(path);
    if (!absolute && names.length > 0) return [folder, ...names].join("/");
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw refuseSandbox("bad_files", error.message);
  }
  throw refuseSandbox("bad_files", `${quoteText(path)} is no relative path of a file`);
}

function checkNesting(files: ReadonlyMap<string, SandboxFile>): void {
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (files.has(path.slice(0, end)))
        throw refuseSandbox("bad_files", `${quoteText(path)} lies in a file of that name`);
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
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn(bubblewrap, args, { cwd: "/", env: {}, stdio, ...user });
  // Pipes break when the sandbox cannot be made.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  for (const [at, content] of piped.entries()) {
    // They were asked for as pipes.
    const pipe = child.stdio[firstPipe + at] as Writable & Readable;
    pipe.on("error", () => {});
    pipe.resume();
    pipe.end(content);
  }
  return child;
}
