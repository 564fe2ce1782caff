import type { AskPerson } from "../chain/index.ts";
import type { Approval, Decision } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import { forgetTyped } from "./forget-typed.ts";
import { readAnswer } from "./read-answer.ts";
import type { RunView } from "./run-view/run-view.ts";
import { promptFor, tellForgotten, tellQuestion } from "./tell-question.ts";
import type { Terminal } from "./terminal.ts";
import { yesOrNo } from "./yes-or-no.ts";

/** What {@link askInRun} needs. */
export interface AskInRunOptions {
  readonly terminal: Terminal;
  /** Makes room for the question. */
  readonly view: Pick<RunView, "pause">;
  /** Who sits at the terminal. */
  readonly by: string | undefined;
  /** Whether the run can be left with its question open. */
  readonly durable: boolean;
  /** Why a person is asked, where there is more to say than the question does. */
  readonly why?: (approval: Approval) => string | undefined;
  /** What was typed meanwhile, and held. */
  readonly ahead?: { forget(): string };
  /** What is asked at last, in other words. */
  readonly prompt?: () => string;
}

/** Asks the person at the terminal what a run wants to know, one question at a time. */
export function askInRun(options: AskInRunOptions): AskPerson {
  let before: Promise<unknown> = Promise.resolve();
  return (approval, signal) => {
    const answer = before.then(() => askOne(approval, signal, options));
    before = answer.catch(() => undefined);
    return answer;
  };
}

async function askOne(
  approval: Approval,
  signal: AbortSignal,
  options: AskInRunOptions,
): Promise<Decision | undefined> {
  if (signal.aborted) return undefined;
  const { terminal, view, by, durable, why } = options;
  const resume = view.pause();
  try {
    tellForgotten(`${options.ahead?.forget() ?? ""}${await forgetTyped()}`, terminal);
    tellQuestion(approval, terminal, { whole: !durable, why: why?.(approval) });
    const refusal = whyNot(approval, by);
    if (refusal !== undefined) {
      terminal.tell(`  ${refusal}`);
      return undefined;
    }
    const usual = durable ? "Approve? [y/n, Enter to decide later] " : "Approve? [y/N] ";
    const answer = await readAnswer(promptFor(approval, options.prompt?.() ?? usual, terminal), signal);
    return decisionOn(yesOrNo(answer), options, signal);
  } finally {
    resume();
  }
}

function decisionOn(
  approved: boolean | undefined,
  { by, durable }: AskInRunOptions,
  signal: AbortSignal,
): Decision | undefined {
  const named = by === undefined ? {} : { by };
  if (approved === true) return { approved, ...named };
  // What only lives in this process cannot wait for anybody else.
  if (approved === undefined && (durable || signal.aborted)) return undefined;
  return { approved: false, note: "declined at the terminal", ...named };
}

/** Why this person may not decide; undefined when they may. */
export function whyNot({ approvers }: Pick<Approval, "approvers">, by: string | undefined): string | undefined {
  if (approvers === undefined || approvers.length === 0 || (by !== undefined && approvers.includes(by))) {
    return undefined;
  }
  const who = by === undefined ? "it is not known who you are" : `you are ${oneLine(by)}`;
  return `only ${approvers.map(oneLine).join(" or ")} may decide; ${who}`;
}
