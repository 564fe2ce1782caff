import { isFailureError } from "../../base/index.ts";
import type { Approval, ApprovalStore, Decision } from "../../store/index.ts";
import { suggest } from "../../text/index.ts";
import { whyNot } from "../ask-in-run.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { howDecided } from "../how-decided.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { withJournal } from "../open-journal.ts";
import { withRuns } from "../run-session.ts";
import { safeJson } from "../safe-json.ts";
import { tellRun } from "../tell-run.ts";
import { UsageError } from "../usage-error.ts";
import { userName } from "../user-name.ts";
import { toWireApproval } from "../wire-record.ts";
import { resume } from "./resume.ts";

/** `windlass approve`. */
export const approve: RunCommand = (invocation) => decide(invocation, true);

/** `windlass reject`. */
export const reject: RunCommand = (invocation) => decide(invocation, false);

async function decide(invocation: Invocation, approved: boolean): Promise<ExitCode> {
  const decided = await writeDecision(invocation, approved);
  tell(invocation, decided);
  const runId = await runToGoOnWith(decided, invocation);
  if (runId !== undefined) return goOn(invocation, { decided, runId });
  if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireApproval(decided.approval)));
  return codeOf(decided);
}

interface Decided {
  readonly approval: Approval;
  /** Was it this decision that counted? */
  readonly mine: boolean;
  readonly approved: boolean;
}

function writeDecision(invocation: Invocation, approved: boolean): Promise<Decided> {
  return withJournal(async ({ store }) => {
    const [id = ""] = invocation.words;
    const now = Date.now();
    const before = await store?.approvals.get(id, now);
    if (store === undefined || before === undefined) throw await unknownId(id, store?.approvals, invocation);
    const refusal = before.status === "pending" ? whyNot(before, userName()) : undefined;
    if (refusal !== undefined) throw new UsageError(`${id} is not yours to decide: ${refusal}`);
    const after = await store.approvals.decide(id, decisionOf(invocation, before, approved), now);
    const mine = before.status === "pending" && after?.decidedAt === now;
    return { approval: after ?? before, mine, approved };
  });
}

function decisionOf(invocation: Invocation, { id, approvers = [] }: Approval, approved: boolean): Decision {
  const note = invocation.text("note");
  const user = userName();
  const by = invocation.text("by") ?? user;
  if (approvers.length > 0 && by !== user) {
    const message = `${id} names who may decide, and that is checked against the user of this machine: leave --by out`;
    throw new UsageError(message, `you are ${oneLine(user ?? "?")}`);
  }
  return { approved, ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
}

/** Whether the approval stands as this decision wants it. */
function codeOf({ approval, mine, approved }: Decided): ExitCode {
  return mine || approval.status === (approved ? "approved" : "rejected") ? exitCodes.ok : exitCodes.failed;
}

function tell(invocation: Invocation, { approval, mine, approved }: Decided): void {
  const { terminal } = invocation;
  if (!mine) {
    terminal.tell(`${approval.id} ${howDecided(approval)}`);
    return;
  }
  const isRun = approval.runId !== undefined;
  const done = terminal.tint(approved ? "green" : "red", approved ? "Approved" : "Rejected");
  const line = `${done}: ${oneLine(approval.tool)} ${oneLine(JSON.stringify(approval.args) ?? "")}`;
  // Of a run that goes on, the result is what comes of it.
  if ((isRun && invocation.flag("run")) || invocation.flag("json")) terminal.tell(line);
  else terminal.print(line);
  if (approved && !isRun) terminal.tell(terminal.tint("dim", "The same call, made again, now runs once."));
}

/** The run that waits for this decision, when it stands and nobody executes the run; else says who does. */
async function runToGoOnWith(decided: Decided, invocation: Invocation): Promise<string | undefined> {
  const { runId } = decided.approval;
  if (runId === undefined || codeOf(decided) !== exitCodes.ok) return undefined;
  const { terminal } = invocation;
  const later = `${commandLine(invocation, "resume", runId)} goes on with the run`;
  if (!invocation.flag("run")) {
    terminal.tell(terminal.tint("dim", later));
    return undefined;
  }
  const run = await withJournal(async ({ store }) => (await store?.runs.read(runId))?.run);
  if (run === undefined) return undefined;
  if (run.status === "waiting" || run.status === "running") return runId;
  terminal.tell(terminal.tint("dim", `Run ${runId} is over: ${run.status}.`));
  return undefined;
}

/** Goes on with the run in this process. A rejection has done its work, whatever then becomes of the run. */
function goOn(
  invocation: Invocation,
  { decided, runId }: { readonly decided: Decided; readonly runId: string },
): Promise<ExitCode> {
  return withRuns(invocation, async (session) => {
    try {
      const extra = { approval: toWireApproval(decided.approval) };
      const code = await tellRun(await resume(session, runId), session, { durable: true, extra });
      return decided.approved || session.interrupts.code !== undefined ? code : exitCodes.ok;
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_held") throw error;
      invocation.terminal.tell("The process that executes the run goes on with it.");
      if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireApproval(decided.approval)));
      return exitCodes.ok;
    }
  });
}

async function unknownId(
  id: string,
  approvals: ApprovalStore | undefined,
  invocation: Invocation,
): Promise<UsageError> {
  const known = (await approvals?.list(Date.now(), "pending")) ?? [];
  const near = suggest(
    id,
    known.map((approval) => approval.id),
  );
  const [first] = known;
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : first === undefined
        ? "nothing waits for a decision here"
        : `${formatCount(known.length, "call")} waiting: ${commandLine(invocation, "approvals")}`;
  return new UsageError(`there is no approval ${JSON.stringify(id)}`, hint);
}
