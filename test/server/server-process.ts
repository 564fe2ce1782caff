import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach } from "vitest";
import { type ServedWorkspace, senderTo } from "./serve-workspace.ts";

/** Points of a call with an idempotency key. */
export const killPoints = [
  "before the work",
  "after the begin of the work",
  "before the response is stored",
  "before the response is sent",
] as const;

export type KillPoint = (typeof killPoints)[number];

/** A server in a process of its own. */
export interface ServerProcess extends Pick<ServedWorkspace, "send" | "url"> {
  /** Kills it with SIGKILL. */
  readonly kill: () => Promise<void>;
}

const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** Starts a server over the workspace of a folder. It can kill itself at a point of the first call. */
export async function startServer(folder: string, killAt?: KillPoint): Promise<ServerProcess> {
  const program = join(import.meta.dirname, "killed-server-child.ts");
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") };
  const args = ["--no-warnings", program, folder, ...(killAt === undefined ? [] : [killAt])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  running.add(child);
  const ended = once(child, "close");
  const [url] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    ended.then(() => Promise.reject(new Error("the server ended before it listened"))),
  ])) as [string];
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { url, send: senderTo(url), kill };
}
