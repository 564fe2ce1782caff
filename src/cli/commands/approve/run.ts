import { isFailureError } from "../../../base/index.ts";
import { type ApprovalService, type Decided, mayDecide } from "../../../engine/index.ts";
import type { Approval, Decision } from "../../../store/index.ts";
import { argumentsLine } from "../../approvals/show-approval.ts";
import { cannotDecideReason } from "../../approvals/prompt-run-approval.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { describeDecision, unknownApproval, describeApprovalStep } from "../../approvals/describe-approval.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { type RunData, withRunData } from "../../open/open-journal.ts";
import { readJsonOption } from "../call/read-arguments.ts";
import { withRuns } from "../../open/run-session.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { requireTrust } from "../../open/open-here.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";
import { userName } from "../../terminal/user-name.ts";
import { type ApprovalLookup, listOpenApprovals, toWireApproval } from "../../../app/index.ts";
import { resumeRun } from "../../run-kinds/run-kind.ts";

/** `windlass approve`. */
export const approve: RunCommand = (invocation) => decide(invocation, true);

/** `windlass reject`. */
export const reject: RunCommand = (invocation) => decide(invocation, false);

async function decide(invocation: Invocation, approved: boolean): Promise<ExitCode> {
  const decided = await writeDecision(invocation, await decisionIn(invocation, approved));
  reportDecision(invocation, decided);
  const runId = await runToResume(decided, invocation);
  if (runId !== undefined) return resumeDecided(invocation, { decided, runId });
  if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireApproval(decided.approval)));
  return codeOf(decided);
}

interface CliDecision extends Decided {
  readonly approved: boolean;
}

/** Reads the decision from the command line. */
async function decisionIn(invocation: Invocation, approved: boolean): Promise<Pick<Decision, "approved" | "done">> {
  if (!approved) return { approved };
  const text = invocation.text("output");
  if (!invocation.flag("done")) {
    if (text === undefined) return { approved };
    throw new UsageError("--output requires --done: it is the output of a call that had completed");
  }
  return { approved, done: { output: text === undefined ? null : await readJsonOption(text, "--output") } };
}

function writeDecision(invocation: Invocation, decision: Pick<Decision, "approved" | "done">): Promise<CliDecision> {
  const decide = async ({ store, approvals }: RunData): Promise<CliDecision> => {
    const [id = ""] = invocation.words;
    if (approvals === undefined) throw await unknownApproval(id, undefined, invocation);
    const before = await findApproval(id, { approvals, store }, invocation);
    const who = whoDecides(invocation, before);
    const decided = await approvals.decide(before.id, { ...decision, ...who });
    if (decided === undefined) throw await unknownApproval(id, approvals, invocation);
    checkDecided(decided, invocation);
    return { ...decided, approved: decision.approved };
  };
  return withRunData(invocation, decide, { writes: true });
}

/** Throws if this user may not decide, or not with these options. */
function checkDecided({ approval, refusal }: Decided, invocation: Invocation): void {
  const { id } = approval;
  if (refusal?.reason === "not_an_approver")
    throw new UsageError(`you may not decide ${id}: ${cannotDecideReason(approval, userName())}`);
  if (refusal?.reason !== "not_interrupted") return;
  const message = `--done is for a call that was interrupted when its process ended; ${id} was not`;
  throw new UsageError(message, `run it with: ${commandLine(invocation, "approve", id)}`);
}

