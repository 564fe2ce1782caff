import type { ReasoningLanguage } from "../agent/index.ts";
import type { AskPerson } from "../chain/index.ts";
import type { AgentView } from "./agent-view/agent-view.ts";
import type { Approval, Decision } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import { forgetTyped } from "./forget-typed.ts";
import { type QuestionWords, questionWords } from "./question-words.ts";
import { readVerdict } from "./read-verdict.ts";
import type { RunView } from "./run-view/run-view.ts";
import { promptFor, rowsOfQuestion, tellForgotten, tellQuestion } from "./tell-question.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";

/** What {@link askInRun} needs. */
export interface AskInRunOptions {
  readonly terminal: Terminal;
  /** Makes room for the question, and leaves above it what there is to see. */
  readonly view: Pick<RunView, "pause"> & Pick<AgentView, "leave">;
  /** Who sits at the terminal. */
  readonly by: string | undefined;
  /** Whether the run can be left with its question open. */
  readonly durable: boolean;
  /** Why a person is asked, where there is more to say than the question does. */
  readonly why?: (approval: Approval) => string | undefined;
  /** What was typed meanwhile, and held. */
  readonly ahead?: { forget(): string };
  /** What became of a question that is withdrawn, if somebody else decided on it. */
  readonly decidedElsewhere?: (approval: Approval) => Promise<Approval | undefined>;
  /** In which it is asked; English where absent. */
  readonly language?: () => ReasoningLanguage;
}

/** What only lives in this process cannot wait for anybody else. */
const nowOrNever: Pick<QuestionWords, "approve" | "unclear"> = {
  approve: "Approve? [y/N] ",
  unclear: "That is no answer: y lets the call run, n or Enter alone refuses it.",
};

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
  const words = { ...questionWords[options.language?.() ?? "en"], ...(!durable && nowOrNever) };
  const resume = view.pause();
  try {
    const above = view.leave?.(rowsOfQuestion(approval, terminal)) ?? 0;
    tellForgotten(`${options.ahead?.forget() ?? ""}${await forgetTyped()}`, terminal, words);
    tellQuestion(approval, terminal, { whole: !durable, above, why: why?.(approval), words });
    const refusal = whyNot(approval, by);
    if (refusal !== undefined) {
      terminal.tell(`  ${refusal}`);
      return undefined;
    }
    const prompt = promptFor(approval, words.approve, terminal);
    const verdict = await readVerdict({ terminal, prompt, unclear: words.unclear }, signal);
    if (signal.aborted) await tellElsewhere(approval, options, words);
    return decisionOn(verdict, options, signal);
  } finally {
    resume();
  }
}

/** The question is gone before anybody here has answered it: not without a word. */
async function tellElsewhere(
  asked: Approval,
  { terminal, decidedElsewhere }: AskInRunOptions,
  { elsewhere }: QuestionWords,
): Promise<void> {
  const decided = await decidedElsewhere?.(asked);
  if (decided === undefined || decided.status === "pending") return;
  const { status, decidedBy } = decided;
  const by = decidedBy === undefined ? undefined : oneLine(decidedBy);
  tellWrapped(elsewhere(status === "used" ? "approved" : status, by), terminal, { lead: "  ", style: "dim" });
}

function decisionOn(
  approved: boolean | undefined,
  { by, durable }: AskInRunOptions,
  signal: AbortSignal,
): Decision | undefined {
  const named = by === undefined ? {} : { by };
  if (approved === true) return { approved, ...named };
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
