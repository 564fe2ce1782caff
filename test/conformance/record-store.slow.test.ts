import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createInMemoryRecords } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { recordStoreConformance } from "./record-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-records-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

recordStoreConformance("memory", async ({ redactor, now }) => {
  const records = createInMemoryRecords({ capacity: 10_000, redactor, clock: { ...systemClock, now } });
  return { records, close: () => records.close() };
});

recordStoreConformance("sqlite", ({ redactor, now }) =>
  openSqlite({
    file: join(folder, `${++files}.db`),
    redactor: { ...createRedactor([]), ...redactor },
    clock: { ...systemClock, now },
  }),
);
