import { join } from "node:path";
import { type SqliteStore, openSqlite } from "../../../src/adapters/index.ts";
import { type AgentObserver, AgentRuns, findRunner } from "../../../src/agent/index.ts";
import { type Engine, createEngine } from "../../../src/engine/index.ts";
import type { Model } from "../../../src/model/index.ts";
import { createRedactor } from "../../../src/secrets/index.ts";
import type { AnyTool } from "../../../src/tool/index.ts";

/** Environment of an agent of these tests, in any process. */
export interface Setting {
  readonly runs: AgentRuns;
  readonly store: SqliteStore;
  readonly close: () => Promise<void>;
}

/** Opens the journal of a folder, and agents over it. */
export async function openSetting(
  folder: string,
  parts: { readonly tools: readonly AnyTool[]; readonly model: Model; readonly observer?: AgentObserver },
): Promise<Setting> {
  const { tools, model, observer } = parts;
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
  const engine: Engine = createEngine({
    tools,
    records: store.records,
    permissions: { ask: ["wipe"], allow: ["* trusted"] },
  });
  const runs = new AgentRuns({
    engine,
    observer,
    journal: store.runs,
    approvals: store.approvals,
    runner: findRunner,
    model: () => model,
  });
  const close = async (): Promise<void> => {
    await runs.close();
    await engine.close();
    await store.close();
  };
  return { runs, store, close };
}

/** The run of a seed. */
export function runIdOf(seed: number | string): string {
  return `run-${seed}`;
}
