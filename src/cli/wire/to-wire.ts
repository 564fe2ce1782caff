import type { AllChainStatistics, ChainStatistics } from "../../chain/index.ts";
import { type Approval, type CallRecord, type Statistics, neverExpires } from "../../store/index.ts";
import { snakeKeys, toWireFailure, type AnyTool, type Registration, effectLabel } from "../../tool/index.ts";
import type { Workspace } from "../../app/index.ts";
import type { AgentResult, AgentStep } from "../../agent/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";

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

/** A tool in JSON output. */
export function toWireTool({ tool, source }: Registration, workspace: Workspace): Record<string, unknown> {
  const file = workspace.sources.fileOf(tool.name);
  return {
    name: tool.name,
    display_name: tool.displayName,
    version: tool.version,
    description: tool.description,
    category: tool.category,
    tags: tool.tags,
    aliases: tool.aliases,
    capabilities: tool.capabilities,
    effect: effectLabel(tool),
    destructive: destructiveOf(tool),
    ...(typeof tool.timeoutMs === "number" && { timeout_ms: tool.timeoutMs }),
    ...(tool.cache !== undefined && { cache_ms: tool.cache.ttlMs }),
    status: tool.status,
    gated: tool.gated,
    composite: tool.composite,
    source,
    ...(file !== undefined && { file }),
    ...(tool.broken !== undefined && { broken: tool.broken.message }),
  };
}

/** True if the tool is destructive; `varies` if it depends on the arguments. */
export function destructiveOf({ destructive }: AnyTool): boolean | "varies" {
  return typeof destructive === "function" ? "varies" : destructive;
}

/** A notice or another coded message in JSON output. */
export interface WireCoded {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function toWireCoded({ code, params }: { readonly code: string; readonly params: object }): WireCoded {
  return { code, params: snakeKeys({ ...params }) };
}

/**
 * The result of an agent in JSON output, without its messages. Text of services is redacted by pattern; the result
 * itself contains no known secrets.
 */
export function toWireAgent(result: AgentResult, redactor: Redactor): Record<string, unknown> {
  const { messages: _messages, toolUsageSummary, usage, notices, noticeData, steps, error, ...rest } = result;
  return {
    ...snakeKeys(rest),
    tool_usage_summary: snakeKeys({ ...toolUsageSummary }),
    usage: snakeKeys({ ...usage }),
    notices: notices.map(redactor.text),
    notice_data: redactor.value(noticeData.map(toWireCoded)),
    ...(steps !== undefined && { steps: steps.map((step) => toWireStep(step, redactor)) }),
    ...(error !== undefined && { error: toWireFailure(redactFailure(error, redactor.text)) }),
  };
}

function toWireStep({ error, ...step }: AgentStep, redactor: Redactor): Record<string, unknown> {
  return {
    ...snakeKeys(step),
    ...(error !== undefined && { error: toWireFailure(redactFailure(error, redactor.text)) }),
  };
}
