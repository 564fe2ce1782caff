import { join } from "node:path";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { RecordContender } from "../contender.ts";

/** The SQLite store; its records are on disk when `flush()` resolves. */
export async function create(folder: string): Promise<RecordContender> {
  const store = await openSqlite({ file: join(folder, "store.db"), redactor: createRedactor(["hunter2secret"]) });
  return {
    prepare: (records) => async () => {
      for (const record of records) store.records.add(record);
      await store.records.flush();
    },
    count: async () => (await store.stats()).records,
  };
}
