import { explainStep } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { safeJson } from "../safe-json.ts";
import { withPastRun } from "../past-run.ts";
import { wrapText } from "../wrap-text.ts";

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withPastRun(invocation, async ({ workspace, result }) => {
    const { terminal } = invocation;
    const [, step = ""] = invocation.words;
    const sentences = explainStep(result, step, { redactor: workspace.engine.redactor });
    if (invocation.flag("json")) {
      terminal.print(safeJson({ run_id: result.runId, step, sentences }));
      return;
    }
    for (const sentence of sentences) {
      const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
      for (const line of lines) terminal.print(line);
    }
  });
