import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";
import { builtProgram, environment } from "./windlass.ts";

/** A process of `windlass serve` or `windlass dev`. */
export interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  /** The first line of stdout: the link. */
  readonly link: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code and the signal when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Sends a request with the token of this user. */
  readonly send: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
}

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Starts the program on a free port, and waits until it serves. Killed after the tests of the file. */
export async function serving(
  cwd: string,
  { words = ["serve"], env = {} }: { readonly words?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [builtProgram, ...words, "--port", "0"], {
    cwd,
    env: { ...environment, ...env },
  });
  started.push(child);
  let [stdout, stderr] = ["", ""];
  const printed = Promise.withResolvers<void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (stdout.includes("\n")) printed.resolve();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  await Promise.race([
    printed.promise,
    ended.then(() => {
      throw new Error(`it ended: ${stdout}${stderr}`);
    }),
  ]);
  const [link = ""] = stdout.split("\n");
  const url = new URL(link).origin;
  const send: Serving["send"] = async (method, path, body) => {
    const token = (await readFile(join(cwd, ".windlass/token"), "utf8")).trim();
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  return { child, url, link, stdout: () => stdout, stderr: () => stderr, ended, send };
}
