import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";

/** Cost of a started process. */
export interface Started {
  /** CPU time of all its threads; undefined if it cannot be measured. */
  readonly cpuMs: number | undefined;
  readonly wallMs: number;
}

const bash = spawnSync("bash", ["-c", "true"]).status === 0;

/** Starts node and waits until it exits. */
export function startToEnd(args: readonly string[], cwd: string): Started {
  const begin = performance.now();
  // Node cannot read the CPU time of a child that has exited; the shell can.
  const { status, stderr } = bash
    ? spawnSync("bash", ["-c", `TIMEFORMAT="%R %U %S"; time "$@" >&2`, "bash", process.execPath, ...args], { cwd })
    : spawnSync(process.execPath, args, { cwd });
  const wallMs = performance.now() - begin;
  const text = stderr.toString();
  if (status !== 0) throw new Error(`the process exited with code ${status}: ${text.trim()}`);
  if (!bash) return { cpuMs: undefined, wallMs };
  const [real = Number.NaN, user = Number.NaN, system = Number.NaN] = (text.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map((seconds) => Number(seconds.replace(",", ".")) * 1000);
  return { cpuMs: user + system, wallMs: real };
}

/** Starts node and measures until it prints a text; then waits until it exits. */
export async function startUntil(args: readonly string[], cwd: string, text: string): Promise<Started> {
  const begin = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let started: Started | undefined;
  let printed = "";
  let reported = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
    if (started !== undefined || !printed.includes(text)) return;
    started = { wallMs: performance.now() - begin, cpuMs: cpuMsOf(child) };
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (reported += chunk));
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the process exited with code ${code}: ${reported.trim()}`);
  if (started === undefined) throw new Error(`the process did not print ${text}`);
  return started;
}

/**
 * Returns the CPU time of a running process. The process is stopped in the meantime, because the kernel's figures for a
 * running thread are slightly out of date.
 */
function cpuMsOf(child: ChildProcess): number | undefined {
  if (process.platform !== "linux") return undefined;
  child.kill("SIGSTOP");
  try {
    while (!/\) [TZ] /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8")));
    const threads = globSync(`/proc/${child.pid}/task/*/schedstat`);
    const nanoseconds = threads.map((file) => Number(readFileSync(file, "utf8").split(" ", 1)[0]));
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  } finally {
    child.kill("SIGCONT");
  }
}
