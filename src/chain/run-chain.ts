import { type Clock, createIds, fail, systemClock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import { createMemoryApprovals, type ApprovalStore } from "../store/index.ts";
import type { Elicit, Secrets } from "../tool/index.ts";
import { checkRunId } from "./check-run-id.ts";
import { checkAllowed, deniedChains } from "./denied-chains.ts";
import { type EngineExecutorOptions, type StepExecutor, engineExecutor } from "./host/executor.ts";
import type { AskPerson } from "./host/run-approvals.ts";
import { type ChainSource, loadPlan } from "./load-plan.ts";
import type { ChainLibrary } from "./library.ts";
import type { Plan } from "./plan/plan.ts";
import type { Taint } from "./plan/spec.ts";
import { refuseQuestions } from "./refuse-questions.ts";
import { executeRun } from "./run/execute-run.ts";
import { OutsideCalls } from "./run/outside-calls.ts";
import type { RunListener } from "./run/run-events.ts";
import type { RunObserver } from "./run/run-observer.ts";
import { type RunResult, toRunResult } from "./run-result.ts";
import { toolsOf, usesSecrets } from "./tools-of.ts";

/** What {@link runChain} takes besides the chain. */
export interface RunChainOptions {
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
   * `strict` refuses a chain in which something from outside reaches a tool that may do harm, and nobody is asked; what
   * the chain itself and the library say counts as well, and the stricter wins.
   */
  readonly taint?: Taint;
  readonly runId?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: RunListener;
  readonly observer?: RunObserver | undefined;
  /** Who the calls are made for; permission, cache and records are kept apart by it. */
  readonly principal?: string;
  readonly conversationId?: string;
  /** Where questions to people are kept, so that others can decide: a run that waits for one ends as `waiting`. */
  readonly approvals?: ApprovalStore;
  /**
   * Answers questions to people right here. Without it and `approvals` nobody can be asked: a chain with an `approval:`
   * is refused before its first step, and what a rule wants to ask about is answered with no.
   */
  readonly ask?: AskPerson;
  /** Asks a person what tools of the run want to know; their questions are declined where absent. */
  readonly elicit?: Elicit;
  /** Makes the calls in another way: a dry run, a recording. */
  readonly executor?: StepExecutor;
  readonly clock?: Clock;
}

const ids = createIds();

/**
 * Runs a chain in this process, in memory: the path of a file, a chain as data, or a plan made before. Throws when the
 * chain or its input is not valid; whatever happens in the run itself is in the result.
 *
 * @example
 * ```ts
 * const run = await runChain("chains/research.yaml", { engine, input: { topic: "tide mills" } });
 * if (run.success) console.log(run.output);
 * ```
 */
export async function runChain(chain: ChainSource | Plan, options: RunChainOptions): Promise<RunResult> {
  const { engine, clock = systemClock, context = {}, env = {}, secrets } = options;
  const plan = await loadPlan(chain, { tools: engine.tools, chains: options.chains, taint: options.taint });
  checkAllowed(plan, engine.denies);
  const input = checkInput(plan, options.input);
  const runId = checkRunId(options.runId) ?? ids.next();
  const ask = askedIn(plan, options);
  const executor =
    options.executor ??
    engineExecutor({
      begin: (target, args, context) => engine.begin(target, args, context),
      runId,
      tools: toolsOf(plan),
      secrets: secrets ?? engine.secrets,
      opensSecrets: usesSecrets(plan),
      outside: OutsideCalls.of(plan),
      context: callContext(options),
    });
  const { facts, endQuestions } = await executeRun({
    plan,
    input,
    context,
    env,
    denied: deniedChains(plan, engine.denies),
    lease: { runId, epoch: 1 },
    startedAt: clock.now(),
    events: [],
    executor,
    clock,
    approvals: options.approvals ?? (() => createMemoryApprovals({ clock })),
    principal: options.principal,
    ask,
    redactor: engine.redactor,
    signal: options.signal,
    onEvent: options.onEvent,
    observer: options.observer,
  });
  if (facts.status !== "waiting") await endQuestions();
  return toRunResult(facts, engine.redactor);
}

/** Whoever answers questions. A run that only lives here cannot wait for anybody else. */
function askedIn(plan: Plan, { ask, approvals }: RunChainOptions): AskPerson | undefined {
  if (ask !== undefined || approvals !== undefined) return ask;
  refuseQuestions(plan, {
    what: "was not begun",
    instead: "nobody can be asked in a run that is not kept, without `ask` and `approvals`",
  });
  const note = "nobody can be asked in a run that is not kept";
  return () => Promise.resolve({ approved: false, note });
}

/** What every call of a run has in common; undefined where that is nothing, which most runs have. */
export function callContext({
  principal,
  conversationId,
  elicit,
}: {
  readonly [K in "principal" | "conversationId" | "elicit"]?: RunChainOptions[K] | undefined;
}): EngineExecutorOptions["context"] {
  if (principal === undefined && conversationId === undefined && elicit === undefined) return undefined;
  return {
    ...(principal !== undefined && { principal }),
    ...(conversationId !== undefined && { conversationId }),
    ...(elicit !== undefined && { elicit }),
  };
}

/** The input with defaults applied; throws when it does not fit. */
export function checkInput(plan: Plan, given: unknown): unknown {
  const checked = plan.input.validate(given ?? {});
  if (checked instanceof Promise) throw fail("the input cannot be checked at once", { code: "validation_error" });
  if (checked.issues === undefined) return checked.value;
  const found = checked.issues.map(({ message }) => message).join("; ");
  throw fail(`input of ${plan.name}: ${found}`, { code: "validation_error", issues: checked.issues });
}
