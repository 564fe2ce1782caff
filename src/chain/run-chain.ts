import { type Clock, createIdGenerator, fail, systemClock } from "../base/index.ts";
import type { Engine, RequestApproval } from "../engine/index.ts";
import { createInMemoryApprovals, type ApprovalStore } from "../store/index.ts";
import { validateDeclared } from "../schema/index.ts";
import type { Elicit, Secrets } from "../tool/index.ts";
import { checkRunId, type CallRunner, engineRunner } from "../run/index.ts";
import { checkAllowed, deniedChains } from "./denied-chains.ts";
import type { RunCallerOptions } from "./execute-options.ts";
import { type ChainInput, loadPlan } from "./load-plan.ts";
import type { ChainLibrary } from "./chain-library.ts";
import { checkRequirements, missingRequirements } from "./missing-requirements.ts";
import type { Plan } from "./plan/plan.ts";
import type { TaintPolicy } from "./plan/chain-spec.ts";
import { refuseApprovalSteps, refuseEventSteps } from "./refuse-approval-steps.ts";
import { executeRun } from "./interpreter/execute-run.ts";
import { ChainCalls, untrustedContent } from "./chain-calls.ts";
import type { RunListener } from "./interpreter/run-events.ts";
import type { RunObserver } from "./interpreter/run-facts.ts";
import { type RunResult, toRunResult } from "./run-result.ts";
import type { ChainNoticeListener } from "./texts/chain-text-table.ts";
import { reachOf } from "./plan-targets.ts";

/** Options of {@link runChain} besides the chain. */
export interface RunChainOptions extends RunCallerOptions {
  readonly engine: Engine;
  readonly input?: unknown;
  /** Values for `${context.NAME}`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Values for `${env.NAME}`, for the names that the chain declares. */
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: Secrets;
  /** Other chains that this one may call. */
  readonly chains?: ChainLibrary;
  /**
   * `strict` rejects a chain in which untrusted content reaches a destructive tool without an approval. The settings of
   * the chain itself and of the library count as well, and the strictest wins.
   */
  readonly taint?: TaintPolicy;
  readonly runId?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: RunListener;
  /** Receives notices about the run that the user should see and that do not stop it, as text and as data. */
  readonly onNotice?: ChainNoticeListener;
  readonly observer?: RunObserver | undefined;
  /** Identity that the calls are made for; permission, cache and records are separated by it. */
  readonly principal?: string;
  readonly conversationId?: string;
  /** Store of approvals, so that others can decide: a run that waits for one ends as `waiting`. */
  readonly approvals?: ApprovalStore;
  /**
   * Answers approvals in this process. Without it and `approvals` there is no approver: a chain with an `approval:` is
   * rejected before its first step, and approvals that a rule requires are rejected.
   */
  readonly requestApproval?: RequestApproval;
  /** Answers elicitations of tools. Default: they are declined. */
  readonly elicit?: Elicit;
  /** Makes the calls in place of the engine: a dry run, or a queue. */
  readonly runner?: CallRunner;
  readonly clock?: Clock;
}

const ids = createIdGenerator();

/**
 * Runs a chain in this process, in memory: the path of a file, a chain as data, or an existing plan. Throws if the
 * chain or its input is not valid, or if a step that has to run cannot work here; failures of the run itself are in the
 * result.
 *
 * @example
 * ```ts
 * const run = await runChain("chains/research.yaml", { engine, input: { topic: "tide mills" } });
 * if (run.success) console.log(run.output);
 * ```
 *
 * @see docs/guide/chains.md
 */
export async function runChain(chain: ChainInput | Plan, options: RunChainOptions): Promise<RunResult> {
  const { engine, clock = systemClock, context = {}, env = {}, secrets } = options;
  const plan = await loadPlan(chain, { tools: engine.tools, chains: options.chains, taint: options.taint });
  const { callerType = "direct", tainted = false } = options;
  const callerPath = [callerType];
  checkAllowed(plan, engine.denies, callerType);
  const input = parseRunInput(plan, options.input);
  const runId = checkRunId(options.runId) ?? ids.next();
  refuseEvents(plan);
  const requestApproval = resolveApprovals(plan, options);
  checkTools(plan, options);
  const runner =
    options.runner ??
    engineRunner({
      begin: (target, args, context) => engine.begin(target, args, context),
      tools: reachOf(plan).tools,
      secrets: secrets ?? engine.secrets,
      elicit: options.elicit,
      isImmediate: options.onEvent === undefined,
    });
  const { principal, conversationId } = options;
  const content = untrustedContent(plan, { input, tainted, events: [] });
  const { facts, host } = await executeRun({
    plan,
    input,
    context,
    env,
    denied: deniedChains(plan, engine.denies, callerPath),
    lease: { runId, epoch: 1 },
    startedAt: clock.now(),
    events: [],
    calls: new ChainCalls({ plan, runId, runner, callerPath, principal, conversationId, content }),
    clock,
    approvals: options.approvals ?? (() => createInMemoryApprovals({ clock })),
    principal,
    requestApproval,
    redactor: engine.redactor,
    signal: options.signal,
    onEvent: options.onEvent,
    observer: options.observer,
  });
  if (facts.status !== "waiting") await host.rejectOpenApprovals();
  return toRunResult(facts, engine.redactor);
}

/** Throws if a step that has to run cannot work here. Another runner, as of a dry run, need not call the tools. */
function checkTools(plan: Plan, { runner, onNotice }: RunChainOptions): void {
  if (runner === undefined) checkRequirements(plan, missingRequirements(plan), { onNotice });
}

/** A run in memory receives no events. */
function refuseEvents(plan: Plan): void {
  const instead =
    "an event reaches only a durable run; start one from the command line, or with `workspace.runs.start`";
  const refusal = refuseEventSteps(plan, "was not started", instead);
  if (refusal !== undefined) throw fail(refusal.message, refusal);
}

/** The function that answers approvals. A run in memory cannot wait for a decision elsewhere. */
function resolveApprovals(plan: Plan, { requestApproval, approvals }: RunChainOptions): RequestApproval | undefined {
  if (requestApproval !== undefined || approvals !== undefined) return requestApproval;
  const instead = "a run in memory needs `requestApproval` or `approvals` for that";
  const refusal = refuseApprovalSteps(plan, "was not started", instead);
  if (refusal !== undefined) throw fail(refusal.message, refusal);
  const note = "no approver is available in a run in memory";
  return () => Promise.resolve({ approved: false, note });
}

/** The input with defaults applied; throws if it is not valid. */
export function parseRunInput(plan: Plan, rawInput: unknown): unknown {
  const checked = validateDeclared(plan.input, rawInput ?? {});
  if (checked instanceof Promise)
    throw fail("the input cannot be validated synchronously", { code: "validation_error" });
  if (checked.issues === undefined) return checked.value;
  const found = checked.issues.map(({ message }) => message).join("; ");
  throw fail(`input of ${plan.name}: ${found}`, { code: "validation_error", issues: checked.issues });
}
