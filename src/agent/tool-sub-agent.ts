import { type Engine, forConversation, nestedCalls } from "../engine/index.ts";
import { type BriefSummary, successRate } from "../store/index.ts";
import type { CompositeContext, ToolContext, ToolResult } from "../tool/index.ts";

/** What a sub-agent is made of. */
export interface ToolSubAgentOptions {
  readonly agentId: string;
  readonly engine: Engine;
  /** The agent it works for. */
  readonly parentAgentId?: string;
  /**
   * What the handler of a composite tool got, where it works for one: its calls are then part of that tool's call. They
   * stop with it, are asked about and kept with its run, and each result is told as progress of it.
   */
  readonly within?: ToolContext & CompositeContext;
  /** Its records belong to this conversation; where absent, to that of `within`, or one of its own id. */
  readonly conversationId?: string;
  readonly principal?: string;
  /** Told every result. What it throws harms nobody, and nobody waits for it. */
  readonly onResult?: (result: ToolResult, call: SubAgentCall) => unknown;
  /** How many calls the history keeps; 1,000 where absent. The figures count all of them. */
  readonly historySize?: number;
}

/** One call of a sub-agent. */
export interface SubAgentCall {
  readonly tool: string;
  readonly params: unknown;
  readonly result: ToolResult;
}

/** What one call may state for itself. */
export interface SubAgentCallOptions {
  readonly timeoutMs?: number;
  readonly priority?: number;
  readonly signal?: AbortSignal;
}

/** Figures of a sub-agent's calls, with the calls themselves as far as they are kept. */
export interface SubAgentSummary {
  readonly agentId: string;
  readonly parentAgentId?: string;
  readonly totalCalls: number;
  readonly successfulCalls: number;
  readonly failedCalls: number;
  /** 0 to 100; 100 without calls. */
  readonly successRate: number;
  readonly toolUsage: Readonly<Record<string, number>>;
  readonly callDetails: readonly SubAgentCall[];
}

/**
 * Makes tool calls on behalf of an agent, apart from it: with variables of its own, and a history that can be told
 * in a few words.
 *
 * @example
 * ```ts
 * const agent = new ToolSubAgent({ agentId: "sub-1", engine, parentAgentId: "main" });
 * await agent.executeBatch([["echo", { message: "hi" }], ["calculator", { expression: "1+2" }]]);
 * agent.summary().successRate; // 100
 * ```
 */
export class ToolSubAgent {
  readonly agentId: string;
  readonly #options: ToolSubAgentOptions;
  /** Shared by its own calls, and with nobody else's. */
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
      : nestedCalls(within)(tool, params, context).run());
    this.#remember({ tool: result.tool, params, result });
    within?.progress({ agentId: this.agentId, tool: result.tool, success: result.success });
    return result;
  }

  /** Makes several calls at once; the results come in the order of the calls. */
  executeBatch(
    calls: Iterable<readonly [tool: string, params: unknown]>,
    options?: SubAgentCallOptions,
  ): Promise<ToolResult[]> {
    return Promise.all(Array.from(calls, ([tool, params]) => this.execute(tool, params, options)));
  }

  /** The last calls, oldest first. */
  get history(): readonly SubAgentCall[] {
    return [...this.#history];
  }

  /** What it did, call by call. */
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

  /** What it did, in a few words. */
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
    // Not awaited: the result is there whatever its listener does with it, and however long that takes.
    void this.#tell(call).catch(() => {});
  }

  async #tell(call: SubAgentCall): Promise<void> {
    await this.#options.onResult?.(call.result, call);
  }
}
