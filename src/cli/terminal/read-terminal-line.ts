import { createInterface } from "node:readline";

/** What the person at the terminal types on one line; empty when the signal is aborted or the input ends. */
export async function readAnswer(question: string, signal: AbortSignal): Promise<string> {
  if (signal.aborted) return "";
  // The terminal stays in its usual mode, so that Ctrl-C still reaches the program.
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const line = new OpenLine();
  try {
    return await new Promise<string>((resolve) => {
      reader.question(question, (typed) => {
        line.entered();
        resolve(typed);
      });
      const leave = (): void => {
        line.end();
        resolve("");
      };
      reader.once("close", leave);
      signal.addEventListener("abort", leave, { once: true });
    });
  } finally {
    line.entered();
    reader.close();
  }
}

/** The line of a question. What is told before anybody has pressed Enter begins below it all the same. */
class OpenLine {
  #isOpen = true;
  readonly end = (): void => {
    if (this.#isOpen) process.stderr.write("\n");
    this.entered();
  };

  constructor() {
    // Before those that say what they do about it; where there are none, the signal ends the program.
    if (process.listenerCount("SIGINT") > 0) process.prependListener("SIGINT", this.end);
  }

  entered(): void {
    this.#isOpen = false;
    process.off("SIGINT", this.end);
  }
}
