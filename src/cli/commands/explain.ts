import type { Workspace } from "../../app/index.ts";
import { explainStep } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { oneLine } from "../format-table.ts";
import { aboutStep, openQuestions } from "../open-questions.ts";
import { safeJson } from "../safe-json.ts";
import { withPastRun } from "../past-run.ts";
import { wrapText } from "../wrap-text.ts";

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withPastRun(invocation, async ({ workspace, result, left }) => {
    const { terminal } = invocation;
    const [, step = ""] = invocation.words;
    const sentences = [
      ...explainStep(result, step, { redactor: workspace.engine.redactor, interrupted: left }),
      ...(await openSentences(workspace, result.runId, step)),
    ];
    if (invocation.flag("json")) {
      terminal.print(safeJson({ run_id: result.runId, step, sentences }));
      return;
    }
    for (const sentence of sentences) {
      const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
      for (const line of lines) terminal.print(line);
    }
  });

/** What of the step, or of undoing it, waits for a person. */
async function openSentences({ approvals }: Workspace, runId: string, step: string): Promise<string[]> {
  const questions = await openQuestions(approvals, runId);
  return (
    questions
      // Of an item, the question is about the step too.
      .filter((question) => question.step?.replace(/\[\d+\]$/, "") === step || question.step === step)
      .map((question) => {
        const call = `${oneLine(question.tool)} ${safeJson(question.args, 0)}`;
        return `Approval ${question.id} is open, of ${aboutStep(question)}: ${call}.`;
      })
  );
}
