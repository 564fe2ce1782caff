import { type Failure, FailureError, failure, isFailureError } from "../../base/index.ts";
import type { RunEnd, StoredRun } from "../../store/index.ts";
import type { AgentOutcome, AgentResult, AgentStatus, OpenApproval } from "../agent-result.ts";
import type { FlowEnd } from "../flow/flow-run.ts";
import { markOutside } from "./holds-outside.ts";
import type { RunnerAnswer } from "../runner.ts";
import type { AgentRun } from "./agent-run.ts";
import { shownResult } from "./shown-result.ts";
import { type Said, writeTurn } from "./said.ts";

/** How the flow of a run was left. */
export type Ended = FlowEnd<RunnerAnswer>;

/** What a result has besides what the run knows. */
interface Beside {
  readonly runner: string;
  readonly startedAt: number;
  readonly open: readonly OpenApproval[];
  /** Where it is known otherwise than by how the flow was left. */
  readonly status?: Exclude<AgentStatus, "completed" | "waiting">;
  /** Where the journal has it. */
  readonly partial?: string;
}

/** What the journal is told of an end besides what the run knows. */
interface Ending {
  readonly at: number;
  /** What it began with; undefined where it adds nothing to a conversation. */
  readonly before: Pick<Said, "messages" | "isKept"> | undefined;
}

/** What an agent gives for a run. */
export function toResult(run: AgentRun, ended: Ended, beside: Beside): AgentResult {
  const { runner, startedAt } = beside;
  const { answer = "", sources, steps } = ended.kind === "done" ? ended.value : {};
  const told = {
    ...outcomeOf(run, ended, beside),
    answer,
    ...(sources !== undefined && { sources }),
    ...(steps !== undefined && { steps }),
    notes: run.notes,
  };
  return {
    runId: run.runId,
    conversationId: run.conversationId,
    runner,
    // As in events. What was said stays in the messages as it was, and is sent to nobody so.
    ...shownResult(told, run.engine.redactor),
    toolUsageSummary: run.toolUsage,
    usage: run.usage,
    rounds: run.rounds,
    messages: messagesOf(run, answer),
    tainted: run.tainted,
    durationMs: Math.max(0, run.now - startedAt),
  };
}

/** How the journal keeps the end of a run. */
export function toRunEnd(run: AgentRun, ended: Ended, { at, before }: Ending): RunEnd {
  const status = statusOf(run, ended);
  const partial = partialOf(run, ended);
  return {
    status: status === "completed" ? "success" : status,
    at,
    ...(ended.kind === "done" && { output: JSON.stringify(ended.value) }),
    ...(ended.kind === "done" &&
      before && {
        turn: () => writeTurn(before, { messages: messagesOf(run, ended.value.answer), tainted: run.tainted }),
      }),
    ...(partial !== "" && { output: JSON.stringify({ partial }) }),
    ...(ended.kind === "broke" && { error: JSON.stringify(failureOf(ended.error)) }),
  };
}

/** How a run that is over ended, as the journal has it: what it did is told again, how it ended is not decided again. */
export function storedEnd(
  { status, output, error }: Pick<StoredRun, "status" | "output" | "error">,
  told: Ended,
): { readonly ended: Ended } & Pick<Beside, "status" | "partial"> {
  // Both were written by `toRunEnd`.
  if (status === "success" && output !== undefined) {
    return { ended: { kind: "done", value: JSON.parse(output) as RunnerAnswer } };
  }
  if (status === "running") return { ended: told, status };
  if (error === undefined || (status !== "failed" && status !== "cancelled")) return { ended: told };
  const { message, ...more } = JSON.parse(error) as Failure;
  const { partial = "" } = JSON.parse(output ?? "{}") as { readonly partial?: string };
  return { ended: { kind: "broke", error: new FailureError(message, more) }, status, partial };
}

/** How a run ended, with what goes with that. */
function outcomeOf(run: AgentRun, ended: Ended, { open, ...beside }: Beside): AgentOutcome {
  const { status = statusOf(run, ended), partial = partialOf(run, ended) } = beside;
  if (status === "running") return { status };
  switch (ended.kind) {
    case "done":
      return { status: "completed" };
    case "parked":
      return { status: "waiting", approvals: open };
    case "broke": {
      const how = status === "cancelled" ? status : "failed";
      return { status: how, error: failureOf(ended.error), ...(partial !== "" && { partial }) };
    }
  }
}

/** What was said of an answer that will never come to its end. */
function partialOf({ partial }: AgentRun, { kind }: Ended): string {
  return kind === "broke" ? partial : "";
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

function failureOf(error: unknown): Failure {
  if (isFailureError(error)) return error.toFailure();
  const why = error instanceof Error ? error.message : String(error);
  return failure("execution_error", `the runner broke: ${why}`);
}

/** The conversation at the end of a run. */
function messagesOf(run: AgentRun, answer: string): AgentResult["messages"] {
  const messages = answer === "" ? [...run.messages] : [...run.messages, ...withAnswer(run, answer)];
  return run.tainted ? markOutside(messages) : messages;
}

/** The answer as the last message, unless the conversation has it: a runner may answer in other words than its model. */
function withAnswer({ messages }: AgentRun, answer: string): AgentResult["messages"] {
  const last = messages.at(-1);
  const has =
    last?.role === "assistant" && last.content.some((part) => part.type === "text" && part.text.trim() === answer);
  return has ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }];
}
