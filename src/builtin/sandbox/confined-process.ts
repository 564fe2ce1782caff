import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock, Timer } from "../../base/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { statusDescriptor, memoryFolders } from "./bubblewrap-arguments.ts";
import type { SandboxLimits } from "./sandbox-limits.ts";
import { type SandboxReason, sandboxFailure } from "./sandbox-reasons.ts";
import { readFile, readdir, statfs } from "node:fs/promises";

/** Outcome of a program in the sandbox. */
export interface SandboxResult {
  /** Its exit code, or 128 plus the number of the signal that ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit at which it was killed. */
  readonly ended?: "time" | "memory" | "output";
  readonly durationMs: number;
}

/** The limits and the signal that confine a program. */
export interface SandboxHold {
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Exit code of a killed program, as shells report it. */
const killed = 137;

/** If killing the inner process does not end it, the sandbox itself is killed after this time. */
const graceMs = 2_000;

/** A program in its sandbox, until all its processes have ended. */
export class ConfinedProcess {
  readonly result: Promise<SandboxResult>;
  readonly #child: ChildProcess;
  readonly #holding: SandboxHold;
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

  constructor(child: ChildProcess, holding: SandboxHold) {
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

  /** Resolves when bubblewrap, and every process that held the output, has ended. */
  #closed(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#child.once("error", (error) => {
        // Also emitted if a signal could not be sent; only a failed start ends the wait.
        if (this.#child.pid === undefined) reject(sandboxFailure("not_installed", `bubblewrap: ${error.message}`));
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
      // The end was requested before there was a process to kill.
      if (this.#ended !== undefined || this.#holding.signal?.aborted === true) this.#kill();
    });
  }

  /** The first process inside, and the exit of the program, as bubblewrap reports them. */
  #status(): { readonly pid: number | undefined; readonly code: number | undefined } {
    const pid = /"child-pid":\s*(\d+)/.exec(this.#statusText)?.[1];
    const code = /"exit-code":\s*(\d+)/.exec(this.#statusText)?.[1];
    return { pid: pid === undefined ? undefined : Number(pid), code: code === undefined ? undefined : Number(code) };
  }

  #end(limit: NonNullable<SandboxResult["ended"]>): void {
    this.#ended ??= limit;
    this.#kill();
  }

  /** Kills the first process inside, which ends all others; bubblewrap itself ends after the last one. */
  #kill(): void {
    if (this.#gone) return;
    const { pid } = this.#status();
    if (pid !== undefined) killProcess(pid);
    this.#grace ??= this.#holding.clock.after(pid === undefined ? 0 : graceMs, () => this.#child.kill("SIGKILL"));
  }

  #finish(): SandboxResult {
    const { signal, clock } = this.#holding;
    if (signal?.aborted === true) throw sandboxFailure("aborted", "the work in the sandbox was cancelled");
    const stderr = text(this.#stderr);
    const { code } = this.#status();
    // Without an exit code it never started, unless it was killed.
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

/** Messages of bubblewrap when it cannot create a sandbox, with the reason and the fix. */
const complaints: readonly (readonly [RegExp, SandboxReason, string])[] = [
  [/Unknown option/i, "too_old", "it is too old; install bubblewrap 0.8 or newer"],
  [
    /namespace|uid map|gid map|Operation not permitted|loopback/i,
    "no_namespaces",
    "this system does not let the user create namespaces. Allow it (sysctl kernel.unprivileged_userns_clone=1; " +
      "kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), or give the container the rights",
  ],
  [
    /Can't find source path|Permission denied/i,
    "unreadable",
    "it may not read what it needs. Install Node where every user can read it, or run Windlass as an ordinary user",
  ],
];

function notSetUp(stderr: string): Error {
  const messages = stripUnsafe(stderr).trim().slice(0, 500);
  const [, reason, advice] = complaints.find(([pattern]) => pattern.test(messages)) ?? [
    undefined,
    "setup_failed" as const,
    "try `bwrap --ro-bind / / true` to see why",
  ];
  return sandboxFailure(reason, `bubblewrap could not create a sandbox (${messages}): ${advice}`);
}

/** Between two looks. */
const intervalMs = 100;

/** Watches the total memory use of a sandbox; single processes are limited by prlimit. */
class MemoryWatch {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #exceeded: () => void;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(maxBytes: number, exceeded: () => void, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#exceeded = exceeded;
    this.#clock = clock;
  }

  start(pid: number): void {
    if (this.#stopped) return;
    this.#timer = this.#clock.after(intervalMs, () => {
      void this.#look(pid);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(pid: number): Promise<void> {
    const bytes = await memoryUse(pid);
    if (this.#stopped) return;
    if (bytes > this.#maxBytes) this.#exceeded();
    else this.start(pid);
  }
}

/** Approximate kernel memory of a file or folder besides its content. */
const entryBytes = 1024;

/**
 * Returns the memory in use by the first process of a sandbox, its descendants, and their files in the memory folders.
 * Shared memory counts for each process; a process that ends while it is measured does not count.
 */
async function memoryUse(first: number): Promise<number> {
  let bytes = await folderBytes(first);
  const waiting = [first];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [own, children] = await Promise.all([processBytes(next), childrenOf(next)]);
    bytes += own;
    waiting.push(...children);
  }
  return bytes;
}

/** Excludes the mapped program files, which the system shares. */
async function processBytes(pid: number): Promise<number> {
  const status = await read(`/proc/${pid}/status`);
  const kibibytes = status.matchAll(/^(?:RssAnon|RssShmem):\s*(\d+) kB$/gm);
  return kibibytes.reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
}

async function folderBytes(pid: number): Promise<number> {
  const sizes = memoryFolders.map(async ({ path }) => {
    const stats = await statfs(`/proc/${pid}/root${path}`).catch(() => undefined);
    if (stats === undefined) return 0;
    return (stats.blocks - stats.bfree) * stats.bsize + (stats.files - stats.ffree) * entryBytes;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
