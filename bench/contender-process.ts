import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Question } from "./contender.ts";

const child = fileURLToPath(new URL("child.ts", import.meta.url));

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

  async ask(question: Question): Promise<Answer & { ok: true }> {
    this.#process.send(question);
    return this.#answer();
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

  async #answer(): Promise<Answer & { ok: true }> {
    const ended = new AbortController();
    const onExit = (code: number | null): void => ended.abort(new Error(`the contender ended with code ${code}`));
    this.#process.once("exit", onExit);
    try {
      const [answer] = (await once(this.#process, "message", { signal: ended.signal })) as [Answer];
      if (answer.ok) return answer;
      throw new Error(answer.error);
    } finally {
      this.#process.off("exit", onExit);
    }
  }
}
