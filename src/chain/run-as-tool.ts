import { fail, systemClock } from "../base/index.ts";
import { nestedCalls } from "../engine/index.ts";
import type { ToolContext } from "../tool/index.ts";
import { engineExecutor } from "./host/executor.ts";
import type { Plan } from "./plan/plan.ts";
import { executeRun } from "./run/execute-run.ts";
import { toolsOf } from "./tools-of.ts";

/** A chain that is called as a tool. */
export interface CalledChain {
  readonly plan: Plan;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the chain within the call of its tool; what went wrong in the run is the failure of the call. */
export async function runAsTool({ plan, input, env }: CalledChain, context: ToolContext): Promise<unknown> {
  const begin = nestedCalls(context);
  // The same in every attempt of the call, and so are the keys of its steps.
  const runId = context.idempotencyKey;
  const { facts } = await executeRun({
    plan,
    input,
    context: context.variables,
    env,
    lease: { runId, epoch: 1 },
    startedAt: systemClock.now(),
    events: [],
    executor: engineExecutor({ begin, runId, tools: toolsOf(plan), secrets: context.secrets }),
    clock: systemClock,
    signal: context.signal,
  });
  if (facts.status === "success") return facts.output;
  const { error } = facts;
  if (error === undefined) {
    const asked = facts.steps.find(({ status, approvalId }) => status === "waiting" && approvalId !== undefined);
    const how =
      asked === undefined ? "run it with windlass run" : `approve ${asked.approvalId ?? ""} and call it again`;
    throw fail(`${plan.name} waits for a person's approval; ${how}`, {
      code: "not_available",
      reason: "waiting",
      retry: "never",
    });
  }
  throw fail(error.message, {
    code: error.code,
    retry: error.retry,
    ...(error.reason !== undefined && { reason: error.reason }),
  });
}
