import type { StreamEventType, WireValue } from "../../api/index.ts";
import { runNameFields, toWireApproval } from "../../app/index.ts";
import { type Failure, definedOnly } from "../../base/index.ts";
import { stepPathOfKey } from "../../chain/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";
import type { Approval, FeedApprovalChange, FeedChange, FeedEvent, FeedRunChange } from "../../store/index.ts";
import { toWireFailure } from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";

/** A change in the form of the stream. */
export function toWireChange(
  change: FeedChange,
  redactor: Redactor,
): { readonly type: StreamEventType; readonly data: object } {
  switch (change.kind) {
    case "event":
      return { type: "journal", data: toJournalChange(change) };
    case "run":
      return { type: "run", data: toRunChange(change, redactor) };
    case "approval":
      return { type: "approval", data: toWireApproval(toApproval(change)) };
  }
}

/** The approval after a change: without its decision if that came later. */
function toApproval({ status, approval }: FeedApprovalChange): Approval {
  if (status !== "pending") return { ...approval, status };
  const { decidedAt: _at, decidedBy: _by, note: _note, done: _done, ...pending } = approval;
  return { ...pending, status };
}

/** A run after a change. Facts about its end belong to the change that ended it. */
export function toRunChange(
  { status, isSuspended, run }: Pick<FeedRunChange, "status" | "isSuspended" | "run">,
  redactor: Redactor,
): WireValue<"RunChange"> {
  const { id, kind, name, startedAt, finishedAt, error, rerunOf, calledBy, conversationId } = run;
  const isEnd = status !== "running" && status !== "waiting";
  return asWire<"RunChange">({
    run_id: id,
    kind,
    [runNameFields[kind]]: name,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    status,
    ...(isSuspended && { suspended: true }),
    started_at: iso(startedAt),
    ...(isEnd && finishedAt !== undefined && { finished_at: iso(finishedAt), duration_ms: finishedAt - startedAt }),
    ...(rerunOf !== undefined && { rerun_of: rerunOf }),
    ...(calledBy !== undefined && { called_by: calledBy }),
    ...(isEnd &&
      error !== undefined && { error: toWireFailure(redactFailure(JSON.parse(error) as Failure, redactor.text)) }),
  });
}

function toJournalChange({ runId, runKind, event, isCut }: FeedEvent): WireValue<"JournalChange"> {
  const { seq, kind, key, at, data } = event;
  return asWire<"JournalChange">({
    run_id: runId,
    kind: runKind,
    seq,
    change: kind,
    key,
    ...(runKind === "chain" && stepOf(key)),
    at: iso(at),
    ...dataOf(data, kind === "settled"),
    ...(isCut === true && { output_omitted: true }),
  });
}

function stepOf(key: string): { readonly step?: string; readonly item?: number } {
  const step = stepPathOfKey(key);
  const item = /\[(\d+)\][^/]*$/.exec(key)?.[1];
  return { ...(step !== "" && { step }), ...(item !== undefined && { item: Number(item) }) };
}

/** The data of an event as the host wrote it: the effect of a started call, an outcome, or a wait. */
function dataOf(data: unknown, isSettled: boolean): object {
  if (!isRecord(data)) return isSettled ? { outcome: "call" } : {};
  const { kind, result, effect, approvalId, status, by, note, due } = data;
  const known = definedOnly({ effect, approval_id: approvalId });
  if (!isSettled) return { ...known, ...(typeof due === "number" && due < maxDate && { due: iso(due) }) };
  const decided = definedOnly({ decision: status, by, note });
  return { outcome: kind, ...known, ...(isRecord(result) && resultOf(result)), ...decided };
}

/** The result of a call; a part that is missing was cut off. */
function resultOf(result: Readonly<Record<string, unknown>>): object {
  const { tool, success, output, error, durationMs, queuedMs, meta } = result;
  return {
    tool,
    success,
    ...(output !== undefined && { output }),
    ...(isRecord(error) && { error: toWireFailure(error as unknown as Failure) }),
    ...(typeof durationMs === "number" && { duration_ms: durationMs }),
    ...(typeof queuedMs === "number" && { queued_ms: queuedMs }),
    ...(isRecord(meta) && {
      ...(typeof meta["attempts"] === "number" && { attempts: meta["attempts"] }),
      ...(meta["cached"] === true && { cached: true }),
    }),
  };
}

const maxDate = 8_640_000_000_000_000;

function iso(at: number): string {
  return new Date(at).toISOString();
}
