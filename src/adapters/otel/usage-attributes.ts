import type { Attributes } from "@opentelemetry/api";
import type { TokenUsage } from "../../model/index.ts";

/** What was used, by the names that dashboards know. */
export function usageAttributes(usage: TokenUsage): Attributes {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens, cost, estimated } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    ...(cachedTokens !== undefined && { "gen_ai.usage.cache_read.input_tokens": cachedTokens }),
    ...(cacheWriteTokens !== undefined && { "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { "gen_ai.usage.reasoning.output_tokens": reasoningTokens }),
    ...(cost !== undefined && { "windlass.usage.cost": cost }),
    ...(estimated === true && { "windlass.usage.estimated": true }),
  };
}
