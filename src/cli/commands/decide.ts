import { isFailureError } from "../../base/index.ts";
import type { Approval, Decision } from "../../store/index.ts";
import { argumentsLine } from "../arguments-line.ts";
import { whyNot } from "../ask-in-run.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { findApproval } from "../find-approval.ts";
import { oneLine } from "../format-table.ts";
import { howDecided } from "../how-decided.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { isOfAgent } from "../is-of-agent.ts";
import { withJournal } from "../open-journal.ts";
import { readJson } from "../read-arguments.ts";
import { type RunSession, withRuns } from "../run-session.ts";
import { safeJson } from "../safe-json.ts";
import { tellRun } from "../tell-run.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { unknownApproval } from "../unknown-approval.ts";
import { UsageError } from "../usage-error.ts";
import { userName } from "../user-name.ts";
import { toWireApproval } from "../wire-record.ts";
import { resume } from "./resume.ts";

/** `windlass approve`. */
export const approve: RunCommand = (invocation) => decide(invocation, true);

/** `windlass reject`. */
export const reject: RunCommand = (invocation) => decide(invocation, false);

async function decide(invocation: Invocation, approved: boolean): Promise<ExitCode> {
  const decided = await writeDecision(invocation, await decisionIn(invocation, approved));
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

/** What the command line says, whatever it is about. */
async function decisionIn(invocation: Invocation, approved: boolean): Promise<Pick<Decision, "approved" | "done">> {
  if (!approved) return { approved };
  const text = invocation.text("output");
  if (!invocation.flag("done")) {
    if (text === undefined) return { approved };
    throw new UsageError("--output is what a call gave that was done: it goes with --done");
  }
  return { approved, done: { output: text === undefined ? null : await readJson(text, "--output") } };
}

function writeDecision(invocation: Invocation, decision: Pick<Decision, "approved" | "done">): Promise<Decided> {
  return withJournal(async ({ store }) => {
    const [id = ""] = invocation.words;
    const now = Date.now();
    if (store === undefined) throw await unknownApproval(id, undefined, invocation);
    const before = await findApproval(id, store, invocation);
    if (before.status === "pending") checkDecidable(before, invocation, decision.done !== undefined);
    const after = await store.approvals.decide(before.id, { ...decision, ...whoDecides(invocation, before) }, now);
    const mine = before.status === "pending" && after?.decidedAt === now;
    return { approval: after ?? before, mine, approved: decision.approved };
  });
}

/** Throws where this person may not decide, or not in this way. */
function checkDecidable(approval: Approval, invocation: Invocation, asDone: boolean): void {
  const { id, interrupted } = approval;
  const refusal = whyNot(approval, userName());
  if (refusal !== undefined) throw new UsageError(`${id} is not yours to decide: ${refusal}`);
  if (!asDone || interrupted === true) return;
  const message = `--done is for a call that was running when its process ended, and ${id} is about one that was not`;
  throw new UsageError(message, `${commandLine(invocation, "approve", id)} lets it run`);
}

function whoDecides(invocation: Invocation, { id, approvers = [] }: Approval): Pick<Decision, "by" | "note"> {
  const note = invocation.text("note");
  const user = userName();
  const by = invocation.text("by") ?? user;
  if (approvers.length > 0 && by !== user) {
    const message = `${id} names who may decide, and that is checked against the user of this machine: leave --by out`;
    throw new UsageError(message, `you are ${oneLine(user ?? "?")}`);
  }
  return { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
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
  const said = approval.done !== undefined ? "Taken as done" : approved ? "Approved" : "Rejected";
  const args = argumentsLine(approval.args, commandLine(invocation, "approvals", approval.id));
  const line = `${terminal.tint(approved ? "green" : "red", said)}: ${oneLine(approval.tool)} ${args}`;
  // Of a run that goes on, the result is what comes of it.
  if ((isRun && invocation.flag("run")) || invocation.flag("json")) terminal.tell(line);
  else terminal.print(line);
  if (approved && !isRun) terminal.tell(terminal.tint("dim", "The same call, made again, now runs once."));
}

/** The run that waits for this decision, when it stands and nobody executes the run; else says who does. */
async function runToGoOnWith(decided: Decided, invocation: Invocation): Promise<string | undefined> {
  const { runId: asking } = decided.approval;
  if (asking === undefined || codeOf(decided) !== exitCodes.ok) return undefined;
  const { terminal } = invocation;
  const runId = await rootOf(asking);
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

/** Of an agent that is a tool, whoever called it goes on: with it alone, the answer would come to nobody. */
function rootOf(runId: string): Promise<string> {
  return withJournal(async ({ store }) => {
    if (store === undefined || !(await isOfAgent({ store }, runId))) return runId;
    const { runsAbove } = await import("../../agent/index.ts");
    return (await runsAbove(store.runs, runId)).at(-1) ?? runId;
  });
}

interface GoingOn {
  readonly refused: boolean;
  /** What `--json` prints besides. */
  readonly extra: Readonly<Record<string, unknown>>;
}

async function goOnHere(session: RunSession, runId: string, { refused, extra }: GoingOn): Promise<ExitCode> {
  if (await isOfAgent(session.workspace, runId)) {
    const { goOnWithAgent } = await import("../go-on-with-agent.ts");
    return goOnWithAgent(session, runId, extra);
  }
  return tellRun(await resume(session, runId), session, { durable: true, refused, extra });
}

/** Whatever is in the way of the run, such as a model that is not there: nobody has to decide once more. */
function tellKept(invocation: Invocation, runId: string): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  terminal.tell(`The decision is kept; what is in the way is told below. After that, ${how} goes on with the run.`);
}

/** Goes on with the run in this process. A rejection has done its work, whatever then becomes of the run. */
function goOn(
  invocation: Invocation,
  { decided, runId }: { readonly decided: Decided; readonly runId: string },
): Promise<ExitCode> {
  return withRuns(invocation, async (session) => {
    tellUnguarded(session.workspace, invocation);
    try {
      const extra = { approval: toWireApproval(decided.approval) };
      const code = await goOnHere(session, runId, { refused: !decided.approved, extra });
      return decided.approved || session.interrupts.code !== undefined ? code : exitCodes.ok;
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_held") {
        tellKept(invocation, runId);
        throw error;
      }
      invocation.terminal.tell("The process that executes the run goes on with it.");
      if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireApproval(decided.approval)));
      return exitCodes.ok;
    }
  });
}
