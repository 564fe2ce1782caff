import type { Workspace } from "../../app/index.ts";
import { explainStep } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { oneLine } from "../format-table.ts";
import type { Invocation } from "../invocation.ts";
import { aboutStep, openQuestions } from "../open-questions.ts";
import { safeJson } from "../safe-json.ts";
import { withPastRun } from "../past-run.ts";
import { wrapText } from "../wrap-text.ts";

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withPastRun(
    invocation,
    async ({ workspace, result, left }) => {
      const step = stepIn(invocation);
      tell(invocation, result.runId, [
        ...explainStep(result, step, { redactor: workspace.engine.redactor, interrupted: left }),
        ...(await openSentences(workspace, result.runId, step)),
      ]);
    },
    {
      ofAgent: async (past) => {
        const { explainAgent } = await import("../explain-agent.ts");
        tell(invocation, past.run.id, await explainAgent(invocation, past, stepIn(invocation)));
      },
    },
  );

function stepIn({ words: [, step = ""] }: Invocation): string {
  return step;
}

function tell(invocation: Invocation, runId: string, sentences: readonly string[]): void {
  const { terminal } = invocation;
  if (invocation.flag("json")) {
    terminal.print(safeJson({ run_id: runId, step: stepIn(invocation), sentences }));
    return;
  }
  for (const sentence of sentences) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}

/** What of the step, or of undoing it, waits for a person. */
async function openSentences(workspace: Workspace, runId: string, step: string): Promise<string[]> {
  const questions = await openQuestions(workspace, runId);
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
