import { isFailureError, type FailureError, fail, systemClock } from "../../../base/index.ts";
import { type Plan, type RunResult, missingRequirements, requirementMessages, runChain } from "../../../chain/index.ts";
import { ApprovalService } from "../../../engine/index.ts";
import { type ApprovalStore, createInMemoryApprovals } from "../../../store/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { dryRun, reportWithheldCalls } from "./dry-run.ts";
import { type ChainInput, type RunRequest, readRun } from "./read-run.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { requireTrust } from "../../open/open-here.ts";
import { prepareForChain } from "../../open/prepare-servers.ts";
import { jsonIn, printFailure, reportFormattedError } from "../../program/report-error.ts";
import {
  type LocalSession,
  type RunSession,
  followRun,
  withLocalRuns,
  withRemoteRuns,
} from "../../open/run-session.ts";
import { notDurableHint, reportRunResult } from "../../open/report-run-result.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";
import { userName } from "../../terminal/user-name.ts";
import { cannotDecideReason } from "../../approvals/prompt-run-approval.ts";

/** `windlass run`. */
export const runCommand: RunCommand = (invocation) => {
  checkOptions(invocation);
  return invocation.server === undefined ? runHere(invocation) : runRemotely(invocation);
};

function runHere(invocation: Invocation): Promise<ExitCode> {
  const isDry = invocation.flag("dryRun");
  const work = async (session: LocalSession): Promise<ExitCode> => {
    const [name = ""] = invocation.words;
    const plan = await session.workspace.loadChain(
      name,
      isDry ? {} : { beforePlan: (names) => prepare(session, names) },
    );
    if (!isDry) requireTrustedTools(plan, session.workspace);
    warnUnmatchedRules(session.workspace, invocation);
    const request = await readRun(plan, invocation);
    try {
      return isDry ? await runDry(session, request) : await runInEarnest(session, request);
    } catch (error) {
      const code = reportInputIssues(error, session, plan) ?? reportNoApprover(error, session);
      if (code === undefined) throw error;
      return code;
    }
  };
  // The chain decides whether its run is durable, and is loaded later.
  return withLocalRuns(invocation, work, isDry ? "none" : "if-possible");
}

/** Starts the run of a chain of the server, and follows it. */
function runRemotely(invocation: Invocation): Promise<ExitCode> {
  const [name = ""] = invocation.words;
  if (/[/\\]|\.ya?ml$/i.test(name))
    throw new UsageError(
      "a server runs its own chains: name one",
      `list them with: ${commandLine(invocation, "chains")}`,
    );
  if (invocation.flag("dryRun")) throw new UsageError("--dry-run works on the workspace of this machine only");
  return withRemoteRuns(invocation, async (session) => {
    const { workspace } = session;
    const { input, context, runId, plan } = await readRun(await workspace.chain(name), invocation);
    const body = { input, context, ...(runId !== undefined && { run_id: runId }) };
    try {
      const result = await followRun(session, { durable: true }, (how) => workspace.startChain(name, body, how));
      return await reportRunResult(result, session, { durable: true });
    } catch (error) {
      const code = reportInputIssues(error, session, plan);
      if (code === undefined) throw error;
      return code;
    }
  });
}

/**
 * Connects MCP servers whose tools the chain names and that are still unknown. A dry run starts no servers: there the
 * tools stay unknown.
 */
