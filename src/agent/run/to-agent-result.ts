import { type Failure, FailureError, failure, isFailureError, errorMessage } from "../../base/index.ts";
import type { RunEnd, StoredRun } from "../../store/index.ts";
import type {
  AgentOutcome,
  AgentResult,
  AgentStatus,
  PendingApproval,
  AgentFacts,
  AgentStep,
  AnswerSource,
} from "../events/agent-result.ts";
import type { ProgramOutcome } from "../../run/index.ts";
import { markUntrusted } from "./untrusted-messages.ts";
import type { RunnerAnswer } from "./runner.ts";
import type { AgentRun } from "./agent-run.ts";
import { type MessageHistory, writeTurn } from "./message-history.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";
import type { Verification } from "../verify/verification.ts";
import { agentNoticeText } from "../texts/agent-texts.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { summarizeResult } from "./summarize-result.ts";

/** Outcome of the program of a run. */
export type EndedProgram = ProgramOutcome<RunnerAnswer>;

/** Data of a result in addition to the run's own. */
interface ResultExtras {
  readonly runner: string;
  readonly startedAt: number;
  readonly open: readonly PendingApproval[];
  /** Set if the status is known from elsewhere than the program's end. */
  readonly status?: Exclude<AgentStatus, "completed" | "waiting">;
  /** Set if it is in the journal. */
  readonly partial?: string;
}

/** Converts an ended run to the result of its agent. */
export function toAgentResult(run: AgentRun, ended: EndedProgram, beside: ResultExtras): AgentResult {
  const { runner, startedAt } = beside;
  const { answer = "", sources, steps } = ended.kind === "done" ? ended.value : {};
  const reported = {
    ...outcomeOf(run, ended, beside),
    answer,
    ...(sources !== undefined && { sources }),
    ...(steps !== undefined && { steps }),
    notices: run.notices.map((notice) => agentNoticeText(notice)),
    noticeData: run.notices,
  };
  return {
    runId: run.runId,
    conversationId: run.conversationId,
    runner,
    // Redacted as in events. The messages stay unchanged; they are redacted whenever they are sent.
    ...redactAgentResult(reported, run.engine.redactor),
    toolUsageSummary: run.toolUsage,
    usage: run.usage,
    rounds: run.rounds,
    messages: messagesOf(run, answer),
    tainted: run.tainted,
    durationMs: Math.max(0, run.now - startedAt),
  };
}

/**
 * Converts the end of a run to its form in the journal. `before` is the history at its start; undefined if it adds
 * nothing to a conversation.
 */
export function toRunEnd(
  run: AgentRun,
  ended: EndedProgram,
  at: number,
  before: Pick<MessageHistory, "messages" | "isPersisted" | "offered"> | undefined,
): RunEnd {
  const status = statusOf(run, ended);
  const partial = partialOf(run, ended);
  return {
    status: status === "completed" ? "success" : status,
    at,
    ...(ended.kind === "done" && { output: JSON.stringify(ended.value) }),
    ...(ended.kind === "done" &&
      before && {
        turn: () =>
          writeTurn(before, {
            messages: messagesOf(run, ended.value.answer),
            tainted: run.tainted,
            ...(run.offered !== undefined && { offered: run.offered.names }),
          }),
      }),
    ...(partial !== "" && { output: JSON.stringify({ partial }) }),
    ...(ended.kind === "broke" && { error: JSON.stringify(failureOf(ended.error)) }),
  };
}

/** The outcome of an ended run, as the journal has it: its work is replayed, but its outcome is not computed again. */
export function storedOutcome(
  { status, output, error }: Pick<StoredRun, "status" | "output" | "error">,
  reported: EndedProgram,
): { readonly ended: EndedProgram } & Pick<ResultExtras, "status" | "partial"> {
  // Both were written by `toRunEnd`.
  if (status === "success" && output !== undefined) {
    return { ended: { kind: "done", value: JSON.parse(output) as RunnerAnswer } };
  }
  if (status === "running") return { ended: reported, status };
  if (error === undefined || (status !== "failed" && status !== "cancelled")) return { ended: reported };
  const { message, ...more } = JSON.parse(error) as Failure;
  const { partial = "" } = JSON.parse(output ?? "{}") as { readonly partial?: string };
  return { ended: { kind: "broke", error: new FailureError(message, more) }, status, partial };
}

/** Outcome of a run, with its details. */
function outcomeOf(run: AgentRun, ended: EndedProgram, { open, ...beside }: ResultExtras): AgentOutcome {
  const { status = statusOf(run, ended), partial = partialOf(run, ended) } = beside;
  if (status === "running") return { status };
  switch (ended.kind) {
    case "done":
      return { status: "completed" };
    case "suspended":
      return { status: "waiting", approvals: open };
    case "broke": {
      const how = status === "cancelled" ? status : "failed";
      return { status: how, error: failureOf(ended.error), ...(partial !== "" && { partial }) };
    }
  }
}

/** Text of an answer that will never be completed. */
function partialOf({ partial }: AgentRun, { kind }: EndedProgram): string {
  return kind === "broke" ? partial : "";
}

