import { fail, failure, nodeCrypto } from "../base/index.ts";
import { isTainted, nestedCalls, passOn, principalOf, progressOf, runOf } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type AnyTool, type ToolContext, defineTool, ok } from "../tool/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AgentResult } from "./agent-result.ts";
import type { AgentExecuteOptions } from "./run/agent-runs.ts";
import { CallAccount } from "./run/call-account.ts";
import { noteSubRun } from "./run/sub-runs.ts";

/** What {@link agentTool} takes besides the agent. */
export interface AgentToolOptions {
  readonly name: string;
  /** What it is good at: other models choose it by this. */
  readonly description: string;
  readonly capabilities?: readonly string[];
  /** For one question; 10 minutes where absent. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 600_000;

interface Asked {
  readonly question: string;
  readonly context?: string;
}

const input = fromJsonSchema<Asked, Asked>({
  type: "object",
  properties: {
    question: { type: "string", minLength: 1, description: "What it is to find out or to do, complete in itself." },
    context: { type: "string", description: "What it has to know; it sees nothing of this conversation." },
  },
  required: ["question"],
  additionalProperties: false,
});

/**
 * An agent as a tool, for other agents, chains and MCP clients. It has its own model, budget and history; its tool calls
 * are nested under the call, so they stop with it, and what it uses counts for the run that made the call. Its run is kept: a call that is made again under the same key goes on
 * with that run, and does nothing twice.
 *
 * @example
 * ```ts
 * engine.tools.register(agentTool(researcher, { name: "research", description: "Finds out things on the web" }));
 * ```
 */
export function agentTool(agent: Agent, options: AgentToolOptions): AnyTool {
  const { name, description, capabilities = [], timeoutMs = usualTimeoutMs } = options;
  return defineTool({
    name,
    description,
    category: "ai",
    capabilities: [...capabilities],
    composite: true,
    effect: "idempotent",
    // What its own calls may do is ruled on when it makes them.
    destructive: false,
    timeoutMs,
    input,
    run: async ({ question, context: given }: Asked, context: ToolContext) => {
      const text = given === undefined ? question : `${question}\n\n${given}`;
      const result = await runOnce(agent, text, context);
      if (result.status === "completed") return told(result);
      const [open] = result.approvals ?? [];
      const message = `${name} waits for a person to decide on ${open?.tool ?? "a call"}`;
      if (open !== undefined) throw passOn(failure("approval_required", message, { approvalId: open.id }));
      const { code, message: why, retry } = result.error ?? failure("execution_error", `${name} gave no answer`);
      throw fail(`${name}: ${why}`, { code, retry });
    },
  });
}

function told({ answer, toolUsageSummary, usage, rounds, runId }: AgentResult): unknown {
  const { totalCalls, successRate, toolUsage, hasErrors } = toolUsageSummary;
  const summary = { total_calls: totalCalls, success_rate: successRate, tool_usage: toolUsage, has_errors: hasErrors };
  const meta = { tokensUsed: usage.inputTokens + usage.outputTokens, rounds, runId };
  return ok({ answer, tool_usage_summary: summary }, { meta });
}

/** Begins the run of this call, or goes on with it. */
async function runOnce(agent: Agent, text: string, context: ToolContext): Promise<AgentResult> {
  const tell = progressOf(context);
  const principal = principalOf(context);
  const calledBy = runOf(context);
  const account = CallAccount.of(context);
  const how: AgentExecuteOptions = {
    signal: context.signal,
    begin: nestedCalls(context),
    account,
    ...(tell !== undefined && { onEvent: (event: AgentEvent) => tell(event) }),
  };
  // Only letters, digits and a few marks may be in the id of a run, and a key may be long.
  const runId = `sub-${nodeCrypto().createHash("sha256").update(context.idempotencyKey).digest("hex").slice(0, 32)}`;
  const more = {
    ...(context.conversationId !== undefined && { conversationId: context.conversationId }),
    ...(principal !== undefined && { principal }),
    ...(calledBy !== undefined && { calledBy }),
    // Kept, for whoever goes on with it later and not within this call.
    tainted: isTainted(context),
  };
  const known = await agent.runs.has(runId);
  const result = await (known ? agent.resume(runId, how) : agent.run(text, { ...how, ...more, runId, aside: true }));
  noteSubRun(agent.runs, runId, result.status === "waiting");
  account?.used(runId, result.usage);
  return result;
}
