import { discardTypedInput } from "./discard-typed-input.ts";
import { readTerminalLine } from "./read-terminal-line.ts";
import { logWrapped } from "./log-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { parseYesNo } from "./parse-yes-no.ts";

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
