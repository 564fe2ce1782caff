import { type AnyTool, type ToolContext, defineTool } from "../tool/index.ts";
import type { Plan } from "./plan/plan.ts";

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
    run: async (input: unknown, context: ToolContext) => {
      // Loaded when it is called: whoever only lists or checks chains does without.
      const { runAsTool } = await import("./run-as-tool.ts");
      return runAsTool({ plan, input, env }, context);
    },
  });
}
