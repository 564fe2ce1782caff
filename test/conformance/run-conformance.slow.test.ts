import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type OpenPortsAt, inProcessLab } from "./in-process-lab.ts";
import { interruptedRuns } from "./interrupted-runs.ts";
import { processLab } from "./process-lab.ts";
import { runConformance } from "./run-conformance.ts";
import { open as openSqlitePorts } from "./sqlite-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-conformance-"));
afterAll(() => rmSync(folder, { recursive: true }));
let machines = 0;
const open: OpenPortsAt = (clock) => openSqlitePorts(join(folder, String(++machines)), clock);

runConformance(inProcessLab("on SQLite", open));
interruptedRuns("on SQLite", open);
runConformance(
  processLab("on SQLite, in processes that end with SIGKILL", join(import.meta.dirname, "sqlite-ports.ts")),
  120_000,
);
