import type { AgentResult } from "../../agent/index.ts";
import { promptOfRun, toWireAgent } from "../../app/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { followAgent } from "../open/agent-session.ts";
import { isCutOff, reportAgentResult, usageLine } from "../open/report-agent-result.ts";
import type { Invocation } from "../program/invocation.ts";
import { reportFormattedError } from "../program/report-error.ts";
import { blockLines } from "../terminal/agent-view/block-lines.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import { type RunKindCommands, type ShownRun, reportCancelledCalls, reportWhatItWaitsFor } from "./run-kind.ts";

/** Commands for runs of agents. */
export const agentRuns: RunKindCommands<AgentResult> = {
  resume: async (session, { id }) => {
    const runs = await session.workspace.agents();
    return followAgent(session, (how) => runs.resume(id, how));
  },
  report: (result, session, { extra }) => reportAgentResult(result, session, extra),
  inspect: async (workspace, id) => (await workspace.agents()).inspect(id),
  cancel: async (workspace, id, by) => (await workspace.agents()).cancel(id, by),
  reportCancelled: (result, session, cancelled) =>
    reportCancelledCalls(toWireAgent(result, session.workspace.engine.redactor), session, cancelled),
  show: showAgentRun,
  repeat: (run, { engine }) => ["ask", "--runner", run.name, engine.redactor.knownText(promptOfRun(run))],
};

/** `windlass show` for a run of an agent: the prompt, the steps and the answer. */
async function showAgentRun(invocation: Invocation, shown: ShownRun): Promise<void> {
  const { terminal } = invocation;
  const { redactor } = shown.workspace.engine;
  const { prompt, result, block } = await shown.agentDetails();
  if (invocation.flag("json")) return terminal.print(safeJson({ ...toWireAgent(result, redactor), prompt }));
  terminal.print(`${terminal.paint("bold", "prompt")}  ${terminal.paint("dim", shown.run.id)}`);
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
  await reportWhatItWaitsFor(invocation, shown);
}

function indented(text: string): string {
  return stripUnsafe(text).replaceAll(/^/gm, "  ");
}
