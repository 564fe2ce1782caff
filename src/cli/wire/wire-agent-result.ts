import type { AgentResult, AgentStep } from "../agent/index.ts";
import { type Redactor, redactFailure } from "../text/index.ts";
import { snakeKeys, toWireFailure } from "../tool/index.ts";

/**
 * What an agent gave, as it is written for programs: all but its messages. Of
 * what services said, what looks like a secret is taken out; the result itself has none that is known.
 */
export function toWireAgent(result: AgentResult, redactor: Redactor): Record<string, unknown> {
  const { messages: _messages, toolUsageSummary, usage, notes, steps, error, ...rest } = result;
  return {
    ...snakeKeys(rest),
    tool_usage_summary: snakeKeys({ ...toolUsageSummary }),
    usage: snakeKeys({ ...usage }),
    notes: notes.map(redactor.text),
    ...(steps !== undefined && { steps: steps.map((step) => toWireStep(step, redactor)) }),
    ...(error !== undefined && { error: toWireFailure(redactFailure(error, redactor.text)) }),
  };
}

function toWireStep({ error, ...step }: AgentStep, redactor: Redactor): Record<string, unknown> {
  return {
    ...snakeKeys(step),
    ...(error !== undefined && { error: toWireFailure(redactFailure(error, redactor.text)) }),
  };
}
