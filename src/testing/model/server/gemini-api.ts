import { parseJson } from "../../../base/index.ts";
import type { FinishReason } from "../../../model/index.ts";
import type { ScriptedUsage } from "../scripted-response.ts";
import { checkGemini } from "./gemini-check.ts";
import { isRecord } from "../../../schema/index.ts";
import type { WireApi, WireRequest } from "./wire-api.ts";
import type { WireCall, WireTurn } from "./wire-turn.ts";

const generateContentPath = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The generateContent API of Gemini. */
export const geminiApi: WireApi = {
  name: "gemini",
  idPrefix: "function-call-",
  signsCalls: true,
  at: (path) => {
    const [, model, method] = generateContentPath.exec(path) ?? [];
    return model === undefined ? undefined : { model, stream: method === "streamGenerateContent" };
  },
  keyOf: ({ "x-goog-api-key": key, authorization }, query) =>
    key ?? query.get("key") ?? authorization?.replace(/^Bearer\s+/i, ""),
  check: checkGemini,
  whole,
  events,
  error: (status, message, retryAfter) => ({ error: errorOf(status, message, retryAfter) }),
  errorEvent: (message) => event({ error: errorOf(503, message, undefined) }),
};

function whole(turn: WireTurn, request: WireRequest): unknown {
  const parts = [...partsOf(turn, (text) => [text])];
  return chunkOf(turn, request, { parts, end: true });
}

function* events(turn: WireTurn, request: WireRequest): Generator<string> {
  for (const part of partsOf(turn, turn.pieces)) yield event(chunkOf(turn, request, { parts: [part], end: false }));
  if (turn.faults.omit?.includes("end") === true) return;
  // The API ends with an empty text.
  yield event(chunkOf(turn, request, { parts: [{ text: "" }], end: true }));
}

function* partsOf(turn: WireTurn, pieces: WireTurn["pieces"]): Generator<object> {
  const { thinking, signature, text, calls } = turn;
  for (const piece of pieces(thinking ?? "")) if (piece !== "") yield { text: piece, thought: true };
  const texts = pieces(text ?? "").filter((piece) => piece !== "");
  for (const [at, piece] of texts.entries()) {
    // Without calls, the signature of the thinking is on the last chunk of the text.
    const isSigned = signature !== undefined && calls.length === 0 && at === texts.length - 1;
    yield { text: piece, ...(isSigned && { thoughtSignature: signature }) };
  }
  for (const call of calls) if (!isMalformed(call, turn)) yield partOf(call, turn);
}

function partOf({ id, name, argumentsText, signature }: WireCall, { faults }: WireTurn): object {
  const { omit = [], arguments: form } = faults;
  const args = {
    object: { args: parseJson(argumentsText) },
    text: { args: parseJson(argumentsText) },
    empty: { args: {} },
    absent: {},
  }[form ?? "text"];
  return {
    functionCall: { ...(!omit.includes("id") && { id }), name, ...args },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

/** The API has no text form of arguments: a call whose arguments are not an object is omitted entirely. */
function isMalformed({ argumentsText }: WireCall, { faults }: WireTurn): boolean {
  return faults.arguments !== "empty" && faults.arguments !== "absent" && !isRecord(parseJson(argumentsText));
}

function chunkOf(
  turn: WireTurn,
  { model }: WireRequest,
  { parts, end }: { readonly parts: readonly object[]; readonly end: boolean },
): object {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...(end && { finishReason: finishReasonOf(turn) }) }],
    ...(turn.usage !== null && { usageMetadata: toUsage(turn.usage) }),
    modelVersion: model,
    responseId: `response-${turn.number}`,
  };
}

function finishReasonOf(turn: WireTurn): string {
  const { finishReason, calls } = turn;
  const isBroken = finishReason !== "length" && calls.some((call) => isMalformed(call, turn));
  return isBroken ? "MALFORMED_FUNCTION_CALL" : finishReasons[finishReason];
}

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
  "tool-calls": "STOP",
  error: "OTHER",
  interrupted: "OTHER",
  other: "OTHER",
};

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

function toUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens = 0 }: ScriptedUsage): object {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(cachedTokens !== undefined && { cachedContentTokenCount: cachedTokens }),
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  };
}

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function errorOf(code: number, message: string, retryAfter: number | undefined): object {
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfter}s` };
  return {
    code,
    message,
    status: statuses[code] ?? "UNKNOWN",
    ...(retryAfter !== undefined && { details: [retry] }),
  };
}
