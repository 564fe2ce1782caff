import { type RequestApproval, mayDecide } from "../../engine/index.ts";
import type { ReasoningLanguage } from "../../agent/index.ts";

import type { AgentRunView } from "../terminal/agent-view/agent-view.ts";
import type { Approval, Decision } from "../../store/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { discardTypedInput } from "../terminal/discard-typed-input.ts";
import type { ApprovalTexts } from "../terminal/texts/english.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import { promptYesNo } from "../terminal/prompt-yes-no.ts";
import type { RunView } from "../terminal/run-view/run-view.ts";
import { approvalPromptText, approvalRows, reportTyped, showApproval } from "./show-approval.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Options of {@link promptRunApproval}. */
export interface PromptRunApprovalOptions {
  readonly terminal: Terminal;
  /** Clears space for the prompt, and leaves the relevant output above it. */
  readonly view: Pick<RunView, "pause"> & Pick<AgentRunView, "release">;
  /** Name of the user at the terminal. */
  readonly by: string | undefined;
  /** True if the run can be suspended with the approval pending. */
  readonly durable: boolean;
  /** Reason for the approval, if the message does not already contain it. */
  readonly why?: (approval: Approval) => string | undefined;
  /** Input that was typed and held back before the prompt. */
  readonly ahead?: { forget(): string };
  /** Returns the approval if it was decided elsewhere while it was prompted for here. */
  readonly decidedElsewhere?: (approval: Approval) => Promise<Approval | undefined>;
  /** Language of the prompt. Default: English. */
  readonly language?: () => ReasoningLanguage;
}

/** A run that only lives in this process cannot wait for a later decision. */
const textsWithoutWaiting: Pick<ApprovalTexts, "approve" | "unclear"> = {
  approve: "Approve? [y/N] ",
  unclear: "Type y to approve; n or Enter rejects the call.",
};

/** Prompts the person at the terminal for the approvals of a run, one at a time. */
export function promptRunApproval(options: PromptRunApprovalOptions): RequestApproval {
  let before: Promise<unknown> = Promise.resolve();
  return (approval, signal) => {
    const answer = before.then(() => promptApproval(approval, signal, options));
    before = answer.catch(() => undefined);
    return answer;
  };
}

async function promptApproval(
  approval: Approval,
  signal: AbortSignal,
  options: PromptRunApprovalOptions,
): Promise<Decision | undefined> {
  if (signal.aborted) return undefined;
  const { terminal, view, by, durable, why } = options;
  const words = { ...cliTexts[options.language?.() ?? "en"].approvals, ...(!durable && textsWithoutWaiting) };
  const resume = view.pause();
  try {
    const above = view.release?.(approvalRows(approval, terminal)) ?? 0;
    reportTyped(`${options.ahead?.forget() ?? ""}${await discardTypedInput()}`, terminal, words.forgotten);
    showApproval(approval, terminal, { whole: !durable, above, why: why?.(approval), words });
    const refusal = cannotDecideReason(approval, by);
    if (refusal !== undefined) {
      terminal.log(`  ${refusal}`);
      return undefined;
    }
    const prompt = approvalPromptText(approval, words.approve, terminal);
    const verdict = await promptYesNo({ terminal, prompt, unclear: words.unclear }, signal);
    if (signal.aborted) await reportRemoteDecision(approval, options, words);
    return decisionOn(verdict, options, signal);
  } finally {
    resume();
  }
}

/** Reports that the approval was decided elsewhere before it was answered here. */
async function reportRemoteDecision(
  request: Approval,
  { terminal, decidedElsewhere }: PromptRunApprovalOptions,
  { elsewhere }: ApprovalTexts,
): Promise<void> {
  const decided = await decidedElsewhere?.(request);
  if (decided === undefined || decided.status === "pending") return;
  const { status, decidedBy } = decided;
  const by = decidedBy === undefined ? undefined : toOneLine(decidedBy);
  logWrapped(elsewhere(status === "used" ? "approved" : status, by), terminal, { lead: "  ", style: "dim" });
}

function decisionOn(
  approved: boolean | undefined,
  { by, durable }: PromptRunApprovalOptions,
  signal: AbortSignal,
): Decision | undefined {
  const named = by === undefined ? {} : { by };
  if (approved === true) return { approved, ...named };
  if (approved === undefined && (durable || signal.aborted)) return undefined;
  return { approved: false, note: "rejected at the terminal", ...named };
}

/** Reason why this user may not decide; undefined if they may. */
export function cannotDecideReason(
  { approvers = [] }: Pick<Approval, "approvers">,
  by: string | undefined,
): string | undefined {
  if (mayDecide({ approvers }, by)) return undefined;
  const identity = by === undefined ? "your user name is unknown" : `you are ${toOneLine(by)}`;
  return `only ${approvers.map(toOneLine).join(" or ")} may decide; ${identity}`;
}
