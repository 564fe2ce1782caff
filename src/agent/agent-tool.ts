import { fail, failure, nodeCrypto, definedOnly } from "../base/index.ts";
import { internals, isEverAllowed, propagateFailure } from "../engine/index.ts";
import { toSchema } from "../schema/index.ts";
import { type AnyTool, type ToolContext, defineTool, ok } from "../tool/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import type { AgentResult, PendingApproval } from "./events/agent-result.ts";
import type { NestedExecuteOptions } from "./run/execute-options.ts";
import { isListedTool } from "./run/is-tool-allowed.ts";
import { UsageAccount } from "./run/usage-account.ts";
import { emptyHistory } from "./run/message-history.ts";
import { noteSuspendedSubRun } from "../run/index.ts";

/** Options of {@link agentTool}. */
export interface AgentToolOptions {
  readonly name: string;
  /** Purpose of the agent: other models choose the tool by this text. */
  readonly description: string;
  readonly capabilities?: readonly string[];
  /** Timeout for one prompt. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

const defaultAgentToolTimeoutMs = 600_000;

const input = toSchema({
  type: "object",
  properties: {
    prompt: { type: "string", minLength: 1, description: "The task, complete in itself: what to find out or to do." },
    context: {
      type: "string",
      description: "Background that the task needs; the agent does not see this conversation.",
    },
  },
  required: ["prompt"],
  additionalProperties: false,
});

/**
 * An agent as a tool, for other agents, chains and MCP clients. It has its own model, budget and history. Its tool calls
 * are nested under the call, so they stop with it, and its usage counts for the run that made the call. Its run is
 * durable: a retry of the call with the same idempotency key resumes that run and repeats nothing.
 *
 * @example
 * ```ts
 * engine.tools.register(agentTool(researcher, { name: "research", description: "Finds out things on the web" }));
 * ```
 *
 * @see docs/guide/agents.md
 */
export function agentTool(agent: Agent, options: AgentToolOptions): AnyTool {
  const { name, description, capabilities = [], timeoutMs = defaultAgentToolTimeoutMs } = options;
  const tool = defineTool({
    name,
    description,
    category: "ai",
    capabilities: [...capabilities],
    composite: true,
    effect: "idempotent",
    // The rules apply to its own calls when it makes them.
    destructive: false,
    coveredCalls: () => destructiveTools(agent).map((tool) => ({ tool })),
    timeoutMs,
    input,
    run: async ({ prompt, context: provided }, context) => {
      if (agent.runs.isClosing) throw closed(name, context);
      const text = provided === undefined ? prompt : `${prompt}\n\n${provided}`;
      const result = await runOnce(agent, text, context).catch((error: unknown) => {
        if (agent.runs.isClosing) internals(context).step?.release();
        throw error;
      });
      if (result.status === "completed") return toToolOutput(result);
      if (result.status === "running") throw releasedFailure(name, context);
      const [open] = result.approvals ?? [];
      if (open !== undefined) throw await waits(agent, { ...open, runId: result.runId, name }, context);
      const { code, message } = result.error ?? failure("execution_error", "it gave no answer");
      // A retry would find this run, which has ended.
      throw fail(`${name}: ${message}`, { code, retry: "never" });
    },
  });
  return Object.freeze({ ...tool, unavailable: () => agent.runs.whyUnavailable(agent.spec) });
}

/**
 * The destructive tools of an agent that is limited to some tools. An agent without such a limit has none: no approver could
 * see what an approval of its call covers.
 */
function destructiveTools({ runs, spec }: Agent): readonly string[] {
  if (spec.tools === undefined) return [];
  const { engine } = runs;
  return engine.tools
    .list()
    .filter(({ tool }) => isListedTool({ engine, spec, only: undefined }, tool) && engine.isAvailable(tool))
    .filter((registration) => isEverAllowed(registration, ({ destructive }) => destructive))
    .map(({ tool }) => tool.name);
}

/** If the caller is closing too, the process that resumes it retries the call; otherwise a retry is useless. */
function closed(name: string, context: ToolContext): Error {
  const step = internals(context).step;
  if (step?.isClosing === true) step.release();
  return fail(`${name} is closed, and accepts no more prompts in this process`, {
    code: "not_available",
    retry: "never",
  });
}

/** A retry of the call resumes its run, so the caller does not record the call as failed. */
function releasedFailure(name: string, context: ToolContext): Error {
  internals(context).step?.release();
  return fail(`${name} was closed before it had answered; retry the same call to resume it`, {
    code: "cancelled",
    retry: "never",
  });
}

interface SubAgentPrompt extends PendingApproval {
  readonly runId: string;
  /** Name of the agent as a tool. */
  readonly name: string;
}

/** Suspends the call until a person decides. If the caller cannot be suspended, the run of this call is cancelled. */
async function waits(agent: Agent, { runId, name, ...open }: SubAgentPrompt, context: ToolContext): Promise<Error> {
  const { id: approvalId, message: text, ...prompt } = open;
  const message = `${text} (${name} wants to call it)`;
  const cannot = internals(context).step?.suspendFor({ ...prompt, approvalId, message });
  if (cannot === undefined) {
    const waiting = `${name} waits for a person to decide on ${open.tool}`;
    return propagateFailure(failure("approval_required", waiting, { approvalId }));
  }
  await agent.runs.cancel(runId);
  return fail(`${name} may not call ${open.tool} without approval: ${cannot}`, {
    code: "permission_denied",
    retry: "never",
  });
}

function toToolOutput({ answer, toolUsageSummary, usage, rounds, runId }: AgentResult): unknown {
  const { totalCalls, successRate, toolUsage, hasErrors } = toolUsageSummary;
  const summary = { total_calls: totalCalls, success_rate: successRate, tool_usage: toolUsage, has_errors: hasErrors };
  const meta = { tokensUsed: usage.inputTokens + usage.outputTokens, rounds, runId };
  return ok({ answer, tool_usage_summary: summary }, { meta });
}

/** Starts the run of this call, or resumes it. */
async function runOnce(agent: Agent, text: string, context: ToolContext): Promise<AgentResult> {
  const call = internals(context);
  const { progress, principal, runId: calledBy, isTainted: tainted } = call;
  const account = UsageAccount.of(context);
  const how: NestedExecuteOptions = {
    signal: context.signal,
    begin: call.beginCall,
    account,
    step: call.step,
    ...(progress !== undefined && { onEvent: (event: AgentEvent) => progress(event) }),
  };
  // A run id may contain only letters, digits and a few marks, and a key may be long.
  const runId = `sub-${nodeCrypto().createHash("sha256").update(context.idempotencyKey).digest("hex").slice(0, 32)}`;
  const more = {
    ...definedOnly({ conversationId: context.conversationId, principal, calledBy }),
    callerPath: call.callerPath,
    covered: call.covered,
    // Persisted, because the run may be resumed later, outside this call. The prompt is untrusted if the call is
    // tainted.
    history: { ...emptyHistory, tainted },
    untrusted: tainted,
    byModel: call.isModelInitiated,
    runId,
    isDetached: true,
  };
  let result = await agent.track(agent.runs.start(agent.spec, text, { ...how, ...more }));
  // A person may decide at the moment when the run suspends.
  for (let more = 3; more > 0 && result.status === "waiting" && result.approvals.length === 0; more--) {
    result = await agent.track(agent.runs.join(runId, how));
  }
  if (result.status === "waiting") noteSuspendedSubRun(agent.runs);
  account?.used(runId, result.usage);
  return result;
}
