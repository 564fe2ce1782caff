import { createInterface } from "node:readline";

/** Reads one line from the terminal; empty if the signal is aborted or the input ends. */
export async function readTerminalLine(prompt: string, signal: AbortSignal): Promise<string> {
  if (signal.aborted) return "";
  // The terminal stays in its default mode, so that Ctrl-C still reaches the program.
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const line = new OpenLine();
  try {
    return await new Promise<string>((resolve) => {
      reader.question(prompt, (typed) => {
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

/** The line of a prompt. Output that comes before Enter is pressed begins on the next line. */
class OpenLine {
  #isOpen = true;
  readonly end = (): void => {
    if (this.#isOpen) process.stderr.write("\n");
    this.entered();
  };

  constructor() {
    // Before the listeners that report what they do; without any, the signal ends the program.
    if (process.listenerCount("SIGINT") > 0) process.prependListener("SIGINT", this.end);
  }

  entered(): void {
    this.#isOpen = false;
    process.off("SIGINT", this.end);
  }
}
