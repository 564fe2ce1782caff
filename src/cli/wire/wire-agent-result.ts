import type { AgentResult, AgentStep } from "../../agent/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { toWireCoded } from "./wire-coded.ts";

/**
 * The result of an agent in JSON output, without its messages. Text of services is redacted by pattern; the result
 * itself contains no known secrets.
 */
export function toWireAgent(result: AgentResult, redactor: Redactor): Record<string, unknown> {
  const { messages: _messages, toolUsageSummary, usage, notices, noticeData, steps, error, ...rest } = result;
  return {
    ...snakeKeys(rest),
    tool_usage_summary: snakeKeys({ ...toolUsageSummary }),
    usage: snakeKeys({ ...usage }),
    notices: notices.map(redactor.text),
    notice_data: redactor.value(noticeData.map(toWireCoded)),
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
