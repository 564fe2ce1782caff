import type { DatabaseSync } from "node:sqlite";
import { type AuditOps, createAuditOps, removeAuditEntriesBefore } from "./audit-table.ts";
import { type IdempotencyKeyOps, createIdempotencyKeyOps } from "./idempotency-key-table.ts";
import { type TokenOps, createTokenOps, removeTokensBefore } from "./token-table.ts";

/** Operations on tokens of the HTTP API, on idempotency keys of its requests, and on the audit log. */
export interface AccessOps extends TokenOps, IdempotencyKeyOps, AuditOps {}

/** The operations on the database. */
export function createAccessOps(db: () => DatabaseSync): AccessOps {
  return { ...createTokenOps(db), ...createIdempotencyKeyOps(db), ...createAuditOps(db) };
}

/** Those that only read. */
export function createAccessReadOps(db: DatabaseSync): Pick<AccessOps, "getToken" | "listTokens" | "listAuditEntries"> {
  const { getToken, listTokens, listAuditEntries } = createAccessOps(() => db);
  return { getToken, listTokens, listAuditEntries };
}

/** Removes tokens that expired or were revoked before this time, and older entries of the audit log. */
export function removeAccessBefore(db: DatabaseSync, time: number): void {
  removeTokensBefore(db, time);
  removeAuditEntriesBefore(db, time);
}