function whoDecides(invocation: Invocation, { id, approvers = [] }: Approval): Pick<Decision, "by" | "note"> {
  const note = invocation.text("note");
  // A server records the name of the token.
  const user = invocation.server === undefined ? userName() : undefined;
  if (invocation.server !== undefined && invocation.text("by") !== undefined)
    throw new UsageError("a server records the name of the token as the approver; omit --by");
  const named = invocation.text("by") ?? user;
  // As one of the approvers, only the current user decides; one who is none of them is refused.
  const by = approvers.length > 0 ? user : named;
  if (named !== by && mayDecide({ approvers }, user)) {
    const message = `${id} names its approvers, and only the current user can decide as one of them: omit --by`;
    throw new UsageError(message, `you are ${toOneLine(user ?? "?")}`);
  }
  return { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
}

/** Success if the approval now has the requested state. */
function codeOf({ approval, isRecorded, approved }: CliDecision): ExitCode {
  return isRecorded || approval.status === (approved ? "approved" : "rejected") ? exitCodes.ok : exitCodes.failed;
}

function reportDecision(invocation: Invocation, { approval, isRecorded, approved }: CliDecision): void {
  const { terminal } = invocation;
  if (!isRecorded) return terminal.log(`${approval.id} ${describeDecision(approval)}`);
  const isRun = approval.runId !== undefined;
  const content = approval.done !== undefined ? "Marked as done" : approved ? "Approved" : "Rejected";
  const args = argumentsLine(approval.args, commandLine(invocation, "approvals", approval.id));
  const line = `${terminal.tint(approved ? "green" : "red", content)}: ${toOneLine(approval.tool)} ${args}`;
  // If the run resumes, its output is the result on stdout.
  if ((isRun && invocation.flag("resume")) || invocation.flag("json")) terminal.log(line);
  else terminal.print(line);
  if (approved && !isRun) terminal.log(terminal.tint("dim", "Repeat the same call to run it once."));
}

/**
 * The run to resume after this decision; undefined if the decision did not count, or the run must not or cannot resume.
 */
async function runToResume(decided: CliDecision, invocation: Invocation): Promise<string | undefined> {
  const { runId: pendingRuns } = decided.approval;
  if (pendingRuns === undefined || codeOf(decided) !== exitCodes.ok) return undefined;
  const { terminal } = invocation;
  const runId = await rootOf(pendingRuns, invocation);
  const later = `resume the run with: ${commandLine(invocation, "resume", runId)}`;
  if (!invocation.flag("resume")) {
    terminal.log(terminal.tint("dim", later));
    return undefined;
  }
  const run = await withRunData(invocation, async ({ store }) => (await store?.runs.read(runId))?.run, {
    writes: true,
  });
  if (run === undefined) return undefined;
  // A server resumes it at once, and may have ended it already.
  if (run.status === "waiting" || run.status === "running" || invocation.server !== undefined) return runId;
  terminal.log(terminal.tint("dim", `Run ${runId} has already ended: ${run.status}.`));
  return undefined;
}

/**
 * Returns the root run: if an agent was called as a tool, its caller resumes too, since otherwise the answer would go
 * nowhere.
 */
function rootOf(runId: string, invocation: Invocation): Promise<string> {
  const find = async ({ store }: RunData): Promise<string> => {
    if (store === undefined) return runId;
    const { ancestorRunIds } = await import("../../../run/index.ts");
    return (await ancestorRunIds(store.runs, runId)).at(-1) ?? runId;
  };
  return withRunData(invocation, find, { writes: true });
}

/**
 * Reports that the decision is stored although the run could not resume, for example because no model is configured.
 */
function reportDecisionStored(invocation: Invocation, runId: string): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  terminal.log(`The decision is saved, but the run could not resume (see the error below). Fix it, then: ${how}`);
}

/** Resumes the run in this process. After a rejection the exit code is 0, regardless of how the run ends. */
function resumeDecided(
  invocation: Invocation,
  { decided, runId }: { readonly decided: CliDecision; readonly runId: string },
): Promise<ExitCode> {
  return withRuns(invocation, async (session) => {
    if (session.local !== undefined) warnUnmatchedRules(session.local, invocation);
    try {
      if (session.local !== undefined) requireTrust(session.local);
      const extra = { approval: toWireApproval(decided.approval) };
      const code = await resumeRun(session, runId, { refused: !decided.approved, extra });
      return decided.approved || session.interrupts.code !== undefined ? code : exitCodes.ok;
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_held") {
        reportDecisionStored(invocation, runId);
        throw error;
      }
      invocation.terminal.log("The process that holds the run will resume it.");
      if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireApproval(decided.approval)));
      return exitCodes.ok;
    }
  });
}

/**
 * The approval with this id, or the only one that the run with this id waits for. Throws if there is none, or several.
 */
async function findApproval(
  id: string,
  lookup: ApprovalLookup & { readonly approvals: Pick<ApprovalService, "find" | "list"> },
  invocation: Invocation,
): Promise<Approval> {
  const { approvals } = lookup;
  const found = await approvals.find(id);
  if (found !== undefined) return found;
  const [only, ...others] = await listOpenApprovals(lookup, id);
  if (only === undefined) throw await unknownApproval(id, approvals, invocation);
  if (others.length === 0) return only;
  const lines = [only, ...others].map((one) => `${one.id}   ${describeApprovalStep(one)}: ${toOneLine(one.tool)}`);
  throw new UsageError(`run ${id} waits for ${lines.length} approvals; choose one of them`, ...lines);
}
