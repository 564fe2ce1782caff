import { discardTypedInput } from "./discard-typed-input.ts";
import { readTerminalLine } from "./read-terminal-line.ts";
import { logWrapped } from "./log-wrapped.ts";
import type { Terminal } from "./terminal.ts";

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
