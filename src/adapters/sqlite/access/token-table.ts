import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { ApiToken, NewApiToken } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";

/** Operations on tokens of the HTTP API. */
export interface TokenOps {
  readonly addToken: (token: NewApiToken) => void;
  readonly getToken: (which: { readonly id: string }) => ApiToken | undefined;
  readonly listTokens: (which: null) => readonly ApiToken[];
  readonly revokeToken: (which: { readonly id: string; readonly at: number }) => ApiToken | undefined;
  readonly tokenUsed: (which: { readonly id: string; readonly at: number }) => void;
}

/** The tokens in the database. Each change is one statement, so that processes sharing the file agree. */
export function createTokenOps(db: () => DatabaseSync): TokenOps {
  const getToken: TokenOps["getToken"] = ({ id }) => {
    const row = db().prepare("SELECT * FROM api_tokens WHERE id = ?").get(id);
    return row && tokenOf(row);
  };
  return {
    addToken({ id, hash, name, scopes, runId = null, createdAt, expiresAt = null }) {
      db()
        .prepare(
          `INSERT INTO api_tokens (id, hash, name, scopes, run_id, created_at, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, hash, name, JSON.stringify(scopes), runId, createdAt, expiresAt);
    },
    getToken,
    listTokens: () => db().prepare("SELECT * FROM api_tokens ORDER BY number DESC").all().map(tokenOf),
    revokeToken: ({ id, at }) =>
      inTransaction(db(), () => {
        db().prepare("UPDATE api_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL").run(at, id);
        return getToken({ id });
      }),
    tokenUsed({ id, at }) {
      db()
        .prepare("UPDATE api_tokens SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?")
        .run(at, id, at);
    },
  };
}

/** Removes tokens that expired or were revoked before this time. */
export function removeTokensBefore(db: DatabaseSync, time: number): void {
  db.prepare("DELETE FROM api_tokens WHERE expires_at < ? OR revoked_at < ?").run(time, time);
}

function tokenOf(row: Record<string, SQLOutputValue>): ApiToken {
  const { run_id: runId, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt } = row;
  return {
    id: String(row["id"]),
    hash: String(row["hash"]),
    name: String(row["name"]),
    // Written by `addToken`.
    scopes: JSON.parse(String(row["scopes"])) as string[],
    createdAt: Number(row["created_at"]),
    ...(typeof runId === "string" && { runId }),
    ...(typeof expiresAt === "number" && { expiresAt }),
    ...(typeof revokedAt === "number" && { revokedAt }),
    ...(typeof lastUsedAt === "number" && { lastUsedAt }),
  };
}
