import type { RunStore } from "../../../src/store/index.ts";

/** A journal that breaks its guarantees on purpose: it reports a start as durable long before it is. */
export function hasty(journal: RunStore): RunStore {
  let last: Promise<unknown> = Promise.resolve();
  return {
    join: () => journal.join(),
    create: (...args) => journal.create(...args),
    submit: (...args) => journal.submit(...args),
    claim: (...args) => journal.claim(...args),
    finish: async (...args) => {
      await last;
      return journal.finish(...args);
    },
    requestCancel: (...args) => journal.requestCancel(...args),
    changes: (...args) => journal.changes(...args),
    read: (...args) => journal.read(...args),
    list: (...args) => journal.list(...args),
    turns: (...args) => journal.turns(...args),
    addTurn: (...args) => journal.addTurn(...args),
    append(lease, event) {
      last = last
        .then(() => new Promise((resolve) => setTimeout(resolve, 40)))
        .then(() => journal.append(lease, event));
      last.catch(() => {});
      return undefined;
    },
  };
}
