import { createIds, fail, systemClock } from "../base/index.ts";
import { type BeginCall, beginCall } from "../engine/index.ts";
import { type AnyTool, type ToolContext, defineTool } from "../tool/index.ts";
import { engineExecutor } from "./host/executor.ts";
import type { Plan } from "./plan/plan.ts";
import { executeRun } from "./run/execute-run.ts";
import { toolsOf } from "./tools-of.ts";

/** A chain that states no `timeout`, called as a tool, may take this long. */
const longestMs = 3_600_000;

const ids = createIds();

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
  // Every composite's context has it; another copy of Windlass knows it by the same symbol.
  const begin = (context as unknown as { readonly [beginCall]: BeginCall })[beginCall];
  const runId = ids.next();
  const { facts } = await executeRun({
    plan,
    input,
    context: context.variables,
    env,
    lease: { runId, epoch: 1 },
    startedAt: systemClock.now(),
    journal: { append: () => undefined },
    events: [],
    executor: engineExecutor({ begin, runId: context.idempotencyKey, tools: toolsOf(plan), secrets: context.secrets }),
    clock: systemClock,
    signal: context.signal,
  });
  if (facts.status === "success") return facts.output;
  const { error } = facts;
  if (error === undefined) {
    throw fail("the chain waits for a person's approval; run it with windlass run", {
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
