import {
  type UntrustedContent,
  type CallRequest,
  type CallRunner,
  type CallWork,
  type RunCalls,
  createToolResult,
} from "../../run/index.ts";
import { failure } from "../../base/index.ts";
import { knownUrlsIn } from "../../engine/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type AnyTool, type ToolResult, fingerprintTool } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { isListedTool } from "./is-tool-allowed.ts";
import { type ModelRequest, modelTool } from "./model-request.ts";
import type { PersistedAgentRun } from "./persisted-agent-run.ts";
import { redactModelCall } from "./redact-model-call.ts";

/** The calls of an agent's run: requests to its model, and tool calls on behalf of the model. */
export class AgentCalls implements RunCalls {
  readonly runner: CallRunner;
  readonly #run: AgentRun;
  readonly #persisted: Pick<PersistedAgentRun, "principal" | "callerPath" | "covered">;

  constructor(
    run: AgentRun,
    persisted: Pick<PersistedAgentRun, "principal" | "callerPath" | "covered">,
    runner: CallRunner,
  ) {
    this.runner = runner;
    this.#run = run;
    this.#persisted = persisted;
  }

  /**
   * Refuses a model request for which the budget does not suffice, and a call of a tool that the run may not use. The
   * engine itself refuses missing and disabled tools. Checked when a call starts: calls in the journal were checked
   * then.
   */
  refuse({ tool: name, args }: CallWork): ToolResult | undefined {
    if (name === modelTool) {
      const { refusal } = requestOf(args);
      return refusal && createToolResult(name, { success: false, error: refusal });
    }
    const tool = this.#toolNamed(name);
    if (tool === undefined || isListedTool(this.#run, tool)) return undefined;
    const message = `${name} is not available here. Use the tools that are offered to you, or answer.`;
    const error = failure("not_available", message, { forModel: message, retry: "never" });
    return createToolResult(name, { success: false, error });
  }

  request(key: string, work: CallWork): CallRequest {
    const { runId, conversationId } = this.#run;
    const { principal, callerPath, covered } = this.#persisted;
    const isModelRequest = work.tool === modelTool;
    const tool = isModelRequest ? undefined : this.#toolNamed(work.tool);
    const tainted = !isModelRequest && this.#run.tainted;
    // One literal, for speed.
    return {
      runId,
      key,
      tool: work.tool,
      args: isModelRequest ? this.#modelRequest(work) : work.args,
      idempotencyKey: work.idempotencyKey,
      attempt: work.attempt,
      timeoutMs: work.timeoutMs,
      cache: work.cache,
      approvalId: work.approvalId,
      allowed: work.allowed,
      // A model decides on the call, regardless of the caller that runs the agent.
      callerType: "conversation_agent",
      callerPath,
      covered,
      principal,
      conversationId,
      maxRetries: 0,
      tainted,
      untrusted: tainted ? this.#untrusted(work, tool) : undefined,
      bucket: tool?.category,
      fingerprint: tool && fingerprintTool(tool),
    };
  }

  ended({ tool }: CallRequest, { success }: ToolResult): void {
    if (tool === modelTool && !success) this.#run.budget.failed();
  }

  #toolNamed(name: string): AnyTool | undefined {
    return this.#run.engine.resolver.resolve(name)?.tool;
  }

  #modelRequest({ args }: CallWork): ModelRequest {
    const { engine, budget } = this.#run;
    const request = requestOf(args);
    budget.reserve();
    return { ...request, call: redactModelCall(request.call, engine.redactor) };
  }

  /**
   * A model that has read untrusted content wrote the arguments. Undefined if neither the call nor a call of it can have
   * a target.
   */
  #untrusted({ args }: CallWork, tool: AnyTool | undefined): UntrustedContent | undefined {
    const { composite = false, targets } = tool ?? {};
    if (tool !== undefined && targets === undefined && !composite) return undefined;
    const values = isRecord(args) && !composite ? Object.keys(targets ?? {}).map((name) => args[name]) : args;
    return { parameters: "all", knownUrls: knownUrlsIn(values, this.#run.knownUrls.has) };
  }
}

/** Created by the loop for exactly this. */
function requestOf(args: unknown): ModelRequest {
  return args as ModelRequest;
}
