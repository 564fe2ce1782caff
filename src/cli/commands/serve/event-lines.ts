import { cliCommand } from "../../../base/index.ts";
import { type Workspace, toWireRunEvent } from "../../../app/index.ts";
import type { RunEvent } from "../../../chain/index.ts";
import type { EngineEvent } from "../../../engine/index.ts";
import { snakeKeys, toWireFailure } from "../../../tool/index.ts";
import { clockTime, formatDuration } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { RunLines } from "../../terminal/run-view/run-view.ts";
import { shortText } from "../../terminal/short-text.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";
import type { ServerLog } from "./server-log.ts";

/** Destination of {@link watchEvents}. */
interface EventOutput {
  readonly terminal: Pick<Terminal, "tint">;
  readonly log: Pick<ServerLog, "event">;
}

/**
 * Reports a line for every call, run, step, approval, reload and problem of a workspace, until it is closed. Returns the
 * listener for its runs, whose calls are reported as steps.
 */
export function watchEvents(workspace: Workspace, output: EventOutput): (event: RunEvent) => void {
  const { redactor } = workspace.engine;
  workspace.engine.subscribe((event) => {
    for (const { word, style, text } of linesOf(event)) {
      const line = `${clockTime(event.at)} ${output.terminal.tint(style, word)} ${redactor.line(text)}`;
      output.log.event(line, wireEvent(event, workspace));
    }
  });
  return runListener(workspace, output);
}

interface EventLine {
  readonly word: string;
  readonly style: Style;
  readonly text: string;
}

function linesOf(event: EngineEvent): readonly EventLine[] {
  switch (event.type) {
    case "execution_completed":
      return event.workflowId === undefined ? [completed(event)] : [];
    case "execution_failed":
      return event.workflowId === undefined ? [failed(event)] : [];
    case "reload_completed":
      return reloaded(event);
    case "load_error":
      return event.problems.map(({ file, line, column, message }) => ({
        word: "problem",
        style: "red",
        text: `${toOneLine(file)}:${line}:${column}: ${toOneLine(message)}`,
      }));
    default:
      return [];
  }
}

function completed(event: Extract<EngineEvent, { type: "execution_completed" }>): EventLine {
  const { tool, durationMs, cached, callerType } = event;
  const text = `${toOneLine(tool)} ${formatDuration(durationMs)}${cached ? ", cached" : ""}, ${callerType}`;
  return { word: "call", style: "green", text };
}

function failed(event: Extract<EngineEvent, { type: "execution_failed" }>): EventLine {
  const { tool, error, callerType } = event;
  const isWaiting = error.code === "approval_required";
  const todo = isWaiting && error.approvalId !== undefined ? `; ${cliCommand(`approve ${error.approvalId}`)}` : "";
  return {
    word: isWaiting ? "approval" : "call",
    style: isWaiting ? "yellow" : "red",
    text: `${toOneLine(tool)} [${error.code}] ${shortText(error.message)}, ${callerType}${todo}`,
  };
}

function reloaded(event: Extract<EngineEvent, { type: "reload_completed" }>): readonly EventLine[] {
  const changes = (["added", "updated", "removed"] as const).flatMap((change) =>
    event[change].length === 0 ? [] : [`${change} ${event[change].map(toOneLine).join(", ")}`],
  );
  if (event.errors > 0) changes.push(event.errors === 1 ? "1 file has errors" : `${event.errors} files have errors`);
  if (changes.length === 0) return [];
  return [{ word: "reload", style: event.errors > 0 ? "red" : "cyan", text: `${event.source}: ${changes.join("; ")}` }];
}

/** Maximum number of runs whose lines are formatted at a time; the oldest one is forgotten. */
const maxRuns = 1_000;

function runListener({ engine: { redactor } }: Workspace, { terminal, log }: EventOutput): (event: RunEvent) => void {
  const runs = new Map<string, { readonly chain: string; readonly lines: RunLines }>();
  return (event) => {
    const { runId } = event;
    let run = runs.get(runId);
    if (run === undefined) {
      run = { chain: event.type === "run-started" ? event.chain : "", lines: new RunLines() };
      runs.set(runId, run);
      for (const [oldest] of runs) if (runs.size > maxRuns) runs.delete(oldest);
    }
    const style = styleOf(event);
    const name = event.type === "run-started" ? "" : `${toOneLine(run.chain)} ${toOneLine(runId)} `;
    for (const text of [...run.lines.of(event), ...endLine(event)])
      log.event(
        `${clockTime(event.at)} ${terminal.tint(style, "run")} ${redactor.line(name + text)}`,
        toWireRunEvent(event, redactor),
      );
    if (event.type === "run-finished") runs.delete(runId);
  };
}

function endLine(event: RunEvent): readonly string[] {
  if (event.type !== "run-finished") return [];
  const why = event.error === undefined ? "" : `; [${event.error.code}] ${shortText(event.error.message)}`;
  return [`${event.status} in ${formatDuration(event.durationMs)}${why}`];
}

function styleOf(event: RunEvent): Style {
  if (event.type === "step-suspended") return "yellow";
  const status = "status" in event ? event.status : undefined;
  if (status === "failed") return "red";
  return status === "success" ? "green" : "cyan";
}

function wireEvent(event: EngineEvent, { engine: { redactor } }: Workspace): Readonly<Record<string, unknown>> {
  const { at, ...rest } = event;
  return {
    at: new Date(at).toISOString(),
    ...snakeKeys(rest),
    ...("error" in event && { error: redactor.value(toWireFailure(event.error)) }),
  };
}
