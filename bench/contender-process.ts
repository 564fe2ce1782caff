import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Prompt } from "./contender.ts";

const child = fileURLToPath(new URL("child.ts", import.meta.url));

/** The contender did not respond within its time limit. */
export class TooSlowError extends Error {}

/** A contender in its own process, which handles one request at a time. */
export class ContenderProcess {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /**
   * Starts the process and waits until the contender has proved that it works; rejects with the reason if it does not.
   */
  static async start(args: readonly string[], flags: readonly string[] = []): Promise<ContenderProcess> {
    const started = new ContenderProcess(
      fork(child, args, { execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning", ...flags] }),
    );
    try {
      await started.#answer();
    } catch (error) {
      await started.end();
      throw error;
    }
    return started;
  }

  /** Sends a request. Rejects with a {@link TooSlowError} after `limitMs`; the process can then only be ended. */
  async request(prompt: Prompt, limitMs: number): Promise<Answer & { ok: true }> {
    this.#process.send(prompt);
    return this.#answer(limitMs);
  }

  /** Ends the process and waits until it has cleaned up. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 2000);
    await ended;
    clearTimeout(timer);
  }

  async #answer(limitMs?: number): Promise<Answer & { ok: true }> {
    const over = new AbortController();
    const onExit = (code: number | null, signal: string | null): void =>
      over.abort(new Error(`the contender ended with ${code === null ? `signal ${signal}` : `code ${code}`}`));
    this.#process.once("exit", onExit);
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => over.abort(new TooSlowError(`no response within ${limitMs} ms`)), limitMs);
    try {
      const [answer] = (await once(this.#process, "message", { signal: over.signal })) as [Answer];
      if (answer.ok) return answer;
      throw new Error(answer.error);
    } catch (error) {
      // `once` throws its own error for a signal; the abort reason is more specific.
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearTimeout(timer);
      this.#process.off("exit", onExit);
    }
  }
}
