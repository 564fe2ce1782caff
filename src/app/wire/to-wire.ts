import type { ApprovalService } from "../../engine/index.ts";
import type { AllChainStatistics, ChainStatistics } from "../../chain/index.ts";
import {
  type ApiToken,
  type Approval,
  type AuditEntry,
  type CallRecord,
  type RunKindId,
  type Statistics,
  type RunWait,
  type StoredRun,
  apiTokenStateAt,
  neverExpires,
} from "../../store/index.ts";
import type { Failure } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import {
  snakeKeys,
  toWireFailure,
  toWireResult,
  type AnyTool,
  type Registration,
  effectLabel,
} from "../../tool/index.ts";
import type { McpReview, McpServerStatus } from "../../hub/index.ts";
import type { Workspace } from "../workspace.ts";
import type { AgentResult, AgentStep } from "../../agent/index.ts";
import type { DurableCallResult } from "../../run/index.ts";
import type { TriggerInfo } from "../../trigger/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";

/** A record in JSON output. */
export function toWireRecord({ error, createdAt, output, reported, ...rest }: CallRecord): Record<string, unknown> {
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

/**
 * Approvals in JSON output. A pending one has the last one that was approved for the same tool and step, so that a person
 * can compare their arguments.
 *
 * @param service Lists the earlier ones.
 */
export async function toWireApprovals(
  approvals: readonly Approval[],
  service: Pick<ApprovalService, "list">,
): Promise<Record<string, unknown>[]> {
  const hasPending = approvals.some(({ status }) => status === "pending");
  const approved = hasPending ? [...(await service.list("approved")), ...(await service.list("used"))] : [];
  return approvals.map((approval) => {
    const last = approval.status === "pending" ? lastApproved(approval, approved) : undefined;
    return { ...toWireApproval(approval), ...(last !== undefined && { last_approved: toLastApproved(last) }) };
  });
}

function lastApproved({ tool, step }: Approval, approved: readonly Approval[]): Approval | undefined {
  return approved
    .filter((other) => other.tool === tool && other.step === step)
    .reduce<Approval | undefined>(
      (last, each) => ((last?.decidedAt ?? 0) < (each.decidedAt ?? 0) ? each : last),
      undefined,
    );
}

function toLastApproved(approval: Approval): Record<string, unknown> {
  const { id, args, decided_at, decided_by } = toWireApproval(approval);
  return { id, args, decided_at, ...(decided_by !== undefined && { decided_by }) };
}

/** A token of the HTTP API in JSON output, as of a time. */
export function toWireToken(token: ApiToken, now: number): Record<string, unknown> {
  const { hash: _hash, createdAt, expiresAt, revokedAt, lastUsedAt, ...rest } = token;
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    ...snakeKeys(rest),
    status: apiTokenStateAt(token, now),
    created_at: iso(createdAt),
    expires_at: expiresAt === undefined ? null : iso(expiresAt),
    ...(revokedAt !== undefined && { revoked_at: iso(revokedAt) }),
    ...(lastUsedAt !== undefined && { last_used_at: iso(lastUsedAt) }),
  };
}

/** A trigger in JSON output. */
export function toWireTrigger({ last, next, ...rest }: TriggerInfo): Record<string, unknown> {
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    ...rest,
    ...(last !== undefined && { last: { at: iso(last.at), run_id: last.runId } }),
    ...(next !== undefined && { next: iso(next) }),
  };
}

/** An entry of the audit log in JSON output. */
export function toWireAuditEntry({ at, ...entry }: AuditEntry): Record<string, unknown> {
  return { ...snakeKeys({ ...entry }), at: new Date(at).toISOString() };
}

