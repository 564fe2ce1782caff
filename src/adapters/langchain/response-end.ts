import type { UsageMetadata } from "@langchain/core/messages";
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import { isRecord } from "../../schema/index.ts";

type Metadata = Readonly<Record<string, unknown>>;

/** Metadata keys under which LangChain's models report why a response ended. */
const reasonKeys = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

/** Finish reasons by pattern. Merged chunks may contain the reason twice in one string. */
const reasons: readonly (readonly [RegExp, LanguageModelV4FinishReason["unified"]])[] = [
  [/length|max_?(?:output_?|completion_?)?tokens|model_context_window/i, "length"],
  [/content[-_]?filter|safety|refusal|blocked|prohibited|recitation|guardrail/i, "content-filter"],
  // Before calls: Gemini reports a malformed call.
  [/error|malformed|insufficient/i, "error"],
  [/tool[-_]?(?:calls?|use)|function_?call/i, "tool-calls"],
  [/stop|end_turn|eos|complete/i, "stop"],
];

/** Why a response ended. A model that reports nothing has finished normally. */
export function readFinishReason(metadata: Metadata, hasCalls: boolean): LanguageModelV4FinishReason {
  const raw = rawReason(metadata);
  const known = raw === undefined ? "stop" : (reasons.find(([pattern]) => pattern.test(raw))?.[1] ?? "other");
  return { unified: hasCalls && known === "stop" ? "tool-calls" : known, raw };
}

function rawReason(metadata: Metadata): string | undefined {
  // OpenAI's responses: a status, and a reason only if something is missing.
  const { incomplete_details: incomplete } = metadata;
  if (isRecord(incomplete) && typeof incomplete["reason"] === "string") return incomplete["reason"];
  return reasonKeys.map((key) => metadata[key]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** Token usage of a response, as far as the model reports it. */
export function readUsage({
  usage_metadata: usage,
  response_metadata,
}: {
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly response_metadata: Metadata;
}): LanguageModelV4Usage {
  const read = usage?.input_token_details;
  const written = usage?.output_token_details;
  const old = oldUsage(response_metadata);
  const input = usage?.input_tokens ?? old.input;
  const output = usage?.output_tokens ?? old.output;
  const { cache_read: cacheRead, cache_creation: cacheWrite } = read ?? {};
  return {
    inputTokens: { total: input, noCache: less(input, cacheRead, cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: less(output, written?.reasoning), reasoning: written?.reasoning },
  };
}

/** Token usage as older models report it. */
function oldUsage(metadata: Metadata): { input: number | undefined; output: number | undefined } {
  const usage = metadata["tokenUsage"];
  if (!isRecord(usage)) return { input: undefined, output: undefined };
  const { promptTokens, completionTokens } = usage;
  return {
    input: typeof promptTokens === "number" ? promptTokens : undefined,
    output: typeof completionTokens === "number" ? completionTokens : undefined,
  };
}

function less(total: number | undefined, ...parts: (number | undefined)[]): number | undefined {
  return total === undefined
    ? undefined
    : Math.max(0, total - parts.reduce<number>((sum, part) => sum + (part ?? 0), 0));
}
