import { parseJson } from "../../../base/index.ts";
import { isRecord, recordOf, textOf } from "../../../schema/index.ts";
import {
  type JsonRecord,
  recordsOf,
  ApiRejection,
  requireThat,
  type ApiRequirements,
  type WireRequest,
} from "./wire-api.ts";

/** Rejects requests as a chat-completions API does. */
export function checkOpenAi({ body, model }: WireRequest, demands: ApiRequirements): void {
  requireThat(model !== "", "you must provide a model parameter");
  requireThat(
    Array.isArray(body.messages) && body.messages.length > 0,
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  );
  checkOptions(body);
  checkTools(body);
  const messages = recordsOf(body.messages);
  for (const [at, message] of messages.entries()) checkMessage(message, at);
  checkPairing(messages);
  checkThinking(messages, demands);
}

function checkOptions(body: JsonRecord): void {
  requireThat(
    body.stream_options === undefined || body.stream === true,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  );
  const effort = textOf(body.reasoning_effort);
  const thinks = (effort !== "" && effort !== "none") || recordOf(body.thinking).type === "enabled";
  const { temperature } = body;
  requireThat(
    !thinks || temperature === undefined || temperature === 1,
    `Unsupported value: 'temperature' does not support ${String(temperature)} with this model. Only the default (1) value is supported.`,
  );
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

function checkTools({ tools, tool_choice }: JsonRecord): void {
  requireThat(
    tool_choice === undefined || tools !== undefined,
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  );
  if (tools === undefined) return;
  const list = recordsOf(tools);
  requireThat(list.length > 0, "Invalid 'tools': empty array. Expected an array with minimum length 1.");
  for (const [at, { type, function: named }] of list.entries()) {
    const { name, parameters } = recordOf(named);
    requireThat(type === "function", `Invalid value: '${String(type)}'. Supported values are: 'function'.`);
    checkName(name, `tools[${at}].function.name`);
    requireThat(
      parameters === undefined || recordOf(parameters).type === "object",
      `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`,
    );
  }
}

function checkName(name: unknown, label: string): void {
  requireThat(
    namePattern.test(textOf(name)),
    `Invalid '${label}': string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]+$'.`,
  );
}

function checkMessage(message: JsonRecord, at: number): void {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
    case "user":
    case "tool":
      return requireThat(
        typeof content === "string" || (Array.isArray(content) && content.length > 0),
        `Invalid value for 'messages[${at}].content': expected a string or a list of parts.`,
      );
    case "assistant":
      return checkAssistant(message, at);
    default:
      throw new ApiRejection(
        `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`,
      );
  }
}

function checkAssistant({ content, tool_calls }: JsonRecord, at: number): void {
  const calls = recordsOf(tool_calls);
  requireThat(
    tool_calls === undefined || calls.length > 0,
    `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1.`,
  );
  requireThat(
    typeof content === "string" || Array.isArray(content) || calls.length > 0,
    `Invalid value for 'content': expected a string, got null. (messages[${at}])`,
  );
  for (const [index, { id, function: named }] of calls.entries()) {
    const label = `messages[${at}].tool_calls[${index}]`;
    const { name, arguments: passed } = recordOf(named);
    requireThat(textOf(id) !== "", `Missing required parameter: '${label}.id'.`);
    checkName(name, `${label}.function.name`);
    requireThat(
      typeof passed === "string",
      `Invalid type for '${label}.function.arguments': expected a string, but got ${isRecord(passed) ? "an object" : "something else"} instead.`,
    );
    // Templates of open models parse it, and reject the request if that fails.
    requireThat(parseJson(passed) !== undefined, `'${label}.function.arguments' is not valid JSON.`);
  }
}

/** Every call has one result directly after it, and every result a call directly before it. */
function checkPairing(messages: readonly JsonRecord[]): void {
  let open = new Set<string>();
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === "tool") {
      const id = textOf(tool_call_id);
      requireThat(
        open.delete(id),
        `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${at}], tool_call_id ${JSON.stringify(id)})`,
      );
      continue;
    }
    refuseOpen(open);
    const ids = recordsOf(tool_calls).map(({ id }) => textOf(id));
    open = new Set(ids);
    requireThat(open.size === ids.length, `Duplicate value for 'tool_call_id' in messages[${at}].`);
  }
  refuseOpen(open);
}

function refuseOpen(open: ReadonlySet<string>): void {
  requireThat(
    open.size === 0,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
  );
}

/** Thinking before the calls must come back with them while the model works on the same user message. */
function checkThinking(messages: readonly JsonRecord[], { issued, reasoningEchoed }: ApiRequirements): void {
  const lastUserIndex = messages.findLastIndex(({ role }) => role === "user");
  for (const [at, message] of messages.entries()) {
    for (const { id, extra_content } of recordsOf(message.tool_calls)) {
      const turn = issued.turnOf(textOf(id));
      const signature = turn?.calls.find((call) => call.id === id)?.signature;
      const sentSignature = recordOf(recordOf(extra_content).google).thought_signature;
      requireThat(
        signature === undefined || sentSignature === signature,
        `Function call ${String(id)} is missing its thought_signature. (messages[${at}])`,
      );
      // A call of another model, or under another id, needs its thinking too; its content cannot be checked here.
      if (!reasoningEchoed || at < lastUserIndex || (turn !== undefined && turn.thinking === undefined)) continue;
      const reasoning = message.reasoning_content ?? message.reasoning;
      requireThat(
        reasoning !== undefined,
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      );
      requireThat(
        turn === undefined || reasoning === turn.thinking,
        `reasoning_content in assistant tool call message at index ${at} is not what the model answered`,
      );
    }
  }
}