/** Statistics in JSON output. */
export function toWireStatistics({ failures, tools, ...totals }: Statistics): Record<string, unknown> {
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

/** A run in the JSON output of lists. */
export function toWireRun(
  run: StoredRun,
  { redactor, abandoned }: { readonly redactor: Redactor; readonly abandoned: ReadonlySet<string> },
): Record<string, unknown> {
  return {
    run_id: run.id,
    kind: run.kind,
    [runNameFields[run.kind]]: run.name,
    ...(run.kind === "agent" && { prompt: redactor.knownText(promptOfRun(run)) }),
    status: run.status,
    ...(abandoned.has(run.id) && { interrupted: true }),
    ...(run.status === "waiting" && run.waitsFor !== undefined && { waits_for: toWireWait(run.waitsFor) }),
    started_at: new Date(run.startedAt).toISOString(),
    ...(run.finishedAt !== undefined && {
      finished_at: new Date(run.finishedAt).toISOString(),
      duration_ms: run.finishedAt - run.startedAt,
    }),
    ...(run.rerunOf !== undefined && { rerun_of: run.rerunOf }),
    ...(run.calledBy !== undefined && { called_by: run.calledBy }),
    ...(run.conversation !== undefined && { conversation_id: run.conversation.id }),
    ...(run.error !== undefined && { error: toWireRunError(run.error, redactor) }),
  };
}

function toWireWait({ approvals, events = [], until }: RunWait): Record<string, unknown> {
  const time = until === undefined ? {} : { until: new Date(until).toISOString() };
  return { approvals, events: events.map(({ name }) => name), ...time };
}

/** The error of a stored run in JSON output. */
function toWireRunError(error: string, redactor: Redactor): Record<string, unknown> {
  // Written by the program of the run.
  return toWireFailure(redactFailure(JSON.parse(error) as Failure, redactor.text));
}

/** The field with the name of a run in the JSON output: what the name is of. */
export const runNameFields: Readonly<Record<RunKindId, "chain" | "runner" | "tool">> = {
  chain: "chain",
  agent: "runner",
  call: "tool",
};

/** The prompt of an agent's run, without the conversation history. */
export function promptOfRun({ input }: StoredRun): string {
  const prompt: unknown = JSON.parse(input);
  return isRecord(prompt) && typeof prompt["text"] === "string" ? prompt["text"] : input;
}

/** The principal of a run; undefined for a user at the terminal. */
export function principalOfRun({ context }: StoredRun): string | undefined {
  const environment: unknown = JSON.parse(context);
  const { principal } = isRecord(environment) ? environment : {};
  return typeof principal === "string" ? principal : undefined;
}

/** A durable call in JSON output. */
export function toWireCall(
  { runId, status, tool, result }: DurableCallResult,
  { input, startedAt, finishedAt }: StoredRun,
  { engine: { redactor } }: { readonly engine: Pick<Workspace["engine"], "redactor"> },
): Record<string, unknown> {
  return {
    run_id: runId,
    kind: "call",
    tool,
    status,
    args: redactor.value(JSON.parse(input)),
    ...(result !== undefined && { result: redactor.value(toWireResult(result)) }),
    started_at: new Date(startedAt).toISOString(),
    ...(finishedAt !== undefined && { finished_at: new Date(finishedAt).toISOString() }),
  };
}

/** The status of an MCP server in JSON outputs, without secrets. */
export function toWireMcpServer(
  { lastFailure, ...server }: McpServerStatus,
  redactor: Pick<Redactor, "value">,
): Readonly<Record<string, unknown>> {
  const wire = {
    ...snakeKeys(server),
    ...(lastFailure !== undefined && { last_failure: snakeKeys({ ...lastFailure }) }),
  };
  // An object is redacted to an object.
  return redactor.value(wire) as Readonly<Record<string, unknown>>;
}

/** The pending approval of an MCP server, in JSON outputs. */
export function toWireMcpReview({
  server,
  address,
  tools,
  gone,
  refused,
}: McpReview): Readonly<Record<string, unknown>> {
  return {
    server,
    ...(address !== undefined && { address: toWireAddress(address) }),
    tools: tools.map(({ name, isNew, changes }) => ({ name, is_new: isNew, changes })),
    gone,
    refused,
  };
}

function toWireAddress({ before, after, parts }: NonNullable<McpReview["address"]>): unknown {
  return { before, after, parts: parts.map(({ isChanged, ...part }) => ({ ...part, is_changed: isChanged })) };
}
