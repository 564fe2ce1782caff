import type { ApiTokenStore, AuditLog, IdempotencyKeyStore } from "../../../store/index.ts";
import type { WriterThread } from "../journal/writer-thread.ts";

type Writer = Pick<WriterThread, "call">;

/** The stores of the access to a server. */
export interface AccessStores {
  readonly tokens: ApiTokenStore;
  readonly idempotencyKeys: IdempotencyKeyStore;
  readonly audit: AuditLog;
}

/** Tokens of the HTTP API, idempotency keys of its requests and its audit log, in SQLite. */
export function sqliteAccess(thread: Writer): AccessStores {
  return {
    tokens: {
      add: (token) => thread.call("addToken", token),
      get: (id) => thread.call("getToken", { id }),
      list: () => thread.call("listTokens", null),
      revoke: (id, at) => thread.call("revokeToken", { id, at }),
      used: (id, at) => thread.call("tokenUsed", { id, at }),
    },
    idempotencyKeys: {
      begin: (request) => thread.call("beginRequest", request),
      started: (id, workId) => thread.call("requestStarted", { id, workId }),
      complete: (id, workId, response) => thread.call("completeRequest", { id, workId, response }),
    },
    audit: {
      add: (entry) => thread.call("addAuditEntry", entry),
      list: (query) => thread.call("listAuditEntries", query),
    },
  };
}
