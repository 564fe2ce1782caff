import { failure } from "../../base/index.ts";
import type { ApprovalWait, CallOutcome, DecidedOutcome, InterruptedOutcome, StepWork } from "../../chain/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { Place } from "../agent-event.ts";
import { type CallWish, type Flow, call, decision } from "../flow/flow.ts";
import { resultOf } from "../flow/result-of.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A call that a model wants, or a runner. */
export interface ToolRequest {
  readonly place: Place;
  /** The same whenever the run is told; unique in it. */
  readonly key: string;
  /** By which the model knows it. */
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
}

/** What came of it; the effect is absent when the handler never ran. */
export interface CalledTool {
  readonly result: ToolResult;
  readonly effect: Effect | undefined;
}

/** What a person has let through, so far. */
interface Permit {
  /** Each bound to the tool as it was asked about. */
  allowed: readonly string[];
  /** The question that was answered last. */
  last: string | undefined;
}

/** What came of a call when it was made once. */
export type FirstOutcome = CallOutcome | InterruptedOutcome;

/** The wish to make a call. What comes of it goes to {@link concernsNobody}. */
export function callWish(run: AgentRun, request: ToolRequest): CallWish {
  return {
    kind: "call",
    key: `${request.key}#1`,
    work: workOf(run, request),
    onProgress: progressOf(run, request),
  };
}

/** Is nobody to be asked? So it is with most calls; the others are for {@link askAbout}. */
export function concernsNobody(run: AgentRun, request: ToolRequest, outcome: FirstOutcome): outcome is CallOutcome {
  return outcome.kind === "call" && questionOf(run, request, outcome) === undefined;
}

/**
 * Asks people about a call that was made once, where the rules say so: then the run waits, and goes on with this call in
 * whatever process somebody has answered to. A call that was running when a process ended, and must not run twice, is
 * asked about as well. It is made again until it is settled.
 */
export function* askAbout(run: AgentRun, request: ToolRequest, first: FirstOutcome): Flow<CalledTool> {
  const permit: Permit = { allowed: [], last: undefined };
  let outcome = first;
  for (let attempt = 1; ; attempt++) {
    const key = `${request.key}#${attempt}`;
    if (outcome.kind === "interrupted") {
      const settled = yield* askInterrupted(run, request, { key, outcome });
      if (settled !== undefined) return settled;
    } else {
      const question = questionOf(run, request, outcome);
      // One that is asked again although it was answered would be asked for ever.
      if (question === undefined || question.approvalId === permit.last) return outcome;
      const decided = yield* askPerson(run, request, { ...question, key });
      const { asks } = outcome;
      // What an agent asked that is a tool is its own matter, also when the answer is no: it is called again.
      const takesAnswer = asks !== undefined && asks.key === undefined && decided.status !== "cancelled";
      if (decided.status !== "approved" && !takesAnswer) {
        return { result: refused(request, decided), effect: undefined };
      }
      permit.last = question.approvalId;
      const allows = asks === undefined ? outcome.asksKey : asks.key;
      if (allows !== undefined) permit.allowed = [...permit.allowed, allows];
    }
    const work = { ...workOf(run, request), allowed: permit.allowed };
    outcome = yield* call(`${request.key}#${attempt + 1}`, work, progressOf(run, request));
  }
}

function workOf({ runId }: AgentRun, { key, tool, args }: ToolRequest): StepWork {
  return {
    tool,
    args,
    idempotencyKey: `${runId}/${key}`,
  };
}

function progressOf(run: AgentRun, { place, callId, tool }: ToolRequest): ((value: unknown) => void) | undefined {
  if (!run.listens) return undefined;
  return (value) => run.tell({ type: "tool-progress", ...place, callId, tool, value });
}

type PersonQuestion = Pick<ApprovalWait, "message" | "approvalId" | "tool" | "args" | "interrupted">;

/** What a rule wants to know; undefined where the call went well, or failed for another reason. */
function questionOf(
  run: AgentRun,
  { tool, args }: ToolRequest,
  { result, asks }: CallOutcome,
): PersonQuestion | undefined {
  if (result.success || run.isCancelled) return undefined;
  if (asks !== undefined) return asks;
  const { code, approvalId } = result.error;
  if (code !== "approval_required" || approvalId === undefined) return undefined;
  return { tool, args, message: `Allow ${tool} to run with these arguments?`, approvalId };
}

function* askPerson(
  run: AgentRun,
  { place, callId, key: step }: ToolRequest,
  { key, tool, args, message: text, approvalId: asked, interrupted }: PersonQuestion & { readonly key: string },
): Flow<Verdict> {
  const what = {
    kind: "approval" as const,
    step,
    tool,
    args,
    message: text,
    approvers: [],
    expiresMs: undefined,
    approvalId: asked,
    ...(interrupted === true && { interrupted }),
  };
  const about = { ...place, callId, tool };
  const decided = yield* decision(`${key}?`, what, (approvalId, note) => {
    const message = note === undefined ? text : `${text} (${note})`;
    run.tell({ type: "approval-asked", ...about, approvalId, args: run.shownToDecide(args), message });
  });
  if (decided.kind === "cancel") return { status: "cancelled" };
  const { approvalId, status, note } = decided;
  const approved = status === "approved";
  run.tell({ type: "approval-decided", ...about, approvalId, approved, ...(note !== undefined && { note }) });
  return decided;
}

type Verdict = DecidedOutcome | { readonly status: "cancelled"; readonly note?: undefined };

/** Nobody knows whether the work was done: undefined when a person wants it done once more. */
function* askInterrupted(
  run: AgentRun,
  request: ToolRequest,
  { key, outcome }: { readonly key: string; readonly outcome: InterruptedOutcome },
): Flow<CalledTool | undefined> {
  const { tool, args } = request;
  const since = new Date(outcome.startedAt).toISOString();
  const message =
    `${tool} was running when its process ended (started ${since}), and must not run twice. Find out whether its work ` +
    `was done: approve to run it again, approve --done if it was done, reject to go on without it.`;
  const asked = { key, tool, args, message, approvalId: undefined, interrupted: true as const };
  const decided = yield* askPerson(run, request, asked);
  if (decided.status !== "approved") {
    const error = failure(
      "interrupted",
      `${tool} was running when its process ended; it is not known how far it came`,
      {
        forModel: `It is not known whether ${tool} did its work, and a person decided not to run it again. Go on without it.`,
        retry: "never",
      },
    );
    return { result: resultOf(request.tool, { success: false, error }), effect: "once" };
  }
  if (decided.done !== undefined) {
    return { result: resultOf(request.tool, { success: true, output: decided.done.output ?? null }), effect: "once" };
  }
  // What the rules want to know of the call is asked, or was: that it may run twice says nothing of it.
  return undefined;
}

function refused(request: ToolRequest, verdict: Verdict): ToolResult {
  const { tool } = request;
  const said = verdict.note === undefined ? "" : `: ${verdict.note}`;
  if (verdict.status === "cancelled") {
    return resultOf(request.tool, {
      success: false,
      error: failure("cancelled", `${tool} was not run: the run was cancelled`),
    });
  }
  const expired = verdict.status === "expired";
  const why = expired ? `nobody decided in time whether ${tool} may run` : `a person refused to let ${tool} run${said}`;
  const error = failure("permission_denied", why, {
    reason: expired ? "expired" : "rejected",
    forModel: `${why}. Do not ask for it again; go on without it, or say what you would need it for.`,
    retry: "never",
  });
  return resultOf(request.tool, { success: false, error });
}
