import { describe, expect, test } from "vitest";
import { createInMemoryRecords } from "./in-memory-records.ts";
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
  test("the oldest record is removed when the capacity is exceeded", async () => {
    const store = createInMemoryRecords({ capacity: 3 });
    for (const id of ["1", "2", "3", "4", "5"]) store.add(record(id));
    const page = await store.query({});
    expect(page.records.map(({ id }) => id)).toEqual(["5", "4", "3"]);
    expect(await store.statistics()).toMatchObject({ totalCalls: 3 });
  });

  test("paging continues although the ring buffer has wrapped around in the meantime", async () => {
    const store = createInMemoryRecords({ capacity: 4 });
    for (const id of ["1", "2", "3", "4"]) store.add(record(id));
    const first = await store.query({ limit: 2 });
    store.add(record("5"));
    const second = await store.query({ limit: 2, cursor: first.next ?? "" });
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(["4", "3", "2"]);
  });

  test("adding redacts nothing: redaction happens on read", async () => {
    let looks = 0;
    const store = createInMemoryRecords({
      redactor: { text: (text) => text, value: (value) => (looks++, value) },
    });
    store.add(record("1"));
    expect(looks).toBe(0);
    await store.query({});
    expect(looks).toBeGreaterThan(0);
  });

  test("[S7] the oldest records are removed when their values exceed the maximum of bytes", async () => {
    const store = createInMemoryRecords({ maxBytes: 1_000_000 });
    for (let id = 1; id <= 20; id++) store.add({ ...record(String(id)), output: "x".repeat(100_000) });
    const { records } = await store.query({});
    expect(records.map(({ id }) => id)).toEqual(["20", "19", "18", "17"]);
    await store.prune({ maxBytes: 0 });
    for (let id = 21; id <= 23; id++) store.add({ ...record(String(id)), output: "x".repeat(100_000) });
    expect((await store.query({})).records).toHaveLength(3);
  });

  test.each([
    ["text", "x".repeat(7_000_000)],
    ["list", Array.from({ length: 300_000 }, (_, index) => index)],
    ["object with toJSON", { toJSON: () => "y".repeat(1_000_000) }],
  ])("[S7] a large %s is stored as its preview when it is added", async (_kind, output) => {
    const store = createInMemoryRecords();
    const before = JSON.stringify(output).length;
    store.add({ ...record("1"), output, args: { small: 1 } });
    if (Array.isArray(output)) output.length = 0;
    const { records } = await store.query({});
    expect(records[0]).toMatchObject({ args: { small: 1 }, output: { $truncated: true, bytes: before } });
  });

  test("[S7] values that cannot be measured are stored as JSON would write them", async () => {
    const store = createInMemoryRecords();
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const output = {
      get bad(): never {
        throw new Error("no");
      },
    };
    store.add({ ...record("1"), args: circular, output, reported: { at: new Date(0) } });
    expect((await store.query({})).records[0]).toMatchObject({
      args: { $not_json: true },
      output: { $not_json: true },
      reported: { at: "1970-01-01T00:00:00.000Z" },
    });
  });

  test("pruned records leave no gap for later records", async () => {
    const store = createInMemoryRecords({ capacity: 3 });
    store.add(record("1"));
    store.add(record("2"));
    await store.prune({ maxBytes: 0 });
    for (const id of ["3", "4", "5", "6"]) store.add(record(id));
    expect((await store.query({})).records.map(({ id }) => id)).toEqual(["6", "5", "4"]);
  });

  test.each([0, -1, 1.5, Number.NaN])("a capacity or a maximum of bytes of %s is refused", (capacity) => {
    expect(() => createInMemoryRecords({ capacity })).toThrow(RangeError);
    expect(() => createInMemoryRecords({ maxBytes: capacity })).toThrow(RangeError);
  });
});
