import type { RunCommand } from "../../program/command-spec.ts";
import type { Invocation } from "../../program/invocation.ts";
import { withInspectedRun, type Explanation, commandsFor } from "../../run-kinds/run-kind.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

/** `windlass show`. */
export const showRun: RunCommand = (invocation) =>
  withInspectedRun(invocation, async (inspected) => (await commandsFor(inspected.run)).show(invocation, inspected));

/** `windlass explain`. */
export const explainRun: RunCommand = (invocation) =>
  withInspectedRun(invocation, async (inspected) => {
    const [, step = ""] = invocation.words;
    const explanations = await (await commandsFor(inspected.run)).explain(invocation, inspected, step);
    if (!invocation.flag("json")) return printSentences(invocation, explanations);
    const facts = explanations.map((each) => ({ ...(each.step !== undefined && { step: each.step }), ...each.fact }));
    const sentences = explanations.map(({ sentence }) => sentence);
    const about = { run_id: inspected.run.id, ...(step !== "" && { step }) };
    invocation.terminal.print(safeJson({ ...about, sentences, facts }));
  });

function printSentences({ terminal }: Invocation, explanations: readonly Explanation[]): void {
  for (const { sentence } of explanations) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}
