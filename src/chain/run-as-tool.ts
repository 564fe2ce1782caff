import { fail, failure, systemClock } from "../base/index.ts";
import { approvingElicitOf, denialsOf, isTainted, nestedCalls, progressOf, stepOf } from "../engine/index.ts";
import { createMemoryApprovals } from "../store/index.ts";
import type { ToolContext } from "../tool/index.ts";
import { askCaller } from "./ask-caller.ts";
import { deniedChains } from "./denied-chains.ts";
import { engineExecutor } from "./host/executor.ts";
import type { Plan } from "./plan/plan.ts";
import { refuseQuestions } from "./refuse-questions.ts";
import { executeRun } from "./run/execute-run.ts";
import { OutsideCalls } from "./run/outside-calls.ts";
import { stepProgress } from "./step-progress.ts";
import { toolsOf } from "./tools-of.ts";

/** A chain that is called as a tool. */
export interface CalledChain {
  readonly plan: Plan;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the chain within the call of its tool; what went wrong in the run is the failure of the call. Such a run lives
 * in memory and nobody comes back to it, so only whoever made the call can be asked. Where there is nobody, a chain that
 * asks a person is not begun, and what a rule asks inside of it is answered with no.
 */
export async function runAsTool({ plan, input, env }: CalledChain, context: ToolContext): Promise<unknown> {
  const instead = `run it with: windlass run ${plan.name}`;
  const elicit = approvingElicitOf(context);
  const tell = progressOf(context);
  refuseQuestions(plan, { what: "cannot be called as a tool", instead }, elicit !== undefined);
  const begin = nestedCalls(context);
  // The same in every attempt of the call, and so are the keys of its steps.
  const runId = context.idempotencyKey;
  const note = `nobody can be asked while a chain runs as a tool; ${instead}`;
  // A person who let the chain be called saw its input, not what a model makes of that in one of its steps.
  const outside = OutsideCalls.of(plan, isTainted(context) ? "all" : []);
  const { facts } = await executeRun({
    plan,
    input,
    context: context.variables,
    env,
    denied: deniedChains(plan, denialsOf(context)),
    lease: { runId, epoch: 1 },
    startedAt: systemClock.now(),
    events: [],
    executor: engineExecutor({ begin, runId, tools: toolsOf(plan), secrets: context.secrets, outside }),
    clock: systemClock,
    approvals: () => createMemoryApprovals({ clock: systemClock }),
    ask: elicit === undefined ? () => Promise.resolve({ approved: false, note }) : askCaller(elicit, instead),
    signal: context.signal,
    step: stepOf(context),
    onEvent: tell && stepProgress(plan, tell),
  });
  if (facts.status === "success") return facts.output;
  const { message, code, retry, reason } = facts.error ?? failure("not_available", `${plan.name} did not end`);
  throw fail(message, { code, retry, ...(reason !== undefined && { reason }) });
}
