import type { AgentStep, AnswerSource } from "./agent-result.ts";
import type { Flow } from "./flow/flow.ts";
import type { ConversationMessage } from "./message.ts";
import type { AgentRun } from "./run/agent-run.ts";
import type { QuestionImage } from "./run/agent-spec.ts";

/** What an agent is asked. Plain data. */
export interface AgentQuestion {
  readonly text: string;
  readonly images?: readonly QuestionImage[];
  /** What was said before. */
  readonly history: readonly ConversationMessage[];
  /** What was said before holds text from outside, or the question does. */
  readonly tainted?: true;
  /** Nobody who asks here wrote it: it gives no commands. */
  readonly fromOutside?: true;
}

/** What a runner gives. */
export interface RunnerAnswer {
  readonly answer: string;
  readonly sources?: readonly AnswerSource[];
  readonly steps?: readonly AgentStep[];
}

/** One way for a model to use tools. */
export interface Runner {
  readonly name: string;
  /** It can answer without a model. */
  readonly worksAlone?: boolean;
  run(run: AgentRun, question: AgentQuestion): Flow<RunnerAnswer>;
}
