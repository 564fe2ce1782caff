import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, type Timer, fail } from "../base/index.ts";

/** One program to run. */
export interface ProcessRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of the environment it gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  /** More output than this ends the program. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Result of a program. */
export interface ProcessResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The last part of what it wrote there. */
  readonly stderr: string;
  /** It was ended because it printed too much. */
  readonly overflow: boolean;
}

/** Delay between SIGTERM and SIGKILL; shorter than the engine's grace period. */
const graceMs = 200;

/** Grace period for output that a process outside the group keeps open. */
const drainMs = 100;

const maxStderrBytes = 4_096;

/**
 * Runs a program without a shell, in its own process group. When the signal aborts, the output overflows or the program
 * ends, the whole group is terminated, including child processes. Processes that left the group on purpose (`setsid`, a
 * daemon) and, on Windows, all children keep running. Rejects if it cannot be started.
 */
export function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { program, args, cwd, env, stdin, signal } = request;
  if (signal.aborted) return Promise.reject(fail("the call was cancelled", { code: "cancelled" }));
  const child = spawn(program, args, {
    cwd,
    env,
    // A separate group, so that its children can be terminated with it. Windows has no such groups.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A program that does not read its input has not failed.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  return new Running(child, request).result;
}

class Running {
  readonly result: Promise<ProcessResult>;
  readonly #child: ChildProcess;
  readonly #request: ProcessRequest;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  #stderr = Buffer.alloc(0);
  #overflow = false;
  #killTimer: Timer | undefined;
  readonly #abort = (): void => this.#end();

  constructor(child: ChildProcess, request: ProcessRequest) {
    this.#child = child;
    this.#request = request;
    child.stdout?.on("data", (chunk: Buffer) => this.#take(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-maxStderrBytes);
    });
    request.signal.addEventListener("abort", this.#abort, { once: true });
    if (child.pid !== undefined) track(child.pid);
    this.result = new Promise<ProcessResult>((resolve, reject) => {
      child.once("error", (error) => {
        // Also emitted if a signal could not be sent to a running program; only a failed start ends the wait.
        if (child.pid === undefined) reject(error);
      });
      child.once("exit", () => this.#drain());
      child.once("close", (code, signal) => resolve(this.#finish(code, signal)));
    }).finally(() => this.#release());
  }

  #take(chunk: Buffer): void {
    if (this.#overflow) return;
    this.#stdoutBytes += chunk.length;
    if (this.#stdoutBytes <= this.#request.maxBytes) this.#stdout.push(chunk);
    else {
      this.#overflow = true;
      this.#end();
    }
  }

  #finish(code: number | null, signal: NodeJS.Signals | null): ProcessResult {
    const stderr = this.#stderr.toString("utf8");
    return { code, signal, stdout: Buffer.concat(this.#stdout), stderr, overflow: this.#overflow };
  }

  /** Terminates the group, and kills it after a grace period. */
  #end(): void {
    if (this.#killTimer !== undefined) return;
    this.#kill("SIGTERM");
    this.#killTimer = this.#request.clock.after(graceMs, () => this.#kill("SIGKILL"));
  }

  /** The program is gone: what it left running is ended, what it printed is read. */
  #drain(): void {
    this.#kill("SIGKILL");
    this.#killTimer?.cancel();
    this.#killTimer = this.#request.clock.after(drainMs, () => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    });
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, signal);
  }

  #release(): void {
    this.#request.signal.removeEventListener("abort", this.#abort);
    this.#killTimer?.cancel();
    if (this.#child.pid !== undefined) live.delete(this.#child.pid);
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Already gone.
  }
}

/** Process groups under way; they end with this process. */
const live = new Set<number>();
let watchingExit = false;

function track(pid: number): void {
  live.add(pid);
  if (watchingExit) return;
  watchingExit = true;
  process.once("exit", () => {
    for (const group of live) killGroup(group, "SIGKILL");
  });
}
