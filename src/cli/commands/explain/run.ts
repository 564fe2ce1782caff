import type { Workspace } from "../../../app/index.ts";
import { type ExplainFact, explainFacts, explainFactText } from "../../../chain/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { isUndo, listOpenApprovals } from "../../approvals/list-open-approvals.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { type InspectedRun, withInspectedRun } from "../../open/inspect-run.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import { toWireCoded } from "../../wire/wire-coded.ts";
import type { Explanation } from "./explanation.ts";

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withInspectedRun(
    invocation,
    async (past) => {
      const step = stepIn(invocation);
      const explanations = step === "" ? await explainAll(past) : await explainOne(past, step);
      printExplanations(invocation, past.result.runId, explanations);
    },
    {
      ofAgent: async (past) => {
        const { explainAgent } = await import("./explain-agent-run.ts");
        printExplanations(invocation, past.run.id, await explainAgent(invocation, past, stepIn(invocation)));
      },
    },
  );

async function explainOne(past: InspectedRun, step: string): Promise<Explanation[]> {
  const { workspace, result, isInterrupted } = past;
  const { redactor } = workspace.engine;
  const facts = [
    ...explainFacts(result, step, { redactor, interrupted: isInterrupted }),
    ...(await pendingApprovals(workspace, result.runId, step)),
  ];
  return facts.map(toExplanation);
}

function toExplanation(fact: ExplainFact): Explanation {
  return { sentence: stripUnsafe(explainFactText(fact)), fact: toWireCoded(fact) };
}

/** Explains the run: each step in a sentence, and those that did not succeed in full. */
async function explainAll(past: InspectedRun): Promise<Explanation[]> {
  const log = past.result.log();
  const params = {
    chain: toOneLine(log.name),
    status: past.isInterrupted ? "interrupted" : log.status,
    ms: log.duration_ms,
    ...(log.error && { error: { code: log.error.code, message: toOneLine(log.error.message) } }),
  } as const;
  const explanations = [toExplanation({ code: "run_status", params })];
  for (const { id: step, status } of log.steps) {
    const all = await explainOne(past, step);
    const shown = status === "success" ? all.slice(0, 1) : all;
    explanations.push(...shown.map((each) => ({ step, ...each })));
  }
  return explanations;
}

function stepIn({ words: [, step = ""] }: Invocation): string {
  return step;
}

function printExplanations(invocation: Invocation, runId: string, explanations: readonly Explanation[]): void {
  const { terminal } = invocation;
  const sentences = explanations.map(({ sentence }) => sentence);
  if (invocation.flag("json")) {
    const step = stepIn(invocation);
    const facts = explanations.map((each) => ({ ...(each.step !== undefined && { step: each.step }), ...each.fact }));
    terminal.print(safeJson({ run_id: runId, ...(step !== "" && { step }), sentences, facts }));
    return;
  }
  for (const sentence of sentences) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}

/** Pending approvals of the step, or of its compensation. */
async function pendingApprovals(workspace: Workspace, runId: string, path: string): Promise<ExplainFact[]> {
  const approvals = await listOpenApprovals(workspace, runId);
  return (
    approvals
      // An approval of one item belongs to the step too.
      .filter(({ step }) => step?.replace(/\[\d+\]$/, "") === path || step === path)
      .map((pending) => {
        const { id: approval, step = path, tool, args } = pending;
        const call = { tool: toOneLine(tool), args: safeJson(args, 0) };
        return {
          code: "approval_pending",
          params: { approval, step: toOneLine(step), undo: isUndo(pending), ...call },
        };
      })
  );
}
