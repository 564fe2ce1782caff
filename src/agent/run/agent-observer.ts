import type { Model, ModelCall, ModelTurn } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentResult } from "../events/agent-result.ts";

/** A run that is about to be executed, from its start or resumed. */
export interface ObservedAgentRun {
  readonly runId: string;
  readonly conversationId: string;
  readonly runner: string;
  readonly prompt: string;
  /** Part of it ran in an earlier process. */
  readonly resumed: boolean;
}

/** A model request that is about to be sent. */
export interface ObservedTurn {
  readonly runId: string;
  readonly conversationId: string;
  /** Key of the request in the run, such as `main.1`; the tool calls of its response are `main.1.0`, `main.1.1`, … */
  readonly key: string;
  readonly model: Model;
  readonly call: ModelCall;
}

/**
 * Wraps the work of agents, to observe it and to keep something active during it, such as a trace. It does not see work
 * of an earlier process that is only replayed.
 */
export interface AgentObserver {
  /** Must execute the run, and return its result. */
  run(run: ObservedAgentRun, execute: () => Promise<AgentResult>): Promise<AgentResult>;
  /** Must make the request, and return its result. */
  turn(turn: ObservedTurn, request: () => Promise<ToolResult<ModelTurn>>): Promise<ToolResult<ModelTurn>>;
}
