import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { builtProgram, environment } from "../cli/windlass.ts";
import { folderWith } from "./workspace.ts";

/** The token of a {@link ServedProcess}; it has all scopes. */
export const processToken = "token-of-the-process-under-test";

/** `windlass serve` of the built package, as a process that can be killed and started again at the same address. */
export interface ServedProcess {
  readonly url: string;
  readonly dir: string;
  /** Everything that it printed to stderr, of all its lives. */
  readonly output: () => string;
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** Resolves when it has ended. Default: SIGKILL. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Serves a workspace with these files; ends with the test. */
export async function serveAsProcess(
  files: Readonly<Record<string, string>>,
  words: readonly string[] = [],
  chosenPort?: number,
): Promise<ServedProcess> {
  const dir = await folderWith(files);
  const port = chosenPort ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const env = { ...environment, WINDLASS_TOKEN: processToken };
  let child: ChildProcess | undefined;
  let output = "";
  const start = async (): Promise<void> => {
    const started = spawn(
      process.execPath,
      ["--no-warnings", builtProgram, "serve", "--port", String(port), ...words],
      {
        cwd: dir,
        env,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    child = started;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes(`serving ${dir} at`)) resolve();
    });
    started.once("exit", (code, signal) => reject(new Error(`ended with ${code ?? signal}: ${output.slice(-2000)}`)));
    output = "";
    await promise;
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = once(child, "exit");
    child.kill(signal);
    return (await ended)[0] as number | null;
  };
  onTestFinished(async () => void (await kill()));
  await start();
  return { url, dir, output: () => output, start, kill };
}

/** A port that no program listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
