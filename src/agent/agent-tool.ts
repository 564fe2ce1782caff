import { fail, failure, nodeCrypto } from "../base/index.ts";
import { isByModel, isTainted, nestedCalls, passOn, principalOf, progressOf, runOf, stepOf } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type AnyTool, type ToolContext, defineTool, ok } from "../tool/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AgentResult, OpenApproval } from "./agent-result.ts";
import type { InnerExecuteOptions } from "./run/execute-options.ts";
import { CallAccount } from "./run/call-account.ts";
import { nothingSaid } from "./run/said.ts";
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
 * are nested under the call, so they stop with it, and what it uses counts for the run that made the call. Its run is
 * kept: a call that is made again under the same key goes on with that run, and does nothing twice.
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
      if (agent.runs.isClosing) throw closed(name, context);
      const text = given === undefined ? question : `${question}\n\n${given}`;
      const result = await runOnce(agent, text, context).catch((error: unknown) => {
        if (agent.runs.isClosing) stepOf(context)?.leave();
        throw error;
      });
      if (result.status === "completed") return told(result);
      if (result.status === "running") throw left(name, context);
      const [open] = result.approvals ?? [];
      if (open !== undefined) throw await waits(agent, { ...open, runId: result.runId, name }, context);
      const { code, message } = result.error ?? failure("execution_error", "it gave no answer");
      // The same call would find this run, which is over.
      throw fail(`${name}: ${message}`, { code, retry: "never" });
    },
  });
}

/** Where whatever calls it is closing too, the call is made again by whoever goes on; else it is no use. */
function closed(name: string, context: ToolContext): Error {
  const step = stepOf(context);
  if (step?.isClosing === true) step.leave();
  return fail(`${name} is closed, and answers no more questions in this process`, {
    code: "not_available",
    retry: "never",
  });
}

/** The run of this call goes on when the call is made again; what called it tells nobody that it failed. */
function left(name: string, context: ToolContext): Error {
  stepOf(context)?.leave();
  return fail(`${name} was closed before it had answered; the same call made again goes on with it`, {
    code: "cancelled",
    retry: "never",
  });
}

interface OwnQuestion extends OpenApproval {
  readonly runId: string;
  /** Of the agent as a tool. */
  readonly name: string;
}

/** A person has to decide first; where whatever called it cannot wait for that, its run is over. */
async function waits(agent: Agent, { runId, name, ...open }: OwnQuestion, context: ToolContext): Promise<Error> {
  const { id: approvalId, message: text, ...question } = open;
  const message = `${text} (${name} wants to call it)`;
  const cannot = stepOf(context)?.waitsFor({ ...question, approvalId, message });
  if (cannot === undefined) {
    const waiting = `${name} waits for a person to decide on ${open.tool}`;
    return passOn(failure("approval_required", waiting, { approvalId }));
  }
  await agent.runs.cancel(runId);
  return fail(`${name} may not call ${open.tool} unasked: ${cannot}`, { code: "permission_denied", retry: "never" });
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
  const how: InnerExecuteOptions = {
    signal: context.signal,
    begin: nestedCalls(context),
    account,
    step: stepOf(context),
    ...(tell !== undefined && { onEvent: (event: AgentEvent) => tell(event) }),
  };
  // Only letters, digits and a few marks may be in the id of a run, and a key may be long.
  const runId = `sub-${nodeCrypto().createHash("sha256").update(context.idempotencyKey).digest("hex").slice(0, 32)}`;
  const tainted = isTainted(context);
  const more = {
    ...(context.conversationId !== undefined && { conversationId: context.conversationId }),
    ...(principal !== undefined && { principal }),
    ...(calledBy !== undefined && { calledBy }),
    // Kept, for whoever goes on with it later and not within this call. Then nobody here wrote the question either.
    said: { ...nothingSaid, tainted },
    fromOutside: tainted,
    byModel: isByModel(context),
    runId,
    aside: true,
  };
  const known = await agent.runs.has(runId);
  const work = known ? agent.runs.join(runId, how) : agent.runs.start(agent.spec, text, { ...how, ...more });
  let result = await agent.track(work);
  // Somebody may decide just when it stops to wait.
  for (let more = 3; more > 0 && result.status === "waiting" && result.approvals.length === 0; more--) {
    result = await agent.track(agent.runs.join(runId, how));
  }
  noteSubRun(agent.runs, runId, result.status === "waiting");
  account?.used(runId, result.usage);
  return result;
}
