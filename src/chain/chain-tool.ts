import { fail, systemClock } from "../base/index.ts";
import { nestedCalls } from "../engine/index.ts";
import { type AnyTool, type ToolContext, defineTool } from "../tool/index.ts";
import { engineExecutor } from "./host/executor.ts";
import type { Plan } from "./plan/plan.ts";
import { executeRun } from "./run/execute-run.ts";
import { toolsOf } from "./tools-of.ts";

/** A chain that states no `timeout`, called as a tool, may take this long. */
const longestMs = 3_600_000;

/** What {@link chainTool} takes besides the plan. */
export interface ChainToolOptions {
  /** Values for `${env.NAME}`, for the names that the chain declares. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A chain as a tool: its input is the tool's input, its effect the strongest of its steps', and its steps are nested
 * calls under the tool's own.
 *
 * @example
 * ```ts
 * engine.tools.register(chainTool(plan));
 * const result = await engine.call("research-chain", { query: "tide mills" });
 * ```
 */
export function chainTool(plan: Plan, { env = {} }: ChainToolOptions = {}): AnyTool {
  return defineTool({
    name: plan.name,
    description: plan.description === "" ? `Runs the chain ${plan.name}.` : plan.description,
    version: plan.version,
    category: "chain",
    composite: true,
    effect: plan.effect,
    destructive: plan.destructive,
    timeoutMs: plan.timeoutMs ?? longestMs,
    input: plan.input,
    run: (input: unknown, context: ToolContext) => run({ plan, input, env }, context),
  });
}

interface Called {
  readonly plan: Plan;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
}

async function run({ plan, input, env }: Called, context: ToolContext): Promise<unknown> {
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
