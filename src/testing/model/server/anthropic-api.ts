import { parseJson } from "../../../base/index.ts";
import type { FinishReason } from "../../../model/index.ts";
import type { ScriptedUsage } from "../scripted-response.ts";
import { checkAnthropic } from "./anthropic-check.ts";
import { isRecord, textOf } from "../../../schema/index.ts";
import type { WireApi, WireRequest } from "./wire-api.ts";
import type { WireCall, WireTurn } from "./wire-turn.ts";

/** The Messages API of Anthropic. */
export const anthropicApi: WireApi = {
  name: "anthropic",
  idPrefix: "toolu_",
  signsCalls: false,
  at: (path, body) =>
    path.endsWith("/messages") ? { model: textOf(body.model), stream: body.stream === true } : undefined,
  keyOf: ({ "x-api-key": key, authorization }) => key ?? authorization?.replace(/^Bearer\s+/i, ""),
  check: checkAnthropic,
  whole,
  events,
  error: (status, message) =>
    errorOf(errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"), message),
  errorEvent: (message) => event("error", errorOf("overloaded_error", message)),
};

function whole(turn: WireTurn, request: WireRequest): unknown {
  return {
    ...messageOf(turn, request),
    content: [
      ...(turn.thinking === undefined
        ? []
        : [{ type: "thinking", thinking: turn.thinking, signature: turn.signature }]),
      ...(turn.text === undefined || turn.text === "" ? [] : [{ type: "text", text: turn.text }]),
      ...turn.calls.map((call) => ({ ...blockOf(call, turn), input: inputOf(call, turn) })),
    ],
    stop_reason: stopReasons[turn.finishReason],
    usage: toUsage(turn.usage),
  };
}

function* events(turn: WireTurn, request: WireRequest): Generator<string> {
  const message = messageOf(turn, request);
  yield event("message_start", { message: { ...message, usage: { ...toUsage(turn.usage), output_tokens: 1 } } });
  yield event("ping", {});
  const positions = turn.faults.omit?.includes("index") === true ? undefined : { next: 0 };
  for (const block of blocksOf(turn)) {
    const index = positions === undefined ? {} : { index: positions.next++ };
    yield event("content_block_start", { ...index, content_block: block.start });
    for (const delta of block.deltas) yield event("content_block_delta", { ...index, delta });
    yield event("content_block_stop", index);
  }
  if (turn.faults.omit?.includes("end") === true) return;
  const delta = { stop_reason: stopReasons[turn.finishReason], stop_sequence: null };
  yield event("message_delta", { delta, usage: toUsage(turn.usage) });
  yield event("message_stop", {});
}

function* blocksOf(turn: WireTurn): Generator<{ readonly start: object; readonly deltas: Iterable<object> }> {
  const { thinking, signature, text, calls } = turn;
  if (thinking !== undefined) {
    const deltas = turn.pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece }));
    const signed = { type: "signature_delta", signature };
    yield { start: { type: "thinking", thinking: "", signature: "" }, deltas: [...deltas, signed] };
  }
  if (text !== undefined && text !== "") {
    const deltas = turn.pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
    yield { start: { type: "text", text: "" }, deltas };
  }
  for (const call of calls) {
    const passed = turn.faults.arguments === undefined ? call.argumentsText : "";
    // The first chunk is empty, as in the real API.
    const deltas = ["", ...turn.pieces(passed)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    const input = turn.faults.arguments === "object" ? inputOf(call, turn) : {};
    yield { start: { ...blockOf(call, turn), input }, deltas: turn.faults.arguments === "absent" ? [] : deltas };
  }
}

function blockOf({ id, name }: WireCall, { faults }: WireTurn): object {
  return { type: "tool_use", ...(faults.omit?.includes("id") !== true && { id }), name };
}

/** Outside a stream the API has no text form of arguments: truncated arguments are omitted. */
function inputOf({ argumentsText }: WireCall, { faults, finishReason }: WireTurn): unknown {
  if (faults.arguments === "empty" || faults.arguments === "absent") return {};
  const value = parseJson(argumentsText);
  if (isRecord(value)) return value;
  return finishReason === "length" ? {} : (value ?? argumentsText);
}

function messageOf({ number }: WireTurn, { model }: WireRequest): object {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** The API always reports usage; a server that does not count reports zero. */
function toUsage(usage: ScriptedUsage | null): object {
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage ?? { inputTokens: 0, outputTokens: 0 };
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
  error: "error",
  interrupted: "error",
  other: "unknown",
};

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function errorOf(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: null };
}
