import { recordOf, textOf } from "../../../schema/index.ts";
import { parseJson } from "../../../base/index.ts";
import type { FinishReason } from "../../../model/index.ts";
import type { ScriptedUsage } from "../scripted-response.ts";
import { checkOpenAi } from "./openai-check.ts";
import type { ReasoningField, WireApi, WireRequest } from "./wire-api.ts";
import type { WireCall, WireTurn } from "./wire-turn.ts";

/** The chat-completions API of OpenAI and of compatible services. */
export const openAiApi: WireApi = {
  name: "openai",
  idPrefix: "call_",
  signsCalls: false,
  at: (path, body) =>
    path.endsWith("/chat/completions") ? { model: textOf(body.model), stream: body.stream === true } : undefined,
  keyOf: ({ authorization, "api-key": key }) => authorization?.replace(/^Bearer\s+/i, "") ?? key,
  check: checkOpenAi,
  whole,
  events,
  error: (status, message) => ({ error: { message, type: errorType(status), param: null, code: errorCode(status) } }),
  errorEvent: (message) => event({ error: { message, type: "server_error", param: null, code: null } }),
};

function whole(turn: WireTurn, request: WireRequest, field: ReasoningField): unknown {
  const { text, thinking, calls, finishReason, usage, faults } = turn;
  const message = {
    role: "assistant",
    content: text ?? null,
    ...(thinking !== undefined && { [field]: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        ...(faults.omit?.includes("index") !== true && { index }),
        ...callOf(call, turn),
      })),
    }),
  };
  return {
    ...stampOf(turn, request),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[finishReason] }],
    ...(usage !== null && { usage: toUsage(usage) }),
  };
}

function* events(turn: WireTurn, request: WireRequest, field: ReasoningField): Generator<string> {
  const stamp = { ...stampOf(turn, request), object: "chat.completion.chunk" };
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({ ...stamp, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  yield chunk({ role: "assistant", content: "" });
  for (const piece of turn.pieces(turn.thinking ?? "")) yield chunk({ [field]: piece });
  for (const content of turn.pieces(turn.text ?? "")) yield chunk({ content });
  for (const [index, call] of turn.calls.entries())
    for (const delta of callDeltas(call, index, turn)) yield chunk({ tool_calls: [delta] });
  yield chunk({}, finishReasons[turn.finishReason]);
  const counts = recordOf(request.body.stream_options).include_usage === true;
  if (counts && turn.usage !== null) yield event({ ...stamp, choices: [], usage: toUsage(turn.usage) });
  if (turn.faults.omit?.includes("end") !== true) yield "data: [DONE]\n\n";
}

/** A call in chunks: its name, then its arguments piece by piece. */
function* callDeltas(call: WireCall, index: number, turn: WireTurn): Generator<object> {
  const { omit = [], arguments: form } = turn.faults;
  const label = omit.includes("index") ? {} : { index };
  // A server that sends no call indexes, or objects as arguments, sends each call as a whole.
  if (omit.includes("index") || form !== undefined) return yield { ...label, ...callOf(call, turn) };
  const { function: named, ...head } = callOf(call, turn);
  yield { ...label, ...head, function: { ...named, arguments: "" } };
  for (const piece of turn.pieces(call.argumentsText)) yield { ...label, function: { arguments: piece } };
}

function callOf(
  { id, name, argumentsText, signature }: WireCall,
  { faults: { omit = [], arguments: form } }: WireTurn,
): Readonly<Record<string, unknown>> & { readonly function: object } {
  const passed = {
    object: { arguments: parseJson(argumentsText) ?? {} },
    empty: { arguments: "" },
    absent: {},
    text: { arguments: argumentsText },
  }[form ?? "text"];
  return {
    ...(!omit.includes("id") && { id }),
    type: "function",
    function: { name, ...passed },
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

function stampOf({ number }: WireTurn, { model }: WireRequest): object {
  return { id: `chatcmpl-${number}`, created: 1_767_225_600 + number, model };
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function toUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: ScriptedUsage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
  interrupted: "error",
  other: "unknown",
};

function errorType(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

function errorCode(status: number): string | null {
  if (status === 401) return "invalid_api_key";
  return status === 429 ? "rate_limit_exceeded" : null;
}
