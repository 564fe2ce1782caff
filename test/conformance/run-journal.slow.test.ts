import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createInMemoryApprovals, createInMemoryRecords, createInMemoryRunJournal } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { runJournalConformance } from "./run-journal.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-runs-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

runJournalConformance("memory", async (now) => {
  const clock = { ...systemClock, now };
  const records = createInMemoryRecords({ capacity: 10_000, clock });
  const approvals = createInMemoryApprovals({ clock });
  const runs = createInMemoryRunJournal({ records, approvals, clock, finished: 1000 });
  return { runs, records, approvals, close: () => records.close() };
});

runJournalConformance("sqlite", (now) =>
  openSqlite({
    file: join(folder, `${++files}.db`),
    redactor: createRedactor(["hunter2secret"]),
    clock: { ...systemClock, now },
  }),
);
