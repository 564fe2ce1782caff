import type { ApiTokenStore } from "../../../store/index.ts";
import type { WriterThread } from "../journal/writer-thread.ts";

type Writer = Pick<WriterThread, "call">;

/** Tokens of the HTTP API in SQLite. */
export function sqliteApiTokens(thread: Writer): ApiTokenStore {
  return {
    add: (token) => thread.call("addToken", token),
    get: (id) => thread.call("getToken", { id }),
    list: () => thread.call("listTokens", null),
    revoke: (id, at) => thread.call("revokeToken", { id, at }),
    used: (id, at) => thread.call("tokenUsed", { id, at }),
  };
}
