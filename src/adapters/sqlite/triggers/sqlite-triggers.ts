import type { TriggerStore } from "../../../store/index.ts";
import type { WriterThread } from "../journal/writer-thread.ts";

/** Triggers and their firings in SQLite. */
export function sqliteTriggers(thread: Pick<WriterThread, "call">): TriggerStore {
  return {
    register: (triggers, at) => thread.call("registerTriggers", { triggers, at }),
    list: () => thread.call("listTriggers", null),
    pause: (id, change) => thread.call("pauseTrigger", { id, ...change }),
    approve: (id, approved, at) => thread.call("approveTrigger", { id, approved, at }),
    advance: (id, change) => thread.call("advanceTrigger", { id, ...change }),
    add: (id, firing, maxWaiting) => thread.call("addFiring", { id, firing, maxWaiting }),
    get: (id, key) => thread.call("getFiring", { id, key }),
    known: (id, keys) => thread.call("knownFirings", { id, keys }),
    open: (id) => thread.call("openFirings", { id: id ?? null }),
    begin: (id, key, when) => thread.call("beginFiring", { id, key, when }),
    settle: (id, key, change) => thread.call("settleFiring", { id, key, ...change }),
    toolWrites: (file) => thread.call("toolWrites", { file }),
    writtenFiles: async () => new Map(await thread.call("writtenFiles", null)),
  };
}
