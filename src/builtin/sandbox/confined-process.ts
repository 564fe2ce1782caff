import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock, Timer } from "../../base/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { statusDescriptor } from "./bubblewrap-arguments.ts";
import { MemoryWatch } from "./memory-watch.ts";
import type { SandboxLimits } from "./sandbox-limits.ts";
import { type SandboxReason, refuseSandbox } from "./sandbox-reasons.ts";

/** How a program ended in the sandbox. */
export interface SandboxResult {
  /** Its exit code; 128 and the number of the signal that ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit at which it was killed. */
  readonly ended?: "time" | "memory" | "output";
  readonly durationMs: number;
}

/** What holds a program in. */
export interface Holding {
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** The code of a program that was killed, as shells tell it. */
const killed = 137;

/** When killing what is inside does not end it, the sandbox itself is killed. */
const graceMs = 2_000;

/** The first process inside, and how the program ended, as bubblewrap tells it. */
interface Status {
  readonly pid: number | undefined;
  readonly code: number | undefined;
}

/** A program in its sandbox, until nothing of it is left. */
export class Confined {
  readonly result: Promise<SandboxResult>;
  readonly #child: ChildProcess;
  readonly #holding: Holding;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  readonly #memory: MemoryWatch;
  readonly #startedAt: number;
  readonly #deadline: Timer;
  #grace: Timer | undefined;
  #statusText = "";
  #room: number;
  #ended: SandboxResult["ended"];
  #gone = false;
  readonly #abort = (): void => this.#kill();

  constructor(child: ChildProcess, holding: Holding) {
    const { limits, signal, clock } = holding;
    this.#child = child;
    this.#holding = holding;
    this.#room = limits.outputBytes;
    this.#startedAt = clock.elapsed();
    this.#memory = new MemoryWatch(limits.memoryBytes, () => this.#end("memory"), clock);
    this.#deadline = clock.after(limits.timeMs, () => this.#end("time"));
    child.stdout?.on("data", (chunk: Buffer) => this.#take(this.#stdout, chunk));
    child.stderr?.on("data", (chunk: Buffer) => this.#take(this.#stderr, chunk));
    this.#readStatus();
    signal?.addEventListener("abort", this.#abort, { once: true });
    this.result = this.#closed()
      .then(() => this.#finish())
      .finally(() => this.#release());
  }

  /** When bubblewrap is gone, and all who held the output. */
  #closed(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#child.once("error", (error) => {
        // Also told when a signal could not be sent; only a failed start ends the wait.
        if (this.#child.pid === undefined) reject(refuseSandbox("not_installed", `bubblewrap: ${error.message}`));
      });
      this.#child.once("exit", () => {
        this.#gone = true;
      });
      this.#child.once("close", () => resolve());
    });
  }

  #take(chunks: Buffer[], chunk: Buffer): void {
    if (this.#room <= 0) return;
    chunks.push(chunk.subarray(0, this.#room));
    this.#room -= chunk.length;
    if (this.#room <= 0) this.#end("output");
  }

  #readStatus(): void {
    const status = this.#child.stdio[statusDescriptor] as Readable | null | undefined;
    status?.on("error", () => {});
    status?.on("data", (chunk: Buffer) => {
      const known = this.#status().pid;
      this.#statusText += chunk.toString("utf8");
      const { pid } = this.#status();
      if (known !== undefined || pid === undefined) return;
      this.#memory.start(pid);
      // Asked to end before there was anything to kill.
      if (this.#ended !== undefined || this.#holding.signal?.aborted === true) this.#kill();
    });
  }

  #status(): Status {
    const pid = /"child-pid":\s*(\d+)/.exec(this.#statusText)?.[1];
    const code = /"exit-code":\s*(\d+)/.exec(this.#statusText)?.[1];
    return { pid: pid === undefined ? undefined : Number(pid), code: code === undefined ? undefined : Number(code) };
  }

  #end(limit: NonNullable<SandboxResult["ended"]>): void {
    this.#ended ??= limit;
    this.#kill();
  }

  /** The end of the first process inside is the end of all; bubblewrap itself ends when the last one is gone. */
  #kill(): void {
    if (this.#gone) return;
    const { pid } = this.#status();
    if (pid !== undefined) killProcess(pid);
    this.#grace ??= this.#holding.clock.after(pid === undefined ? 0 : graceMs, () => this.#child.kill("SIGKILL"));
  }

  #finish(): SandboxResult {
    const { signal, clock } = this.#holding;
    if (signal?.aborted === true) throw refuseSandbox("aborted", "the work in the sandbox was cancelled");
    const stderr = text(this.#stderr);
    const { code } = this.#status();
    // Without an exit code it never began, unless it was killed.
    if (code === undefined && this.#ended === undefined) throw notSetUp(stderr);
    const durationMs = clock.elapsed() - this.#startedAt;
    const ended = this.#ended === undefined ? {} : { ended: this.#ended };
    return { code: code ?? killed, stdout: text(this.#stdout), stderr, ...ended, durationMs };
  }

  #release(): void {
    this.#holding.signal?.removeEventListener("abort", this.#abort);
    this.#deadline.cancel();
    this.#grace?.cancel();
    this.#memory.stop();
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

/** What bubblewrap says when it cannot make a sandbox, and what to do about it. */
const complaints: readonly (readonly [RegExp, SandboxReason, string])[] = [
  [/Unknown option/i, "too_old", "it is too old; install bubblewrap 0.8 or newer"],
  [
    /namespace|uid map|gid map|Operation not permitted|loopback/i,
    "no_namespaces",
    "this system does not let the user make namespaces. Allow it (sysctl kernel.unprivileged_userns_clone=1; " +
      "kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), or give the container the rights",
  ],
  [
    /Can't find source path|Permission denied/i,
    "unreadable",
    "it may not read what it needs. Install Node where every user can read it, or run Windlass as an ordinary user",
  ],
];

function notSetUp(stderr: string): Error {
  const told = stripUnsafe(stderr).trim().slice(0, 500);
  const [, reason, advice] = complaints.find(([pattern]) => pattern.test(told)) ?? [
    undefined,
    "setup_failed" as const,
    "try `bwrap --ro-bind / / true` to see why",
  ];
  return refuseSandbox(reason, `bubblewrap could not make a sandbox (${told}): ${advice}`);
}
