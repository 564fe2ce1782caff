import type { AgentResult } from "../../../agent/index.ts";

/** Usage of a run, as far as it is shown. */
export type AgentUsage = Pick<AgentResult, "usage"> & { readonly calls: number; readonly rounds: number };

/** Prices have no currency, so sums have none either. */
export function costOf({ usage: { cost } }: AgentUsage): string | undefined {
  return cost === undefined ? undefined : String(Number(cost.toPrecision(3)));
}

/** Tokens of all kinds. */
export function tokensOf({ usage: { inputTokens, outputTokens } }: AgentUsage): number {
  return inputTokens + outputTokens;
}
