import type { RerunPreview, RerunStep } from "../chain/index.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine, shellWord } from "./invocation.ts";
import { readAnswer } from "./read-answer.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";
import { yesOrNo } from "./yes-or-no.ts";

/** What is about to be run again. */
export interface AskedRerun {
  readonly runId: string;
  readonly from: string;
  readonly invocation: Invocation;
  readonly signal: AbortSignal;
}

/**
 * Tells before a rerun which results are taken over, and what runs though nobody named it. Steps among it that must run
 * once only, and may have run already, need a yes; without one it throws.
 */
export async function confirmRerun(preview: RerunPreview, asked: AskedRerun): Promise<void> {
  const { invocation, from } = asked;
  const { terminal } = invocation;
  const others = preview.again.filter(({ below }) => !below);
  const kept = preview.kept.length === 0 ? "nothing" : preview.kept.map(oneLine).join(", ");
  terminal.tell(`taken over: ${kept}`);
  if (others.length > 0) {
    terminal.tell(`${terminal.tint("yellow", "runs as well")}, though it does not depend on ${oneLine(from)}:`);
    for (const step of others) terminal.tell(`  ${lineOf(step, terminal)}`);
  }
  const risky = others.filter(isRisky);
  if (risky.length === 0 || invocation.flag("yes")) return;
  const names = risky.map(({ step }) => oneLine(step)).join(", ");
  const which = `${names} ${risky.length === 1 ? "has" : "have"} the effect once, and would run again`;
  if (terminal.interactive) {
    terminal.tell(`${terminal.tint("yellow", "?")} ${which}`);
    if (yesOrNo(await readAnswer("  Run it again? [y/N] ", asked.signal)) === true) return;
    throw new UsageError(`nothing was run: ${which}`);
  }
  const again = commandLine(invocation, "rerun", asked.runId, "--from", shellWord(from), "--yes");
  throw new UsageError(`${which}; nothing was run`, `${again} runs it all the same`);
}

/** One that is new may be an old one under another name. */
function isRisky({ effect, called, why }: RerunStep): boolean {
  return effect === "once" && (called || why === "new");
}

function lineOf(step: RerunStep, terminal: Terminal): string {
  const head = `${oneLine(step.step)}: ${terminal.tint("bold", oneLine(step.tool))}`;
  return `${head} ${terminal.tint("dim", `(${step.effect})`)}, ${whyOf(step)}`;
}

function whyOf({ why, before, called, needs }: RerunStep): string {
  switch (why) {
    case "new":
      return "the chain of that run had no such step";
    case "changed":
      return "it has changed since";
    case "unsettled":
      return called ? `it did not end well (${before ?? "?"})` : "it was not reached then";
    case "undone":
      return "its work was undone";
    case "needs":
      return `it needs ${oneLine(needs ?? "?")}, which runs again`;
    case "asked":
      return "it was asked for";
    default:
      return why satisfies never;
  }
}
