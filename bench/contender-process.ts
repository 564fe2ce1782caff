import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Question } from "./contender.ts";

const child = fileURLToPath(new URL("child.ts", import.meta.url));

/** It did not answer within the time it was given. */
export class TooSlowError extends Error {}

/** A contender in a process of its own, asked one question at a time. */
export class ContenderProcess {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** Starts it and waits until it has shown that it does its work; rejects with the reason when it does not. */
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

  /** Rejects with a {@link TooSlowError} when it takes longer; then it can only be ended. */
  async ask(question: Question, limitMs: number): Promise<Answer & { ok: true }> {
    this.#process.send(question);
    return this.#answer(limitMs);
  }

  /** Ends it, and waits until it has tidied up. */
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
        : setTimeout(() => over.abort(new TooSlowError(`no answer within ${limitMs} ms`)), limitMs);
    try {
      const [answer] = (await once(this.#process, "message", { signal: over.signal })) as [Answer];
      if (answer.ok) return answer;
      throw new Error(answer.error);
    } catch (error) {
      // `once` has its own error for a signal; what it was aborted with says more.
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearTimeout(timer);
      this.#process.off("exit", onExit);
    }
  }
}
