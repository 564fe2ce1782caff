import { type Clock, isFailureError } from "../base/index.ts";
import type { ApprovalStore, AuditLog, NewAuditEntry } from "../store/index.ts";

/** The person or program of an action in the audit log. */
export interface AuditActor {
  /** The principal of a token, or the user at a terminal. */
  readonly by: string;
  readonly requestId?: string;
}

/** An action that is about to happen. */
export interface AuditedAction extends AuditActor {
  readonly action: "chain.save" | "token.create" | "token.revoke" | "session.open";
  readonly target?: string | undefined;
  readonly detail?: string | undefined;
}

/** The actor of a program that states none. */
export const anyProgram: AuditActor = { by: "library" };

/** Texts in the audit log are cut: they come from requests. */
const maxChars = 200;

/**
 * Performs an action and adds it to the audit log with its outcome. Resolves when the entry is durable.
 *
 * @param targetOf The target, if it is known only afterwards.
 */
export async function audited<T>(
  { audit, clock }: { readonly audit: AuditLog; readonly clock: Pick<Clock, "now"> },
  action: AuditedAction,
  work: () => Promise<T>,
  targetOf: (value: T) => string | undefined = () => action.target,
): Promise<T> {
  const add = (outcome: string, target: string | undefined): Promise<void> =>
    audit.add(entryOf({ ...action, target, outcome, at: clock.now() }));
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await add(isFailureError(error) ? (error.reason ?? error.code) : "internal_error", action.target);
    throw error;
  }
  await add("done", targetOf(value));
  return value;
}

/** The approvals of a workspace; decisions of people are added to the audit log. */
export function auditedApprovals(approvals: ApprovalStore, audit: AuditLog): ApprovalStore {
  return {
    request: (request) => approvals.request(request),
    consume: (key, now) => approvals.consume(key, now),
    restore: (key) => approvals.restore(key),
    get: (id, now) => approvals.get(id, now),
    list: (now, status) => approvals.list(now, status),
    decide: async (id, decision, now) => {
      const before = await approvals.get(id, now);
      const decided = await approvals.decide(id, decision, now);
      if (decision.isAutomatic === true || before === undefined) return decided;
      const { by = "unknown", approved, done, requestId } = decision;
      const isRecorded = before.status === "pending" && decided?.decidedAt === now && decided.decidedBy === decision.by;
      const verdict = done !== undefined ? "done" : approved ? "approve" : "reject";
      const outcome = isRecorded ? "done" : "conflict";
      const action = "approval.decide";
      await audit.add(
        entryOf({ at: now, by, action, target: id, detail: `${verdict} ${before.tool}`, outcome, requestId }),
      );
      return decided;
    },
  };
}

/** An entry as it is stored. */
function entryOf(
  entry: { [Key in keyof NewAuditEntry]: NewAuditEntry[Key] | undefined } & AuditEntryBase,
): NewAuditEntry {
  const { at, action, outcome, by, target, detail, requestId } = entry;
  return {
    at,
    action,
    outcome,
    by: by.slice(0, maxChars),
    ...(target !== undefined && { target: target.slice(0, maxChars) }),
    ...(detail !== undefined && { detail: detail.slice(0, maxChars) }),
    ...(requestId !== undefined && { requestId }),
  };
}

type AuditEntryBase = Pick<NewAuditEntry, "at" | "by" | "action" | "outcome">;
