import { fail, failure, systemClock, textOrJson } from "../base/index.ts";
import { type RequestApproval, elicitApproval, internals, toApprovalElicitation } from "../engine/index.ts";
import { createInMemoryApprovals } from "../store/index.ts";
import type { ToolContext, ElicitRequest, ElicitResult } from "../tool/index.ts";
import { deniedChains } from "./denied-chains.ts";
import { engineRunner } from "../run/index.ts";
import type { Plan } from "./plan/plan.ts";
import { checkRequirements, missingRequirements } from "./missing-requirements.ts";
import { refuseEventSteps, refuseToolApprovals, runInstead } from "./refuse-approval-steps.ts";
import { executeRun } from "./interpreter/execute-run.ts";
import { ChainCalls } from "./chain-calls.ts";
import { TaintedCalls } from "./interpreter/tainted-calls.ts";
import { reachOf } from "./plan-targets.ts";
import type { RunEvent, RunListener } from "./interpreter/run-events.ts";

/** A chain that is called as a tool. */
export interface CalledChain {
  readonly plan: Plan;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the chain within the call of its tool; a failure of the run is the failure of the call. Such a run lives in
 * memory and cannot be resumed, so only the caller can approve. Without an approver, a chain with approvals does not
 * start, and approvals that a rule requires inside of it are rejected.
 */
export async function runAsTool({ plan, input, env }: CalledChain, context: ToolContext): Promise<unknown> {
  const instead = runInstead(plan);
  const call = internals(context);
  const { elicitApproval: elicit, progress } = call;
  const refusal =
    refuseToolApprovals(plan, elicit !== undefined) ?? refuseEventSteps(plan, "cannot be called as a tool", instead);
  if (refusal !== undefined) throw fail(refusal.message, refusal);
  checkRequirements(plan, missingRequirements(plan), {});
  // The same in every attempt of the call, and so are the keys of its steps.
  const runId = context.idempotencyKey;
  const note = `no approver is available while a chain runs as a tool; ${instead}`;
  // A person who approved the call of the chain saw its input, not what a model makes of that in one of its steps.
  const tainted = TaintedCalls.of(plan, call.isTainted ? "all" : []);
  const { parameters = new Map<string, unknown>() } = call.untrusted ?? {};
  const untrusted = TaintedCalls.of(plan, parameters === "all" ? "all" : [...parameters.keys()].toSorted());
  const known = (): unknown[] => (parameters !== "all" && parameters.size === 0 ? [input] : []);
  const { facts } = await executeRun({
    plan,
    input,
    context: context.variables,
    env,
    denied: deniedChains(plan, call.denies, call.callerPath),
    lease: { runId, epoch: 1 },
    startedAt: systemClock.now(),
    events: [],
    calls: new ChainCalls({
      plan,
      runId,
      runner: engineRunner({ begin: call.beginCall, tools: reachOf(plan).tools, secrets: context.secrets }),
      content: { tainted, untrusted, known },
    }),
    clock: systemClock,
    approvals: () => createInMemoryApprovals({ clock: systemClock }),
    requestApproval:
      elicit === undefined ? () => Promise.resolve({ approved: false, note }) : approveInCaller(elicit, instead),
    signal: context.signal,
    step: call.step,
    onEvent: progress && stepProgress(plan, progress),
  });
  if (facts.status === "success") return facts.output;
  const { message, code, retry, reason } = facts.error ?? failure("not_available", `${plan.name} did not finish`);
  throw fail(message, { code, retry, ...(reason !== undefined && { reason }) });
}

/**
 * Elicits the approval from the caller of the chain. Only an explicit yes counts: such a run cannot be resumed after a
 * later decision.
 *
 * @param instead Suggests how to start a run that can wait.
 */
function approveInCaller(
  elicit: (pendingApproval: ElicitRequest) => Promise<ElicitResult>,
  instead: string,
): RequestApproval {
  const requestApproval = elicitApproval(elicit, { declined: "declined by the caller" });
  return async (approval, signal) => {
    const decision = await requestApproval(approval, signal);
    if (decision !== undefined) return decision;
    const isShown = toApprovalElicitation(approval) !== undefined;
    const why = isShown ? "the elicitation was dismissed" : "its arguments are too long to display";
    return { approved: false, note: `${why}; ${instead}` };
  };
}

/** Progress of a chain that was called as a tool. */
interface StepProgress {
  /** Steps that have ended. */
  readonly progress: number;
  /** Total number of steps, without those of sub-chains. */
  readonly total: number;
  readonly message: string;
}

/** Reports progress to the caller of a chain: the step that begins, and the progress of steps. */
function stepProgress(plan: Plan, report: (progress: StepProgress) => void): RunListener {
  const total = plan.steps.length;
  /** Numbered in the order in which they start. */
  const positions = new Map<string, number>();
  let over = 0;
  const say = (message: string): void => report({ progress: over, total, message });
  const stepNumber = (step: string): number => {
    const [own = step] = step.split("/");
    const position = positions.get(own) ?? positions.size + 1;
    positions.set(own, position);
    return position;
  };
  const numbered = (step: string): string => `step ${stepNumber(step)} of ${total}: ${step}`;
  return (event) => {
    switch (event.type) {
      case "step-started":
        say(numbered(event.step));
        return;
      case "step-progress":
        say(`${numbered(event.step)}: ${progressText(event.value)}`);
        return;
      case "step-suspended":
        say(`${numbered(event.step)} waits for approval`);
        return;
      case "step-waiting":
        say(`${numbered(event.step)} waits`);
        return;
      case "step-finished":
        finished(event);
        return;
      default:
      // The others say nothing new to the caller of a tool.
    }
  };

  function finished({ step, status }: Extract<RunEvent, { type: "step-finished" }>): void {
    // A step of a sub-chain does not count separately.
    if (step.includes("/")) return;
    over++;
    say(`${numbered(step)} ${status}`);
  }
}

const maxLength = 200;

function progressText(value: unknown): string {
  const text = textOrJson(value);
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
