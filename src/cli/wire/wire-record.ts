import type { AllChainStatistics, ChainStatistics } from "../../chain/index.ts";
import { type Approval, type CallRecord, type Statistics, neverExpires } from "../../store/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";

/** A record in JSON output. */
export function toWireRecord(record: CallRecord): Record<string, unknown> {
  const { error, createdAt, output, reported, ...rest } = record;
  return {
    ...snakeKeys(rest),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: toWireFailure(error) }),
    ...(reported !== undefined && { reported }),
    created_at: new Date(createdAt).toISOString(),
  };
}

/** An approval in JSON output. */
export function toWireApproval(approval: Approval): Record<string, unknown> {
  const { key: _key, createdAt, expiresAt, decidedAt, ...rest } = approval;
  return {
    ...snakeKeys(rest),
    created_at: new Date(createdAt).toISOString(),
    expires_at: expiresAt === neverExpires ? null : new Date(expiresAt).toISOString(),
    ...(decidedAt !== undefined && { decided_at: new Date(decidedAt).toISOString() }),
  };
}

/** Statistics in JSON output. */
export function toWireStatistics(statistics: Statistics): Record<string, unknown> {
  const { failures, tools, ...totals } = statistics;
  return { ...snakeKeys(totals), failures, tools: tools.map((tool) => snakeKeys({ ...tool })) };
}

/** Statistics of chains in JSON output. */
export function toWireChainStatistics({ chains, all }: AllChainStatistics): Record<string, unknown> {
  return { chains: chains.map(toWireChain), all: toWireChain(all) };
}

function toWireChain({ metrics, ...counts }: ChainStatistics): Record<string, unknown> {
  return { ...snakeKeys({ ...counts }), metrics: snakeKeys(metrics) };
}
