import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createInMemoryApprovals } from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import { approvalStoreConformance } from "./approval-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-approvals-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

approvalStoreConformance("memory", async (now) => ({
  approvals: createInMemoryApprovals({ clock: { ...systemClock, now } }),
  close: async () => {},
}));

approvalStoreConformance("sqlite", async (now) => {
  const redactor = createRedactor([]);
  const file = join(folder, `${++files}.db`);
  return openSqlite({ file, redactor, clock: { ...systemClock, now } });
});
