import { join } from "node:path";
import { openSqlite } from "../../src/adapters/index.ts";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { OpenPorts } from "./run-lab.ts";

/** Opens the database of a folder. Its threads run in real time; only the current time comes from the clock. */
export async function open(folder: string, clock: Pick<Clock, "now"> = systemClock): Promise<OpenPorts> {
  const store = await openSqlite({
    file: join(folder, "journal.db"),
    redactor: createRedactor([]),
    clock: { ...systemClock, now: () => clock.now() },
  });
  return { journal: store.runs, approvals: store.approvals, close: () => store.close() };
}
