import type { UsageMetadata } from "@langchain/core/messages";
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import { isRecord } from "../../schema/index.ts";

type Metadata = Readonly<Record<string, unknown>>;

/** Where LangChain's models put why an answer ended. */
const reasonKeys = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

/** What they say. Pieces that are put together may say it twice in one text. */
const reasons: readonly (readonly [RegExp, LanguageModelV4FinishReason["unified"]])[] = [
  [/length|max_?(?:output_?|completion_?)?tokens|model_context_window/i, "length"],
  [/content[-_]?filter|safety|refusal|blocked|prohibited|recitation|guardrail/i, "content-filter"],
  // Before calls: Gemini speaks of a malformed one.
  [/error|malformed|insufficient/i, "error"],
  [/tool[-_]?(?:calls?|use)|function_?call/i, "tool-calls"],
  [/stop|end_turn|eos|complete/i, "stop"],
];

/** Why an answer ended. A model that says nothing was done. */
export function finishReasonOf(metadata: Metadata, hasCalls: boolean): LanguageModelV4FinishReason {
  const raw = rawReason(metadata);
  const known = raw === undefined ? "stop" : (reasons.find(([pattern]) => pattern.test(raw))?.[1] ?? "other");
  return { unified: hasCalls && known === "stop" ? "tool-calls" : known, raw };
}

function rawReason(metadata: Metadata): string | undefined {
  // OpenAI's responses: a status, and a reason only where something is missing.
  const { incomplete_details: incomplete } = metadata;
  if (isRecord(incomplete) && typeof incomplete["reason"] === "string") return incomplete["reason"];
  return reasonKeys.map((key) => metadata[key]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** What is read of a message. */
interface Ended {
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly response_metadata: Metadata;
}

/** What an answer cost, as far as the model says so. */
export function usageOf({ usage_metadata: usage, response_metadata }: Ended): LanguageModelV4Usage {
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

/** What older models say. */
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
