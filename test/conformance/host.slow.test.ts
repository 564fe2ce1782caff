import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { hostConformance } from "./host.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-host-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

hostConformance("memory", async (clock) => ({
  runs: createInMemoryRunJournal({ clock, finished: 1000 }),
  approvals: createInMemoryApprovals({ clock }),
  close: async () => {},
}));

// Its threads run in real time; only the current time comes from the test.
hostConformance("sqlite", (clock) =>
  openSqlite({
    file: join(folder, `${++files}.db`),
    redactor: createRedactor([]),
    clock: { ...systemClock, now: () => clock.now() },
  }),
);
