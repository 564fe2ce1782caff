import { type Failure, failure, isFailureError } from "../../base/index.ts";
import type { RunEnd } from "../../store/index.ts";
import type { AgentResult, AgentStatus } from "../agent-result.ts";
import type { FlowEnd } from "../flow/flow-run.ts";
import type { RunnerAnswer } from "../runner.ts";
import type { AgentRun } from "./agent-run.ts";

/** How the flow of a run was left. */
export type Ended = FlowEnd<RunnerAnswer>;

/** What a result has besides what the run knows. */
interface Beside {
  readonly runner: string;
  readonly startedAt: number;
  readonly open: AgentResult["approvals"];
}

/** What an agent gives for a run. */
export function toResult(run: AgentRun, ended: Ended, { runner, startedAt, open = [] }: Beside): AgentResult {
  const { answer = "", sources, steps } = ended.kind === "done" ? ended.value : {};
  const error = errorOf(ended);
  const final = answer === "" ? [] : withAnswer(run, answer);
  return {
    runId: run.runId,
    conversationId: run.conversationId,
    runner,
    status: statusOf(run, ended),
    answer,
    ...(error !== undefined && { error }),
    ...(open.length > 0 && { approvals: open }),
    ...(sources !== undefined && { sources }),
    ...(steps !== undefined && { steps }),
    toolUsageSummary: run.toolUsage,
    usage: run.usage,
    rounds: run.rounds,
    notes: run.notes,
    messages: [...run.messages, ...final],
    tainted: run.tainted,
    durationMs: Math.max(0, run.now - startedAt),
  };
}

/** How the journal keeps the end of a run. */
export function toRunEnd(run: AgentRun, ended: Ended, at: number): RunEnd {
  const error = errorOf(ended);
  const status = statusOf(run, ended);
  return {
    status: status === "completed" ? "success" : status,
    at,
    ...(ended.kind === "done" && { output: JSON.stringify(ended.value) }),
    ...(error !== undefined && { error: JSON.stringify(error) }),
  };
}

function statusOf(run: AgentRun, ended: Ended): AgentStatus {
  switch (ended.kind) {
    case "done":
      return "completed";
    case "parked":
      return "waiting";
    case "broke":
      return run.isCancelled ? "cancelled" : "failed";
  }
}

function errorOf(ended: Ended): Failure | undefined {
  if (ended.kind !== "broke") return undefined;
  const { error } = ended;
  if (isFailureError(error)) return error.toFailure();
  const why = error instanceof Error ? error.message : String(error);
  return failure("execution_error", `the runner broke: ${why}`);
}

/** The answer as the last message, unless the conversation has it: a runner may answer in other words than its model. */
function withAnswer({ messages }: AgentRun, answer: string): AgentResult["messages"] {
  const last = messages.at(-1);
  const has =
    last?.role === "assistant" && last.content.some((part) => part.type === "text" && part.text.trim() === answer);
  return has ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }];
}
