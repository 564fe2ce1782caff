import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { systemClock } from "../../src/base/index.ts";
import {
  type CallRecord,
  type RecordQuery,
  type RecordStore,
  type Retention,
  createInMemoryRecords,
} from "../../src/store/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";

// Few values, so that filters hit, times tie and pages end in the middle of both.
const time = fc.integer({ min: 0, max: 30 });
const tool = fc.constantFrom("a", "b", "你好", "__proto__");
const conversation = fc.constantFrom("c1", "c2");
const callerType = fc.constantFrom("direct", "workflow_node", "conversation_agent", "mcp_client");
const code = fc.constantFrom("timeout", "execution_error", "cancelled");

const record: fc.Arbitrary<CallRecord> = fc
  .record(
    {
      tool,
      args: fc.jsonValue(),
      error: fc.option(code, { nil: undefined }),
      output: fc.jsonValue(),
      durationMs: fc.float({ min: 0, max: 1000, noNaN: true }),
      callerType,
      createdAt: time,
      callerId: fc.constantFrom("x", "y"),
      conversationId: conversation,
      principal: fc.string(),
      reported: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: ["tool", "args", "durationMs", "callerType", "createdAt"] },
  )
  .map(({ error, output, ...input }) => ({
    id: "r",
    version: "1",
    source: "tools",
    category: "general",
    queuedMs: 0,
    attempts: 1,
    cached: false,
    success: error === undefined,
    ...(error === undefined && output !== undefined && { output }),
    ...(error !== undefined && { error: { code: error, message: error, forModel: error, retry: "safe" as const } }),
    ...input,
  }));

const query: fc.Arbitrary<RecordQuery> = fc.record(
  {
    conversationId: conversation,
    tool,
    callerType,
    callerId: fc.constantFrom("x", "z"),
    status: fc.constantFrom("success", "failure"),
    code,
    since: time,
    until: time,
    limit: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: [] },
);

type Step =
  | { readonly add: readonly CallRecord[] }
  | { readonly query: RecordQuery }
  | { readonly statistics: Pick<RecordQuery, "since" | "until" | "tool"> }
  | { readonly summary: string }
  | { readonly prune: Retention };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.array(record, { maxLength: 25 }) }) },
  { weight: 6, arbitrary: fc.record({ query }) },
  {
    weight: 2,
    arbitrary: fc.record({ statistics: fc.record({ since: time, until: time, tool }, { requiredKeys: [] }) }),
  },
  { weight: 1, arbitrary: fc.record({ summary: conversation }) },
  { weight: 1, arbitrary: fc.record({ prune: fc.record({ maxAgeMs: fc.integer({ min: 5, max: 40 }) }) }) },
);

test("[B14] SQLite answers every query as the in-memory store does", async () => {
  const folder = mkdtempSync(join(tmpdir(), "windlass-model-"));
  const clock = { ...systemClock, now: () => 30 };
  const redactor = createRedactor([]);
  const sqlite = await openSqlite({ file: join(folder, "journal.db"), redactor, clock });
  const memory = createInMemoryRecords({ redactor, clock, capacity: 100_000 });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        await memory.prune({ maxBytes: 0 });
        await sqlite.records.prune({ maxBytes: 0 });
        for (const next of steps) {
          const expected = await answer(memory, next);
          expect(await answer(sqlite.records, next)).toEqual(expected);
        }
      }),
      { numRuns: 200, seed: 20_261_115 },
    );
  } finally {
    await sqlite.close();
    rmSync(folder, { recursive: true });
  }
});

async function answer(store: RecordStore, next: Step): Promise<unknown> {
  if ("add" in next) return next.add.forEach((one) => store.add(one));
  if ("query" in next) return pages(store, next.query);
  if ("statistics" in next) return store.statistics(next.statistics);
  if ("summary" in next) return store.summary(next.summary);
  return (await store.prune(next.prune)).records;
}

/** All pages, one by one: their boundaries are part of the result, the format of a cursor is not. */
async function pages(store: RecordStore, input: RecordQuery): Promise<(readonly CallRecord[])[]> {
  const all: (readonly CallRecord[])[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.query({ ...input, ...(cursor !== undefined && { cursor }) });
    all.push(page.records);
    if (page.next === undefined) return all;
    cursor = page.next;
  }
}