function statusOf(run: AgentRun, ended: EndedProgram): AgentStatus {
  switch (ended.kind) {
    case "done":
      return "completed";
    case "suspended":
      return "waiting";
    case "broke":
      return run.isCancelled ? "cancelled" : "failed";
  }
}

function failureOf(error: unknown): Failure {
  if (isFailureError(error)) return error.toFailure();
  return failure("execution_error", `the runner failed: ${errorMessage(error)}`);
}

/** The conversation at the end of a run. */
function messagesOf(run: AgentRun, answer: string): AgentResult["messages"] {
  const messages = answer === "" ? [...run.messages] : [...run.messages, ...withAnswer(run, answer)];
  return run.tainted ? markUntrusted(messages) : messages;
}

/**
 * Appends the answer as the last message, unless it is already there: a runner's answer may differ from its model's.
 */
function withAnswer({ messages }: AgentRun, answer: string): AgentResult["messages"] {
  const last = messages.at(-1);
  const has =
    last?.role === "assistant" && last.content.some((part) => part.type === "text" && part.text.trim() === answer);
  return has ? [] : [{ role: "assistant", content: [{ type: "text", text: answer }] }];
}

/** The parts of a result that consist of texts. */
type RedactableResult = AgentOutcome & Pick<AgentFacts, "answer" | "sources" | "steps" | "notices" | "noticeData">;

/** Redacts known secrets in the texts of a result, never in ids and names. */
function redactAgentResult(reported: RedactableResult, redactor: Redactor): RedactableResult {
  if (!redactor.knowsAny()) return reported;
  const text = redactor.knownText;
  const { answer, sources, steps, notices, noticeData } = reported;
  return {
    ...redactOutcome(reported, redactor),
    answer: text(answer),
    ...(sources && { sources: sources.map((source) => redactSource(source, text)) }),
    ...(steps && { steps: steps.map((step) => redactStep(step, text)) }),
    notices: notices.map(text),
    // Redaction changes only texts.
    noticeData: redactor.known(noticeData) as AgentFacts["noticeData"],
  };
}

function redactOutcome(outcome: AgentOutcome, redactor: Redactor): AgentOutcome {
  const text = redactor.knownText;
  const { status } = outcome;
  switch (status) {
    case "completed":
    case "running":
      return { status };
    case "waiting": {
      const approvals = outcome.approvals.map((request) => ({ ...request, args: redactor.known(request.args) }));
      return { status, approvals };
    }
    case "failed":
    case "cancelled": {
      const { error, partial } = outcome;
      return { status, error: redactFailure(error, text), ...(partial !== undefined && { partial: text(partial) }) };
    }
  }
}

type Text = (value: string) => string;

function redactSource(source: AnswerSource, text: Text): AnswerSource {
  const { title, location, quote } = source;
  return {
    ...source,
    title: text(title),
    location: text(location),
    ...(quote !== undefined && { quote: text(quote) }),
  };
}

function redactStep(step: AgentStep, text: Text): AgentStep {
  const { description, text: stepText, verification, error } = step;
  return {
    ...step,
    description: text(description),
    ...(stepText !== undefined && { text: text(stepText) }),
    ...(verification && { verification: redactVerification(verification, text) }),
    ...(error && { error: redactFailure(error, text) }),
  };
}

function redactVerification(verification: Verification, text: Text): Verification {
  const issues = verification.issues.map((issue) => ({
    ...issue,
    message: text(issue.message),
    quote: text(issue.quote),
  }));
  return { ...verification, issues };
}

/** Emits the last event of a run. */
export function emitRunFinished(
  run: AgentRun,
  { status, answer, partial, durationMs, usage, error }: AgentResult,
): void {
  const more = { ...(partial !== undefined && { partial }), ...(error !== undefined && { error }) };
  run.emit({ type: "run-finished", status, answer, durationMs, usage, ...more });
}

/** Maximum number of successful calls to list; the last ones are listed. */
const maxResults = 5;
const maxTextLength = 500;

/** True if a run ended because its budget was used up. */
export function isBudgetExceeded(error: unknown): boolean {
  return isFailureError(error) && error.reason === "budget_exceeded";
}

/** Adds a notice with the results of a run that can no longer answer: they were paid for. */
export function noticePartialResults(run: AgentRun): void {
  const results = run.callHistory.successfulResults
    .slice(-maxResults)
    .map((result) => ({ tool: result.tool, summary: summarizeResult(run, result) }));
  const text = lastAssistantText(run);
  if (results.length === 0 && text === "") return;
  run.notice({ code: "results_within_budget", params: { results, ...(text !== "" && { text }) } });
}

/** The model's text beside the calls that exceeded the budget. */
function lastAssistantText(run: AgentRun): string {
  const last = run.messages.slice(run.messages.findLastIndex(({ role }) => role === "user") + 1);
  const texts = last.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  const text = run.redacted(texts.at(-1) ?? "");
  return cutText(stripUnsafe(String(text)).replaceAll(/\s+/g, " ").trim(), maxTextLength).text;
}
