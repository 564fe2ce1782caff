import { isFailureError } from "../../base/index.ts";
import { type Plan, type RunResult, runChain } from "../../chain/index.ts";
import { type ApprovalStore, createMemoryApprovals } from "../../store/index.ts";
import { checkAnswerable } from "../check-answerable.ts";
import type { RunCommand } from "../command-spec.ts";
import { dryRun, tellWithheld } from "../dry-run.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { prepareForChain } from "../prepare-servers.ts";
import { type AskedRun, readRun } from "../read-run.ts";
import { jsonIn, printFailure, tellError } from "../report-error.ts";
import { type RunSession, followRun, withRuns } from "../run-session.ts";
import { notKept, tellRun } from "../tell-run.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { UsageError } from "../usage-error.ts";
import { userName } from "../user-name.ts";

/** `windlass run`. */
export const runCommand: RunCommand = (invocation) => {
  checkOptions(invocation);
  const isDry = invocation.flag("dryRun");
  const work = async (session: RunSession): Promise<ExitCode> => {
    const [name = ""] = invocation.words;
    const plan = await session.workspace.loadChain(
      name,
      isDry ? {} : { beforePlan: (names) => prepare(session, names) },
    );
    tellUnguarded(session.workspace, invocation);
    const asked = await readRun(plan, invocation);
    try {
      return isDry ? await runDry(session, asked) : await runInEarnest(session, asked);
    } catch (error) {
      const code = tellBadInput(error, session, plan) ?? tellUnasked(error, session);
      if (code === undefined) throw error;
      return code;
    }
  };
  // Only the chain says whether its run is to be kept, and it is loaded later.
  return withRuns(invocation, work, isDry ? "nowhere" : "if-possible");
};

/** Makes tools known that the chain names and that nobody has seen. A dry run starts nobody: there they stay unknown. */
function prepare({ workspace, invocation, interrupts }: RunSession, names: ReadonlySet<string>): Promise<void> {
  return prepareForChain(names, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
}

function checkOptions(invocation: Invocation): void {
  if (invocation.flag("json") && invocation.flag("events")) {
    throw new UsageError("--json and --events exclude each other", "--events ends with the output of the run");
  }
  if (invocation.flag("dryRun") && invocation.text("runId") !== undefined) {
    throw new UsageError("a dry run is not kept, so it has no --run-id");
  }
}

async function runInEarnest(session: RunSession, asked: AskedRun): Promise<ExitCode> {
  const { plan } = asked;
  const durable = plan.durable ?? session.workspace.config.chains.durable;
  // A run that is to be kept needs a place to be kept in.
  if (durable && session.unkept !== undefined) throw session.unkept;
  if (durable) return tellRun(await runKept(session, asked), session, { durable });
  // Whoever sits at the terminal may be asked, and nobody else.
  const { interactive } = session.invocation.terminal;
  if (interactive) checkAnswerable(plan, userName());
  const approvals = interactive ? createMemoryApprovals() : undefined;
  const result = await runInMemory(session, asked, approvals);
  return tellRun(result, session, { durable, ...(approvals !== undefined && { approvals }) });
}

function runKept(session: RunSession, { plan, input, context, runId }: AskedRun): Promise<RunResult> {
  return followRun(session, { durable: true }, (how) =>
    session.workspace.runs.start(plan, { ...how, input, context, ...(runId !== undefined && { runId }) }),
  );
}

function runInMemory(session: RunSession, asked: AskedRun, approvals: ApprovalStore | undefined): Promise<RunResult> {
  const { plan, input, context, runId } = asked;
  const { engine, chains, env } = session.workspace;
  const world = { engine, chains, env, ...(approvals !== undefined && { approvals }) };
  return followRun(session, { durable: false }, (how) =>
    runChain(plan, { ...how, ...world, input, context, ...(runId !== undefined && { runId }) }),
  );
}

async function runDry(session: RunSession, asked: AskedRun): Promise<ExitCode> {
  const dry = await dryRun(session, asked);
  const code = await tellRun(dry.result, session, { durable: false, extra: { dry_run: dry.withheld } });
  tellWithheld(dry, session.invocation);
  return code;
}

/** Tells what is wrong with the input, one by one; undefined when that is not what is wrong. */
function tellBadInput(error: unknown, { invocation }: RunSession, plan: Plan): ExitCode | undefined {
  if (!isFailureError(error) || error.code !== "validation_error" || error.issues === undefined) return undefined;
  const { terminal } = invocation;
  const message = `${plan.name} does not take this input`;
  const details = error.issues.map((issue) => issue.message);
  const hints = [`${commandLine(invocation, "chains")} shows what chains take`];
  tellError(terminal, { message, code: error.code, details, hints });
  printFailure(terminal, error, jsonIn(invocation));
  return exitCodes.usage;
}

/** Tells what to do about a chain that asks people where nobody can be asked; undefined when that is not what is wrong. */
function tellUnasked(error: unknown, { invocation }: RunSession): ExitCode | undefined {
  if (!isFailureError(error) || error.reason !== "needs_approval") return undefined;
  const [message = ""] = error.message.split("; ", 1);
  tellError(invocation.terminal, { message, code: `${error.code}: ${error.reason}`, hints: notKept });
  printFailure(invocation.terminal, error, jsonIn(invocation));
  return exitCodes.failed;
}
