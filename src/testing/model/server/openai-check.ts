import { isRecord } from "../../../schema/index.ts";
import { type JsonRecord, parseJson, recordOf, recordsOf, stringOf } from "./read-json.ts";
import { Refusal, demand } from "./refusal.ts";
import type { Demands, WireRequest } from "./wire-family.ts";

/** Refuses what a chat-completions API refuses. */
export function checkOpenAi({ body, model }: WireRequest, demands: Demands): void {
  demand(model !== "", () => "you must provide a model parameter");
  demand(
    Array.isArray(body.messages) && body.messages.length > 0,
    () => "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  );
  checkOptions(body);
  checkTools(body);
  const messages = recordsOf(body.messages);
  for (const [at, message] of messages.entries()) checkMessage(message, at);
  checkPairing(messages);
  checkThinking(messages, demands);
}

function checkOptions(body: JsonRecord): void {
  demand(
    body.stream_options === undefined || body.stream === true,
    () => "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  );
  const effort = stringOf(body.reasoning_effort);
  const thinks = (effort !== "" && effort !== "none") || recordOf(body.thinking).type === "enabled";
  const { temperature } = body;
  demand(
    !thinks || temperature === undefined || temperature === 1,
    () =>
      `Unsupported value: 'temperature' does not support ${String(temperature)} with this model. Only the default (1) value is supported.`,
  );
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

function checkTools({ tools, tool_choice }: JsonRecord): void {
  demand(
    tool_choice === undefined || tools !== undefined,
    () => "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  );
  if (tools === undefined) return;
  const list = recordsOf(tools);
  demand(list.length > 0, () => "Invalid 'tools': empty array. Expected an array with minimum length 1.");
  for (const [at, { type, function: named }] of list.entries()) {
    const { name, parameters } = recordOf(named);
    demand(type === "function", () => `Invalid value: '${String(type)}'. Supported values are: 'function'.`);
    checkName(name, `tools[${at}].function.name`);
    demand(
      parameters === undefined || recordOf(parameters).type === "object",
      () => `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`,
    );
  }
}

function checkName(name: unknown, place: string): void {
  demand(
    namePattern.test(stringOf(name)),
    () => `Invalid '${place}': string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]+$'.`,
  );
}

function checkMessage(message: JsonRecord, at: number): void {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
    case "user":
    case "tool":
      return demand(
        typeof content === "string" || (Array.isArray(content) && content.length > 0),
        () => `Invalid value for 'messages[${at}].content': expected a string or a list of parts.`,
      );
    case "assistant":
      return checkAssistant(message, at);
    default:
      throw new Refusal(
        `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`,
      );
  }
}

function checkAssistant({ content, tool_calls }: JsonRecord, at: number): void {
  const calls = recordsOf(tool_calls);
  demand(
    tool_calls === undefined || calls.length > 0,
    () => `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1.`,
  );
  demand(
    typeof content === "string" || Array.isArray(content) || calls.length > 0,
    () => `Invalid value for 'content': expected a string, got null. (messages[${at}])`,
  );
  for (const [index, { id, function: named }] of calls.entries()) {
    const place = `messages[${at}].tool_calls[${index}]`;
    const { name, arguments: passed } = recordOf(named);
    demand(stringOf(id) !== "", () => `Missing required parameter: '${place}.id'.`);
    checkName(name, `${place}.function.name`);
    demand(
      typeof passed === "string",
      () =>
        `Invalid type for '${place}.function.arguments': expected a string, but got ${isRecord(passed) ? "an object" : "something else"} instead.`,
    );
    // Templates of open models parse it, and refuse the request where that fails.
    demand(parseJson(passed) !== undefined, () => `'${place}.function.arguments' is not valid JSON.`);
  }
}

/** Every call has one answer right behind it, and every answer a call right before it. */
function checkPairing(messages: readonly JsonRecord[]): void {
  let open = new Set<string>();
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === "tool") {
      const id = stringOf(tool_call_id);
      demand(
        open.delete(id),
        () =>
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${at}], tool_call_id ${JSON.stringify(id)})`,
      );
      continue;
    }
    refuseOpen(open);
    const ids = recordsOf(tool_calls).map(({ id }) => stringOf(id));
    open = new Set(ids);
    demand(open.size === ids.length, () => `Duplicate value for 'tool_call_id' in messages[${at}].`);
  }
  refuseOpen(open);
}

function refuseOpen(open: ReadonlySet<string>): void {
  demand(
    open.size === 0,
    () =>
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
  );
}

/** What the model thought before its calls comes back with them, while it works on the same question. */
function checkThinking(messages: readonly JsonRecord[], { issued, reasoningEchoed }: Demands): void {
  const question = messages.findLastIndex(({ role }) => role === "user");
  for (const [at, message] of messages.entries()) {
    for (const { id, extra_content } of recordsOf(message.tool_calls)) {
      const turn = issued.turnOf(stringOf(id));
      const signature = turn?.calls.find((call) => call.id === id)?.signature;
      const given = recordOf(recordOf(extra_content).google).thought_signature;
      demand(
        signature === undefined || given === signature,
        () => `Function call ${String(id)} is missing its thought_signature. (messages[${at}])`,
      );
      // A call of another model, or under another id, has to have its thinking too; what it was is not known here.
      if (!reasoningEchoed || at < question || (turn !== undefined && turn.thinking === undefined)) continue;
      const said = message.reasoning_content ?? message.reasoning;
      demand(
        said !== undefined,
        () => `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      );
      demand(
        turn === undefined || said === turn.thinking,
        () => `reasoning_content in assistant tool call message at index ${at} is not what the model answered`,
      );
    }
  }
}