function prepare({ workspace, invocation, interrupts }: LocalSession, names: ReadonlySet<string>): Promise<void> {
  return prepareForChain(names, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
}

/** Throws before the first step if a step needs a tool that is not trusted. */
function requireTrustedTools(plan: Plan, workspace: LocalSession["workspace"]): void {
  const plans = new Set([plan]);
  for (const { steps } of plans) {
    for (const { target, onFailure } of steps) {
      for (const { tool, chain } of [target, ...onFailure.fallback.map((entry) => entry.target)]) {
        if (tool?.broken?.reason === "not_trusted") requireTrust(workspace);
        if (chain !== undefined) plans.add(chain());
      }
    }
  }
}

function checkOptions(invocation: Invocation): void {
  if (invocation.flag("json") && invocation.flag("events")) {
    throw new UsageError(
      "--json and --events exclude each other",
      "--events already prints the output as its last event",
    );
  }
  if (invocation.flag("dryRun") && invocation.text("runId") !== undefined) {
    throw new UsageError("a dry run is not persisted, so it takes no --run-id");
  }
}

async function runInEarnest(session: LocalSession, request: RunRequest): Promise<ExitCode> {
  const { plan } = request;
  const durable = plan.durable ?? session.workspace.config.chains.durable;
  // A durable run needs a database.
  if (durable && session.notStored !== undefined) throw session.notStored;
  if (durable && session.workspace.store === undefined) requireTrust(session.workspace);
  if (durable) return reportRunResult(await runDurably(session, request), session, { durable });
  // Only the user at the terminal can be prompted.
  const { interactive } = session.invocation.terminal;
  if (interactive) checkApprovable(plan, userName());
  const approvals = interactive ? createInMemoryApprovals() : undefined;
  const result = await runInMemory(session, request, approvals);
  const service = approvals && new ApprovalService(approvals, systemClock);
  return reportRunResult(result, session, { durable, ...(service !== undefined && { approvals: service }) });
}

function runDurably(session: LocalSession, { plan, input, context, runId }: RunRequest): Promise<RunResult> {
  return followRun(session, { durable: true }, (how) =>
    session.workspace.runs.start(plan, { ...how, input, context, ...(runId !== undefined && { runId }) }),
  );
}

function runInMemory(
  session: LocalSession,
  { plan, input, context, runId }: RunRequest,
  approvals: ApprovalStore | undefined,
): Promise<RunResult> {
  const { engine, chains, env } = session.workspace;
  const world = { engine, chains, env, ...(approvals !== undefined && { approvals }) };
  return followRun(session, { durable: false }, (how) =>
    runChain(plan, { ...how, ...world, input, context, ...(runId !== undefined && { runId }) }),
  );
}

async function runDry(session: LocalSession, request: RunRequest): Promise<ExitCode> {
  warnOfMissing(request.plan, session.invocation);
  const dry = await dryRun(session, request);
  const code = await reportRunResult(dry.result, session, {
    durable: false,
    isDryRun: true,
    extra: { dry_run: dry.withheld },
  });
  reportWithheldCalls(dry, session.invocation);
  return code;
}

/** A dry run starts although a real run would not. */
function warnOfMissing(plan: Plan, { terminal }: Invocation): void {
  for (const message of requirementMessages(missingRequirements(plan))) {
    // Indented, because a tool may have chosen the text.
    const text = stripUnsafe(message).replaceAll("\n", "\n  ");
    terminal.log(`${terminal.tint("yellow", "warning:")} ${text}`);
  }
}

/** Reports the issues of the input, one per line; undefined if the error is a different one. */
function reportInputIssues(error: unknown, { invocation }: RunSession, plan: ChainInput): ExitCode | undefined {
  if (!isFailureError(error) || error.code !== "validation_error" || error.issues === undefined) return undefined;
  const { terminal } = invocation;
  const message = `invalid input for ${plan.name}`;
  const details = error.issues.map((issue) => issue.message);
  const hints = [`list the inputs of chains with: ${commandLine(invocation, "chains")}`];
  reportFormattedError(terminal, { message, code: error.code, details, hints });
  printFailure(terminal, error, jsonIn(invocation));
  return exitCodes.usage;
}

/**
 * Reports how to run a chain that needs approval if there is no approver; undefined if the error is a different one.
 */
function reportNoApprover(error: unknown, { invocation }: LocalSession): ExitCode | undefined {
  if (!isFailureError(error) || error.reason !== "needs_approval") return undefined;
  const [message = ""] = error.message.split("; ", 1);
  reportFormattedError(invocation.terminal, { message, code: `${error.code}: ${error.reason}`, hints: notDurableHint });
  printFailure(invocation.terminal, error, jsonIn(invocation));
  return exitCodes.failed;
}

/** Throws if the chain needs an approval that this user may not give, and no one else can be prompted. */
function checkApprovable(plan: Plan, by: string | undefined): void {
  const plans = new Set([plan]);
  for (const { steps, name } of plans) {
    for (const { id, approval, target, onFailure } of steps) {
      const why = approval && cannotDecideReason(approval, by);
      if (why !== undefined) throw needsApproverFailure(plan.name === name ? id : `${id} of ${name}`, plan, why);
      for (const { chain } of [target, ...onFailure.fallback.map((entry) => entry.target)]) {
        if (chain !== undefined) plans.add(chain());
      }
    }
  }
}

function needsApproverFailure(step: string, { name }: Plan, why: string): FailureError {
  const message = `${name} was not started: its step ${step} needs approval, and ${why.replace("; ", ", and ")}`;
  return fail(message, { code: "not_available", reason: "needs_approval", retry: "never" });
}
