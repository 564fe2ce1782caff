import type { AgentEvent, AgentResult } from "../../agent/index.ts";
import type { WireValue } from "../../api/index.ts";
import { runNameFields } from "../../app/index.ts";
import type { Failure } from "../../base/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Approval, type RunWait, type StoredRun, neverExpires } from "../../store/index.ts";

type Wire = Readonly<Record<string, unknown>>;

/** snake_case keys of a flat object to camelCase; the reverse of `snakeKeys`. */
function camelKeys(wire: Wire): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(wire).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

/** A failure from its JSON form. */
export function toFailure(wire: unknown): Failure | undefined {
  if (!isRecord(wire)) return undefined;
  const { message } = wire;
  // The server wrote a failure.
  return { ...camelKeys(wire), message, forModel: message } as Failure;
}

/** A run as commands list and show it, without what only its execution needs. */
export function toStoredRun(wire: WireValue<"Run"> | WireValue<"RunDetail">): StoredRun {
  const { run_id: id, kind, status, error, rerun_of: rerunOf, called_by: calledBy } = wire;
  const { conversation_id: conversation, started_at: startedAt, finished_at: finishedAt, waits_for: wait } = wire;
  return {
    id,
    kind,
    name: wire[runNameFields[kind]] ?? "",
    definition: "{}",
    input: inputOf(wire),
    context: "{}",
    format: 0,
    fingerprints: "{}",
    startedAt: Date.parse(startedAt),
    status,
    cancelRequested: "cancel_requested" in wire && wire.cancel_requested,
    epoch: 0,
    deaths: 0,
    ...(finishedAt !== undefined && { finishedAt: Date.parse(finishedAt) }),
    ...(wait !== undefined && { waitsFor: toRunWait(wait) }),
    ...("output" in wire && wire.output !== undefined && { output: JSON.stringify(wire.output) }),
    ...(error !== undefined && { error: JSON.stringify(toFailure(error)) }),
    ...(rerunOf !== undefined && { rerunOf }),
    ...(calledBy !== undefined && { calledBy }),
    ...(conversation !== undefined && { conversation: { id: conversation, after: 0 } }),
  };
}

function toRunWait({ approvals, events, until }: WireValue<"RunWait">): RunWait {
  return {
    approvals,
    ...(events.length > 0 && { events: events.map((name) => ({ name, after: 0 })) }),
    ...(until !== undefined && { until: Date.parse(until) }),
  };
}

function inputOf(wire: WireValue<"Run"> | WireValue<"RunDetail">): string {
  if (wire.kind === "agent") return JSON.stringify({ text: wire.prompt ?? "" });
  if ("input_preview" in wire && wire.input_preview !== undefined) return wire.input_preview;
  return JSON.stringify("input" in wire ? wire.input : {});
}

/** An approval from its JSON form. */
export function toApproval(wire: WireValue<"Approval">): Approval {
  const { created_at: createdAt, expires_at: expiresAt, decided_at: decidedAt, ...rest } = wire;
  const times = {
    createdAt: Date.parse(createdAt),
    expiresAt: expiresAt === undefined || expiresAt === null ? neverExpires : Date.parse(expiresAt),
    ...(decidedAt !== undefined && { decidedAt: Date.parse(decidedAt) }),
  };
  // The server wrote an approval.
  return { ...camelKeys(rest), ...times, key: "" } as unknown as Approval;
}

/** The result of an agent from its JSON form; the messages of the conversation stay at the server. */
export function toAgentResult(wire: Wire): AgentResult {
  const {
    prompt: _prompt,
    reasoning: _reasoning,
    usage,
    tool_usage_summary: tools,
    notice_data: notices,
    ...rest
  } = wire;
  const { steps, error } = rest;
  const result = {
    ...camelKeys(rest),
    usage: camelKeys(usage as Wire),
    toolUsageSummary: camelKeys(tools as Wire),
    noticeData: (notices as readonly Wire[]).map(withCamelParams),
    ...(Array.isArray(steps) && { steps: (steps as readonly Wire[]).map(withFailure) }),
    ...(error !== undefined && { error: toFailure(error) }),
    messages: [],
  };
  // The server wrote the result of an agent.
  return result as unknown as AgentResult;
}

function withCamelParams(wire: Wire): Record<string, unknown> {
  const { params } = wire;
  return { ...wire, params: isRecord(params) ? camelKeys(params) : {} };
}

function withFailure(wire: Wire): Record<string, unknown> {
  const { error } = wire;
  return { ...camelKeys(wire), ...(error !== undefined && { error: toFailure(error) }) };
}

/** An event of a chain's run from its JSON form. */
export function toRunEvent(wire: Wire): RunEvent {
  // The server wrote an event of such a run.
  return { replayed: false, ...eventOf(wire) } as unknown as RunEvent;
}

/** An event of an agent's run from its JSON form. */
export function toAgentEvent(wire: Wire): AgentEvent {
  const { usage, params } = wire;
  const event = {
    ...eventOf(wire),
    ...(isRecord(usage) && { usage: camelKeys(usage) }),
    ...(isRecord(params) && { params: camelKeys(params) }),
  };
  // As above.
  return event as unknown as AgentEvent;
}

function eventOf(wire: Wire): Record<string, unknown> {
  const { type, at, ...rest } = wire;
  return {
    ...withFailure(rest),
    type: String(type).replaceAll("_", "-"),
    at: Date.parse(String(at)),
  };
}
