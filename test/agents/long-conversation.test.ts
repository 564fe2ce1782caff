import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { Agent, AgentRuns, resolveAgentSpec, findRunner } from "../../src/agent/index.ts";
import { systemClock } from "../../src/base/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";

let count = 0;
const folder = mkdtempSync(join(tmpdir(), "windlass-conversation-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bytes of content in the database; the size of the write-ahead log does not matter. */
function contentBytes(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const read = (pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    return (read("page_count") - read("freelist_count")) * read("page_size");
  } finally {
    db.close();
  }
}

test("a long conversation stores each of its messages once; and its runs outlive the pruning of older ones", async () => {
  const file = join(folder, `${++count}.db`);
  let now = 1;
  const clock = { ...systemClock, now: () => now };
  const store = await openSqlite({ file, redactor: createRedactor([]), clock });
  const engine = createEngine();
  // Random text: storing it twice cannot be hidden by compression.
  const answer = (n: number): string => `${n}: `.padEnd(8192, `${Math.sin(n)} `);
  const model = scriptedModel(Array.from({ length: 125 }, (_, n) => answer(n)));
  const runs = new AgentRuns({
    engine,
    journal: store.runs,
    approvals: store.approvals,
    runner: findRunner,
    model: () => model,
    clock,
  });
  const session = new Agent(runs, resolveAgentSpec("llm", { contextTokens: 1_000_000 })).session();
  const bytesAfter = async (prompts: number): Promise<number> => {
    let last = "";
    for (let n = 0; n < prompts; n++) {
      now += 1000;
      last = (await session.send(`question ${n}`)).runId;
    }
    expect((await runs.inspect(last)).messages).toEqual(session.messages);
    await store.records.flush();
    return contentBytes(file);
  };
  const tens = [await bytesAfter(20), await bytesAfter(50), await bytesAfter(50)];
  expect(session.messages).toHaveLength(240);
  const [first = 0, second = 0, third = 0] = tens;
  expect((third - second) / (second - first)).toBeLessThan(1.2);

  const { runId, messages } = await session.send("the last one");
  await store.records.prune({ maxAgeMs: 2000 });
  expect((await store.runs.list({ limit: 1000 })).length).toBeLessThan(5);
  expect((await runs.inspect(runId)).messages).toEqual(messages);
  const { messages: after } = await session.send("one more");
  expect(after).toHaveLength(messages.length + 2);
  await runs.close();
  await store.close();
});
