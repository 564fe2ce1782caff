import { stripUnsafe } from "../../../text/index.ts";
import { cliTexts } from "../../terminal/texts/cli-texts.ts";
import { blockLines } from "../../terminal/agent-view/block-lines.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { listOpenApprovals } from "../../approvals/list-open-approvals.ts";
import { type InspectedAgentRun, inspectAgentRun } from "../../open/inspect-agent-run.ts";
import { reportHowToResume } from "../../open/report-how-to-resume.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { isCutOff, usageLine } from "../../open/report-agent-result.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import { toWireAgent } from "../../wire/wire-agent-result.ts";

/** `windlass show` for a run of an agent: the prompt, the steps and the answer. */
export async function showAgent(invocation: Invocation, past: InspectedAgentRun): Promise<void> {
  const { terminal } = invocation;
  const { run, workspace } = past;
  const { redactor } = workspace.engine;
  const { prompt, result, block } = await inspectAgentRun(past);
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ...toWireAgent(result, redactor), prompt }));
    return;
  }
  terminal.print(`${terminal.paint("bold", "prompt")}  ${terminal.paint("dim", run.id)}`);
  terminal.print(indented(prompt));
  const lines = blockLines(block, {
    columns: terminal.columns ?? 1000,
    height: 1000,
    elapsedMs: result.durationMs,
    frame: 0,
    tint: (style, text) => terminal.paint(style, text),
    live: false,
  });
  for (const line of lines) terminal.print(line);
  if (block.answer !== "") {
    const cut = isCutOff(result) ? ` ${cliTexts[block.language].agent.cutOff}` : "";
    terminal.print(terminal.paint("bold", `answer${cut}`));
    terminal.print(indented(block.answer));
  }
  if (result.partial !== undefined) {
    terminal.print(terminal.paint("bold", `answer ${cliTexts[block.language].agent.cut}`));
    terminal.print(indented(result.partial));
  }
  logWrapped(usageLine(result, block.language), terminal, { style: "dim" });
  if (result.error !== undefined)
    reportFormattedError(terminal, { message: redactor.text(result.error.message), code: result.error.code });
  await reportAgentNextStep(invocation, past);
}

/** Shows the pending approvals of the run, or how to resume it. */
async function reportAgentNextStep(
  invocation: Invocation,
  { run, workspace, isInterrupted }: InspectedAgentRun,
): Promise<void> {
  const { terminal } = invocation;
  const isWaiting = run.status === "waiting";
  const approvals = isWaiting ? await listOpenApprovals(workspace, run.id) : [];
  for (const { id, tool, args } of approvals) {
    terminal.log(`waiting: ${terminal.tint("bold", toOneLine(tool))} ${safeJson(args, 0)}`);
    terminal.log(`  ${terminal.tint("cyan", `approve with: ${commandLine(invocation, "approve", id)}`)}`);
  }
  if (isInterrupted || (isWaiting && approvals.length === 0)) reportHowToResume(invocation, run.id);
}

function indented(text: string): string {
  return stripUnsafe(text).replaceAll(/^/gm, "  ");
}
