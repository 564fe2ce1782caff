import { type Engine, forConversation, internals } from "../engine/index.ts";
import { type BriefSummary, type ConversationSummary, successRate } from "../store/index.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import type { CompositeContext, ToolContext, ToolResult } from "../tool/index.ts";

/** Options of a sub-agent. */
export interface ToolSubAgentOptions {
  readonly agentId: string;
  readonly engine: Engine;
  /** The agent it works for. */
  readonly parentAgentId?: string;
  /**
   * Context of a composite tool's handler, if it works for one: its calls are then part of that tool's call. They stop
   * with it, are approved and persisted with its run, and each result is reported as its progress.
   */
  readonly within?: ToolContext & CompositeContext;
  /** Its records belong to this conversation. Default: that of `within`, or one with its own id. */
  readonly conversationId?: string;
  readonly principal?: string;
  /** Receives every result. Its errors are ignored, and it is not awaited. */
  readonly onResult?: (result: ToolResult, call: SubAgentCall) => unknown;
  /** Number of calls that the history retains. Default: 1,000. The figures count all of them. */
  readonly historySize?: number;
}

/** One call of a sub-agent. */
export interface SubAgentCall {
  readonly tool: string;
  readonly params: unknown;
  readonly result: ToolResult;
}

/** Options of one call. */
export interface SubAgentCallOptions {
  readonly timeoutMs?: number;
  readonly priority?: number;
  readonly signal?: AbortSignal;
}

/** Figures of a sub-agent's calls, with the retained calls themselves. */
export interface SubAgentSummary extends Omit<ConversationSummary, "conversationId"> {
  readonly agentId: string;
  readonly parentAgentId?: string;
  readonly callDetails: readonly SubAgentCall[];
}

/**
 * Makes tool calls on behalf of an agent, separately from it: with its own variables, and with a history that can be
 * summarized.
 *
 * @example
 * ```ts
 * const agent = new ToolSubAgent({ agentId: "sub-1", engine, parentAgentId: "main" });
 * await agent.executeBatch([["echo", { message: "hi" }], ["calculator", { expression: "1+2" }]]);
 * agent.summary().successRate; // 100
 * ```
 *
 * @see docs/guide/agents.md
 */
export class ToolSubAgent {
  readonly agentId: string;
  readonly #options: ToolSubAgentOptions;
  /** Shared by its own calls only. */
  readonly #variables: Record<string, unknown> = {};
  readonly #history: SubAgentCall[] = [];
  readonly #usage = new Map<string, number>();
  #succeeded = 0;
  #failed = 0;

  constructor(options: ToolSubAgentOptions) {
    this.agentId = options.agentId;
    this.#options = options;
  }

  /** Makes one call. */
  async execute(tool: string, params: unknown, options: SubAgentCallOptions = {}): Promise<ToolResult> {
    const { engine, within, principal } = this.#options;
    const conversationId = this.#options.conversationId ?? within?.conversationId ?? this.agentId;
    const context = forConversation(this.agentId, conversationId, {
      ...options,
      variables: this.#variables,
      ...(principal !== undefined && { principal }),
    });
    const result = await (within === undefined
      ? engine.call(tool, params, context)
      : internals(within).beginCall(tool, params, context).run());
    this.#remember({ tool: result.tool, params, result });
    within?.progress({ agentId: this.agentId, tool: result.tool, success: result.success });
    return result;
  }

  /**
   * Makes several calls, as many at a time as the engine has slots; the results come in the order of the calls. A batch
   * may have any number of calls.
   */
  executeBatch(
    calls: Iterable<readonly [tool: string, params: unknown]>,
    options?: SubAgentCallOptions,
  ): Promise<ToolResult[]> {
    const { maxConcurrent } = this.#options.engine;
    return mapConcurrently([...calls], maxConcurrent, ([tool, params]) => this.execute(tool, params, options));
  }

  /** The last calls, oldest first. */
  get history(): readonly SubAgentCall[] {
    return [...this.#history];
  }

  /** Summary of its work, call by call. */
  summary(): SubAgentSummary {
    const { parentAgentId } = this.#options;
    return {
      agentId: this.agentId,
      ...(parentAgentId !== undefined && { parentAgentId }),
      ...this.#figures(),
      successfulCalls: this.#succeeded,
      failedCalls: this.#failed,
      callDetails: this.history,
    };
  }

  /** Brief summary of its work. */
  briefSummary(): BriefSummary {
    return { ...this.#figures(), hasErrors: this.#failed > 0 };
  }

  #figures(): Pick<BriefSummary, "totalCalls" | "successRate" | "toolUsage"> {
    const totalCalls = this.#succeeded + this.#failed;
    const rate = successRate(totalCalls, this.#failed);
    return { totalCalls, successRate: rate, toolUsage: Object.fromEntries(this.#usage) };
  }

  #remember(call: SubAgentCall): void {
    if (call.result.success) this.#succeeded++;
    else this.#failed++;
    this.#usage.set(call.tool, (this.#usage.get(call.tool) ?? 0) + 1);
    this.#history.push(call);
    if (this.#history.length > (this.#options.historySize ?? 1000)) this.#history.shift();
    // Not awaited: the result must not depend on its listener, nor wait for it.
    void this.#emit(call).catch(() => {});
  }

  async #emit(call: SubAgentCall): Promise<void> {
    await this.#options.onResult?.(call.result, call);
  }
}
