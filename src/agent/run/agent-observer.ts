import type { Model, ModelCall, ModelTurn } from "../../model/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentResult } from "../agent-result.ts";

/** A run that is about to be executed, from its beginning or from where it was left. */
export interface ObservedAgentRun {
  readonly runId: string;
  readonly conversationId: string;
  readonly runner: string;
  readonly question: string;
  /** Something of it was done in an earlier life. */
  readonly resumed: boolean;
}

/** A question that is about to be put to a model. */
export interface ObservedTurn {
  readonly runId: string;
  readonly conversationId: string;
  /** Of the question in the run, such as `main.1`; the tool calls of its answer are `main.1.0`, `main.1.1`, … */
  readonly key: string;
  readonly model: Model;
  readonly call: ModelCall;
}

/**
 * Put around what agents do, to see it and to have something in effect meanwhile, such as a trace. What was done in an
 * earlier life of a run, and is only told again, it does not see.
 */
export interface AgentObserver {
  /** Has to execute it, and to give back what that gives. */
  run(run: ObservedAgentRun, execute: () => Promise<AgentResult>): Promise<AgentResult>;
  /** Has to ask, and to give back what that gives. */
  turn(turn: ObservedTurn, ask: () => Promise<ToolResult<ModelTurn>>): Promise<ToolResult<ModelTurn>>;
}
