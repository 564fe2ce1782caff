import { createInterface } from "node:readline";

/** What the person at the terminal types on one line; empty when the signal is aborted or the input ends. */
export async function readAnswer(question: string, signal: AbortSignal): Promise<string> {
  if (signal.aborted) return "";
  // The terminal stays in its usual mode, so that Ctrl-C still reaches the program.
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    return await new Promise<string>((resolve) => {
      reader.question(question, { signal }, resolve);
      reader.once("close", () => resolve(""));
      signal.addEventListener("abort", () => resolve(""), { once: true });
    });
  } finally {
    reader.close();
  }
}
