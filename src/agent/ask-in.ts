import type { AgentResult } from "./agent-result.ts";
import type { AgentRuns, AgentStartOptions } from "./run/agent-runs.ts";
import type { AgentSpec, QuestionImage } from "./run/agent-spec.ts";
import type { Said } from "./run/said.ts";

/** A question in a conversation, and what goes with it. */
export interface AskedIn extends Omit<AgentStartOptions, "place"> {
  readonly text: string;
  readonly said: Said;
  readonly images?: readonly QuestionImage[];
}

/** Asks an agent in a conversation that was looked up. */
export function askIn(
  agent: { readonly runs: AgentRuns; readonly spec: AgentSpec },
  asked: AskedIn,
): Promise<AgentResult> {
  const { text, said, images, ...start } = asked;
  const { messages: history, tainted } = said;
  const beside = { ...(images !== undefined && { images }), ...(tainted && { tainted: true as const }) };
  return agent.runs.start(agent.spec, { text, history, ...beside }, { ...start, place: said });
}
