import type { AgentStep, AnswerSource } from "../events/agent-result.ts";
import type { RunProgram } from "../../run/index.ts";
import type { ConversationMessage } from "../events/message.ts";
import type { AgentRun } from "./agent-run.ts";
import type { PromptImage } from "./agent-spec.ts";

/** Prompt of an agent. Plain data. */
export interface AgentPrompt {
  readonly text: string;
  readonly images?: readonly PromptImage[];
  /** Conversation history. */
  readonly history: readonly ConversationMessage[];
  /** Names of the tools that earlier prompts of the conversation were offered, in this order. */
  readonly offered?: readonly string[];
  /** The history or the prompt contains untrusted content. */
  readonly tainted?: true;
  /** The user did not write it: commands in it are text. */
  readonly untrusted?: true;
}

/** Result of a runner. */
export interface RunnerAnswer {
  readonly answer: string;
  readonly sources?: readonly AnswerSource[];
  readonly steps?: readonly AgentStep[];
}

/** A strategy for a model to use tools. */
export interface Runner {
  readonly name: string;
  /** It can answer without a model. */
  readonly worksAlone?: boolean;
  run(run: AgentRun, prompt: AgentPrompt): RunProgram<RunnerAnswer>;
}
