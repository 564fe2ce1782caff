import { discardTypedInput } from "./discard-typed-input.ts";
import { logWrapped } from "./log-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { createInterface } from "node:readline";

/** Options of {@link promptYesNo}. */
export interface YesNoPrompt {
  readonly terminal: Terminal;
  readonly prompt: string;
  /** Shown if an answer is neither, before the prompt is repeated. */
  readonly unclear: string;
}

/**
 * Prompts until the answer is yes or no; undefined for Enter alone, at the end of the input, and if the signal is
 * aborted. Input that was typed before is discarded.
 */
export async function promptYesNo(
  { terminal, prompt, unclear }: YesNoPrompt,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  await discardTypedInput();
  for (;;) {
    const typed = await readTerminalLine(prompt, signal);
    const verdict = parseYesNo(typed);
    if (verdict !== undefined || typed.trim() === "") return verdict;
    logWrapped(unclear, terminal, { lead: "  ", style: "dim" });
  }
}

const yes: ReadonlySet<string> = new Set(["y", "yes", "是", "是的", "好", "好的", "可以", "同意", "批准"]);
const no: ReadonlySet<string> = new Set(["n", "no", "不", "不是", "不好", "不行", "不要", "不可以", "否", "拒绝"]);

/** Parses an answer as yes or no; undefined for neither. Accepts full-width letters, as input methods produce them. */
export function parseYesNo(answer: string): boolean | undefined {
  const word = answer.normalize("NFKC").trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}

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
