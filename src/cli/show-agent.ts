import { cutOffNote } from "../agent/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { agentWords } from "./agent-view/agent-words.ts";
import { blockLines } from "./agent-view/block-lines.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { openQuestions } from "./open-questions.ts";
import { type PastAgent, lookAtAgent } from "./past-agent.ts";
import { tellResume } from "./tell-resume.ts";
import { tellError } from "./report-error.ts";
import { safeJson } from "./safe-json.ts";
import { usageLine } from "./tell-agent.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import { toWireAgent } from "./wire-agent.ts";

/** `windlass show` for a run of an agent: what was asked, what was done, and the answer. */
export async function showAgent(invocation: Invocation, past: PastAgent): Promise<void> {
  const { terminal } = invocation;
  const { run, workspace } = past;
  const { redactor } = workspace.engine;
  const { question, result, block } = await lookAtAgent(past);
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ...toWireAgent(result, redactor), question }));
    return;
  }
  terminal.print(`${terminal.paint("bold", "question")}  ${terminal.paint("dim", run.id)}`);
  terminal.print(indented(question));
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
    const cut = result.notes.includes(cutOffNote) ? ` ${agentWords[block.language].cutOff}` : "";
    terminal.print(terminal.paint("bold", `answer${cut}`));
    terminal.print(indented(block.answer));
  }
  if (result.partial !== undefined) {
    terminal.print(terminal.paint("bold", `answer ${agentWords[block.language].cut}`));
    terminal.print(indented(result.partial));
  }
  tellWrapped(usageLine(result, block.language), terminal, { style: "dim" });
  if (result.error !== undefined)
    tellError(terminal, { message: redactor.text(result.error.message), code: result.error.code });
  await tellNext(invocation, past);
}

/** What the run waits for, or how to go on with it. */
async function tellNext(invocation: Invocation, { run, workspace, left }: PastAgent): Promise<void> {
  const { terminal } = invocation;
  const isWaiting = run.status === "waiting";
  const questions = isWaiting ? await openQuestions(workspace, run.id) : [];
  for (const { id, tool, args } of questions) {
    terminal.tell(`waiting: ${terminal.tint("bold", oneLine(tool))} ${safeJson(args, 0)}`);
    terminal.tell(`  ${terminal.tint("cyan", `${commandLine(invocation, "approve", id)} lets it go on`)}`);
  }
  if (left || (isWaiting && questions.length === 0)) tellResume(invocation, run.id);
}

function indented(text: string): string {
  return stripUnsafe(text).replaceAll(/^/gm, "  ");
}
