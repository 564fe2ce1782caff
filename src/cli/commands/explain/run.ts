import type { Workspace } from "../../../app/index.ts";
import { type ExecutionLog, explainStep } from "../../../chain/index.ts";
import { formatDuration } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { describeApprovalStep, listOpenApprovals } from "../../approvals/list-open-approvals.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { type InspectedRun, withInspectedRun } from "../../open/inspect-run.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withInspectedRun(
    invocation,
    async (past) => {
      const step = stepIn(invocation);
      const sentences = step === "" ? await explainAll(past) : await explainOne(past, step);
      printExplanation(invocation, past.result.runId, sentences);
    },
    {
      ofAgent: async (past) => {
        const { explainAgent } = await import("./explain-agent-run.ts");
        printExplanation(invocation, past.run.id, await explainAgent(invocation, past, stepIn(invocation)));
      },
    },
  );

async function explainOne({ workspace, result, isInterrupted }: InspectedRun, step: string): Promise<string[]> {
  return [
    ...explainStep(result, step, { redactor: workspace.engine.redactor, interrupted: isInterrupted }),
    ...(await openSentences(workspace, result.runId, step)),
  ];
}

/** Explains the run: each step in a sentence, and those that did not succeed in full. */
async function explainAll(past: InspectedRun): Promise<string[]> {
  const log = past.result.log();
  const status = past.isInterrupted ? "interrupted" : log.status;
  const took = formatDuration(log.duration_ms);
  const why = log.error === undefined ? "" : `: ${log.error.code}: ${toOneLine(log.error.message)}`;
  const sentences = [`The run of ${toOneLine(log.name)} is ${statusWords[status]} after ${took}${why}.`];
  for (const { id, status: ended } of log.steps) {
    const all = await explainOne(past, id);
    sentences.push(...(ended === "success" ? all.slice(0, 1) : all));
  }
  return sentences;
}

/** The status of a run in a sentence. */
const statusWords: Readonly<Record<ExecutionLog["status"] | "interrupted", string>> = {
  running: "still running",
  interrupted: "interrupted: its process ended",
  waiting: "waiting for an approval",
  success: "over: it succeeded",
  failed: "over: it failed",
  cancelled: "over: it was cancelled",
};

function stepIn({ words: [, step = ""] }: Invocation): string {
  return step;
}

function printExplanation(invocation: Invocation, runId: string, sentences: readonly string[]): void {
  const { terminal } = invocation;
  if (invocation.flag("json")) {
    const step = stepIn(invocation);
    terminal.print(safeJson({ run_id: runId, ...(step !== "" && { step }), sentences }));
    return;
  }
  for (const sentence of sentences) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}

/** Pending approvals of the step, or of its compensation. */
async function openSentences(workspace: Workspace, runId: string, step: string): Promise<string[]> {
  const approvals = await listOpenApprovals(workspace, runId);
  return (
    approvals
      // An approval of one item belongs to the step too.
      .filter((approval) => approval.step?.replace(/\[\d+\]$/, "") === step || approval.step === step)
      .map((approval) => {
        const call = `${toOneLine(approval.tool)} ${safeJson(approval.args, 0)}`;
        return `Approval ${approval.id} is pending, for ${describeApprovalStep(approval)}: ${call}.`;
      })
  );
}
