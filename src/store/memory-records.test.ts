import { describe, expect, test } from "vitest";
import { createMemoryRecords } from "./memory-records.ts";
import type { CallRecord } from "./records.ts";

function record(id: string): CallRecord {
  return {
    id,
    tool: "echo",
    version: "1.0.0",
    source: "tools",
    category: "general",
    args: {},
    success: true,
    output: id,
    durationMs: 1,
    queuedMs: 0,
    attempts: 1,
    cached: false,
    callerType: "direct",
    createdAt: 1000,
  };
}

describe("memory records", () => {
  test("the oldest record leaves when there is no more room", async () => {
    const store = createMemoryRecords({ capacity: 3 });
    for (const id of ["1", "2", "3", "4", "5"]) store.add(record(id));
    const page = await store.query({});
    expect(page.records.map(({ id }) => id)).toEqual(["5", "4", "3"]);
    expect(await store.statistics()).toMatchObject({ totalCalls: 3 });
  });

  test("a page goes on although the ring has turned meanwhile", async () => {
    const store = createMemoryRecords({ capacity: 4 });
    for (const id of ["1", "2", "3", "4"]) store.add(record(id));
    const first = await store.query({ limit: 2 });
    store.add(record("5"));
    const second = await store.query({ limit: 2, cursor: first.next ?? "" });
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(["4", "3", "2"]);
  });

  test("adding looks at nothing: redaction happens when somebody reads", async () => {
    let looks = 0;
    const store = createMemoryRecords({
      redactor: { text: (text) => text, value: (value) => (looks++, value) },
    });
    const untouchable = new Proxy(record("1"), {
      get: (target, key) => (looks++, Reflect.get(target, key)),
    });
    store.add(untouchable);
    expect(looks).toBe(0);
    await store.query({});
    expect(looks).toBeGreaterThan(0);
  });

  test("what was pruned makes no hole in what follows", async () => {
    const store = createMemoryRecords({ capacity: 3 });
    store.add(record("1"));
    store.add(record("2"));
    await store.prune({ maxBytes: 0 });
    for (const id of ["3", "4", "5", "6"]) store.add(record(id));
    expect((await store.query({})).records.map(({ id }) => id)).toEqual(["6", "5", "4"]);
  });

  test.each([0, -1, 1.5, Number.NaN])("a capacity of %s is refused", (capacity) => {
    expect(() => createMemoryRecords({ capacity })).toThrow(RangeError);
  });
});
