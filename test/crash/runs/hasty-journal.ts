import type { RunStore } from "../../../src/store/index.ts";
import { overridePort } from "../../support/override-port.ts";

/** A journal that breaks its guarantees on purpose: it reports a start as durable long before it is. */
export function hasty(journal: RunStore): RunStore {
  let last: Promise<unknown> = Promise.resolve();
  return overridePort(journal, {
    finish: async (...args) => {
      await last;
      return journal.finish(...args);
    },
    append(lease, event) {
      last = last
        .then(() => new Promise((resolve) => setTimeout(resolve, 40)))
        .then(() => journal.append(lease, event));
      last.catch(() => {});
      return undefined;
    },
  });
}
