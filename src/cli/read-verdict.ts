import { readAnswer } from "./read-answer.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { yesOrNo } from "./yes-or-no.ts";

/** How somebody is asked for yes or no. */
export interface VerdictQuestion {
  readonly terminal: Terminal;
  readonly prompt: string;
  /** What is said of an answer that is neither, before it is asked again. */
  readonly unclear: string;
}

/** Asks until it is yes or no; undefined for Enter alone, and where the input ends or the signal is aborted. */
export async function readVerdict(
  { terminal, prompt, unclear }: VerdictQuestion,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  for (;;) {
    const typed = await readAnswer(prompt, signal);
    const verdict = yesOrNo(typed);
    if (verdict !== undefined || typed.trim() === "") return verdict;
    tellWrapped(unclear, terminal, { lead: "  ", style: "dim" });
  }
}
