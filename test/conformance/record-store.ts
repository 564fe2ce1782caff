import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CallRecord, type RecordRedactor, type RecordStore, toBriefSummary } from "../../src/store/index.ts";
import { failedRecord, sampleRecord } from "./sample-record.ts";

/** Settings with which the suite opens a store. */
export interface StoreSetting {
  readonly redactor: RecordRedactor;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const secret = "hunter2secret";
const redactor: RecordRedactor = {
  text: (text) => text.replaceAll(secret, "[redacted]"),
  label: (text) => text.replaceAll(secret, "[redacted]"),
  value: (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, "[redacted]")),
};

/** An open store, and a function that closes it. */
export interface OpenRecords {
  readonly records: RecordStore;
  close(): Promise<void>;
}

/** Conformance suite of record stores. `open` returns an empty store. */
export function recordStoreConformance(name: string, open: (setting: StoreSetting) => Promise<OpenRecords>): void {
  describe(`${name} record store`, () => {
    let opened: OpenRecords;
    let store: RecordStore;
    let now = 2_000_000_000_000;

    beforeEach(async () => {
      now = 2_000_000_000_000;
      opened = await open({ redactor, now: () => now });
      store = opened.records;
    });
    afterEach(() => opened.close());

    const addAll = (records: readonly CallRecord[]): void => records.forEach((record) => store.add(record));
    const idsOf = (records: readonly CallRecord[]): string[] => records.map(({ id }) => id);

    test("an empty store answers everything", async () => {
      await store.flush();
      expect(await store.query({})).toEqual({ records: [] });
      expect(await store.summary("none")).toEqual({
        conversationId: "none",
        totalCalls: 0,
        successfulCalls: 0,
        failedCalls: 0,
        successRate: 100,
        toolUsage: {},
      });
      expect(await store.statistics()).toEqual({
        totalCalls: 0,
        successfulCalls: 0,
        failedCalls: 0,
        successRate: 100,
        failures: {},
        tools: [],
      });
      expect(await store.prune({ maxAgeMs: 0, maxBytes: 0 })).toMatchObject({ records: 0 });
    });

    test("[B14] a record comes back as it was added, without waiting for a flush", async () => {
      const success = sampleRecord({
        args: { text: '你好 \u{1f600} "quoted" \n', list: [1, null, { deep: true }] },
        output: { rows: [[]], empty: "" },
        cached: true,
        attempts: 3,
        callerType: "conversation_agent",
        callerId: "agent-1",
        principal: "ann",
        conversationId: "c1",
        workflowId: "w1",
        parentId: "p1",
        reported: { tokensUsed: 12 },
      });
      const failure = failedRecord("timeout", { callerType: "mcp_client" });
      addAll([success, failure]);
      expect((await store.query({})).records).toEqual([failure, success]);
    });

    test("the newest come first, and among those of one moment the one added last", async () => {
      addAll([
        sampleRecord({ id: "b", createdAt: 200 }),
        sampleRecord({ id: "a", createdAt: 100 }),
        sampleRecord({ id: "d", createdAt: 300 }),
        sampleRecord({ id: "c", createdAt: 200 }),
      ]);
      expect(idsOf((await store.query({})).records)).toEqual(["d", "c", "b", "a"]);
    });

    test("[B14] records are found by conversation, tool, caller, status, failure code and time", async () => {
      addAll([
        sampleRecord({ id: "1", createdAt: 1, conversationId: "c1", tool: "a", callerType: "direct" }),
        sampleRecord({ id: "2", createdAt: 2, conversationId: "c2", tool: "a", callerId: "x" }),
        failedRecord("timeout", { id: "3", createdAt: 3, conversationId: "c1", tool: "b", callerType: "mcp_client" }),
        failedRecord("execution_error", { id: "4", createdAt: 4, tool: "b", callerId: "x" }),
        sampleRecord({ id: "5", createdAt: 5, tool: "c", callerType: "workflow_node", callerId: "y" }),
      ]);
      const found = async (query: Parameters<RecordStore["query"]>[0]): Promise<string> =>
        idsOf((await store.query(query)).records).join("");
      expect(await found({ conversationId: "c1" })).toBe("31");
      expect(await found({ tool: "b" })).toBe("43");
      expect(await found({ callerType: "mcp_client" })).toBe("3");
      expect(await found({ callerId: "x" })).toBe("42");
      expect(await found({ status: "success" })).toBe("521");
      expect(await found({ status: "failure" })).toBe("43");
      expect(await found({ code: "timeout" })).toBe("3");
      expect(await found({ since: 2, until: 4 })).toBe("32");
      expect(await found({ conversationId: "c1", tool: "b", status: "failure", code: "timeout", since: 3 })).toBe("3");
      expect(await found({ conversationId: "c1", status: "success", until: 3 })).toBe("1");
      expect(await found({ id: "4" })).toBe("4");
      expect(await found({ id: "4", tool: "a" })).toBe("");
      expect(await found({ tool: "nobody's" })).toBe("");
      expect(await found({ since: Number.NaN })).toBe("");
      expect(await found({ since: -Infinity, until: Infinity })).toBe("54321");
    });

    test("[S16] secrets in names and ids are redacted, and the records are still found by them", async () => {
      const labels = { tool: `t-${secret}`, callerId: `c-${secret}`, conversationId: `v-${secret}`, principal: secret };
      store.add(sampleRecord(labels));
      const { records } = await store.query({ ...labels, callerType: sampleRecord().callerType });
      expect(records).toHaveLength(1);
      expect(JSON.stringify(records)).not.toContain(secret);
      expect(await store.statistics({ tool: labels.tool })).toMatchObject({ tools: [{ tool: "t-[redacted]" }] });
      expect(await store.summary(labels.conversationId)).toMatchObject({ toolUsage: { "t-[redacted]": 1 } });
    });

    test("a page holds 100 records by default, and at least 1 and at most 1,000", async () => {
      addAll(Array.from({ length: 1100 }, () => sampleRecord()));
      const sizes = [undefined, 7, 0, -5, 2.9, Number.NaN, 99_999].map(async (limit) => {
        const page = await store.query(limit === undefined ? {} : { limit });
        expect(page.next).toBeTypeOf("string");
        return page.records.length;
      });
      expect(await Promise.all(sizes)).toEqual([100, 7, 1, 1, 2, 100, 1000]);
    });

    test("paging gives every record once, although others arrive in the meantime", async () => {
      // Times repeat, and late ones arrive: calls end in another order than they began.
      const before = Array.from({ length: 50 }, (_, i) =>
        sampleRecord({ createdAt: 1000 + (i % 7), conversationId: "c" }),
      );
      addAll(before);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.query({ conversationId: "c", limit: 9, ...(cursor !== undefined && { cursor }) });
        seen.push(...idsOf(page.records));
        cursor = page.next;
        addAll([
          sampleRecord({ createdAt: 5000, conversationId: "c" }),
          sampleRecord({ createdAt: 1003, tool: "other" }),
        ]);
      } while (cursor !== undefined);
      expect(seen).toHaveLength(50);
      expect(new Set(seen)).toEqual(new Set(idsOf(before)));
    });

    test("the last page has no next, also when it is exactly full", async () => {
      addAll(Array.from({ length: 6 }, () => sampleRecord()));
      const first = await store.query({ limit: 3 });
      const second = await store.query({ limit: 3, cursor: first.next! });
      expect(second.records).toHaveLength(3);
      expect(second).not.toHaveProperty("next");
    });

    test.each(["", "x", "e30", "WzEsMl0x", "WyJhIiwyXQ", "WzEuNSwxLjVd", "' OR 1=1 --"])(
      "an invalid cursor is rejected: %s",
      async (cursor) => {
        await expect(store.query({ cursor })).rejects.toMatchObject({ code: "validation_error", reason: "bad_cursor" });
      },
    );

    test("[B14] a summary counts the calls of one conversation", async () => {
      addAll([
        ...Array.from({ length: 5 }, () => sampleRecord({ conversationId: "c", tool: "http_request" })),
        ...Array.from({ length: 4 }, () => sampleRecord({ conversationId: "c", tool: "echo" })),
        failedRecord("timeout", { conversationId: "c", tool: "calculator" }),
        failedRecord("timeout", { conversationId: "other" }),
      ]);
      const summary = await store.summary("c");
      expect(summary).toEqual({
        conversationId: "c",
        totalCalls: 10,
        successfulCalls: 9,
        failedCalls: 1,
        successRate: 90,
        toolUsage: { http_request: 5, echo: 4, calculator: 1 },
      });
      expect(toBriefSummary(summary)).toEqual({
        totalCalls: 10,
        successRate: 90,
        toolUsage: { http_request: 5, echo: 4, calculator: 1 },
        hasErrors: true,
      });
    });

    test("[B14] statistics give counts, failures and nearest-rank percentiles per tool", async () => {
      const shuffled = Array.from({ length: 200 }, (_, i) => ((i * 77) % 200) + 1);
      addAll(shuffled.map((ms) => sampleRecord({ tool: "slow", durationMs: ms })));
      addAll([sampleRecord({ tool: "one", durationMs: 4 }), failedRecord("timeout", { tool: "two", durationMs: 10 })]);
      addAll([
        failedRecord("execution_error", { tool: "two", durationMs: 20 }),
        failedRecord("timeout", { tool: "two" }),
      ]);
      const statistics = await store.statistics();
      expect(statistics).toMatchObject({ totalCalls: 204, successfulCalls: 201, failedCalls: 3 });
      expect(statistics.failures).toEqual({ timeout: 2, execution_error: 1 });
      expect(statistics.tools).toEqual([
        {
          tool: "slow",
          calls: 200,
          failures: 0,
          successRate: 100,
          averageMs: 100.5,
          p50Ms: 100,
          p95Ms: 190,
          p99Ms: 198,
        },
        { tool: "two", calls: 3, failures: 3, successRate: 0, averageMs: 10.5, p50Ms: 10, p95Ms: 20, p99Ms: 20 },
        { tool: "one", calls: 1, failures: 0, successRate: 100, averageMs: 4, p50Ms: 4, p95Ms: 4, p99Ms: 4 },
      ]);
    });

    test("a call that waits for an approval does not count as a failure, and is counted when it runs", async () => {
      const about = { tool: "send", conversationId: "c" };
      addAll([failedRecord("approval_required", about), sampleRecord(about)]);
      expect(await store.statistics()).toMatchObject({ totalCalls: 1, failedCalls: 0, failures: {} });
      expect(await store.summary("c")).toMatchObject({ totalCalls: 1, failedCalls: 0, toolUsage: { send: 1 } });
    });

    test("statistics can be limited to a tool and a time", async () => {
      addAll([1, 2, 3, 4].map((createdAt) => sampleRecord({ createdAt, tool: createdAt === 3 ? "b" : "a" })));
      expect(await store.statistics({ since: 2, until: 4 })).toMatchObject({ totalCalls: 2 });
      expect((await store.statistics({ tool: "a", since: 2 })).tools).toMatchObject([{ tool: "a", calls: 2 }]);
    });

    test("tools are counted under any name", async () => {
      addAll(
        ["__proto__", "constructor", "toString", "a\0b"].map((tool) => sampleRecord({ tool, conversationId: "c" })),
      );
      const { toolUsage } = await store.summary("c");
      expect(Object.entries(toolUsage)).toEqual([
        ["__proto__", 1],
        ["a\0b", 1],
        ["constructor", 1],
        ["toString", 1],
      ]);
      expect((await store.query({ tool: "a\0b" })).records).toMatchObject([{ tool: "a\0b" }]);
    });

    test("no secret can be read back", async () => {
      addAll([
        sampleRecord({ args: { a: secret }, output: [secret], reported: { note: secret } }),
        failedRecord("timeout", { error: { code: "timeout", message: secret, forModel: secret, retry: "safe" } }),
        sampleRecord({ args: { toJSON: () => ({ hidden: secret }) } }),
        sampleRecord({ output: { text: `${"x".repeat(100)}${secret}${"y".repeat(400_000)}` } }),
      ]);
      const text = JSON.stringify(await store.query({}));
      expect(text).not.toContain(secret);
      expect(text).toContain("[redacted]");
    });

    test("a large value is stored as a preview", async () => {
      const fits = "x".repeat(262_000);
      addAll([sampleRecord({ args: fits }), sampleRecord({ output: { text: "é".repeat(200_000) } })]);
      const [cut, whole] = (await store.query({})).records;
      expect(whole?.args).toBe(fits);
      expect(cut?.output).toMatchObject({ $truncated: true, bytes: 400_011 });
      expect(cut?.output).toHaveProperty("preview", expect.stringMatching(/^\{"text":"é{1000,2000}/u));
    });

    test("a large failure keeps its code and the beginning of its message", async () => {
      const message = "no ".repeat(200_000);
      const error = { code: "timeout", message, forModel: message, retry: "safe" } as const;
      store.add(failedRecord("timeout", { error }));
      const [record] = (await store.query({ code: "timeout" })).records;
      expect(record?.error).toMatchObject({ code: "timeout", retry: "safe" });
      expect(record?.error?.message).toMatch(/^(no ){600}.*…$/);
      expect(record?.error?.message.length).toBeLessThan(2100);
    });

    test("a value that JSON cannot express does not affect the others", async () => {
      const circular: Record<string, unknown> = {};
      circular["self"] = circular;
      let deep: unknown = 0;
      for (let i = 0; i < 50_000; i++) deep = [deep];
      const hostile: unknown[] = [
        10n,
        circular,
        deep,
        () => 1,
        Symbol("s"),
        { toJSON: () => { throw new Error("no"); } }, // prettier-ignore
        { get x(): never { throw new Error("no"); } }, // prettier-ignore
        new Proxy({}, { ownKeys: () => { throw new Error("no"); } }), // prettier-ignore
      ];
      addAll(hostile.map((value) => sampleRecord({ args: value, output: value, conversationId: "hostile" })));
      addAll([sampleRecord({ conversationId: "hostile", output: "fine" })]);
      await store.flush();
      const { records } = await store.query({ conversationId: "hostile" });
      expect(records).toHaveLength(hostile.length + 1);
      expect(records[0]).toMatchObject({ output: "fine" });
      for (const { args, output } of records.slice(1)) {
        expect(args).toEqual({ $not_json: true, reason: expect.any(String) });
        expect(output).toEqual(args);
      }
    });

    test("odd numbers, halves of characters and endless names are stored as well as possible", async () => {
      addAll([
        sampleRecord({
          durationMs: Number.NaN,
          queuedMs: Infinity,
          attempts: 1e300,
          createdAt: Number.NaN,
          tool: "odd",
        }),
        sampleRecord({ tool: "x\ud800y", args: "\udc00", conversationId: "n".repeat(100_000) }),
        sampleRecord({ args: undefined, output: undefined, tool: "none" }),
      ]);
      const odd = await store.query({ tool: "odd" });
      expect(odd.records).toMatchObject([{ durationMs: 0, queuedMs: 0, attempts: 0, createdAt: 0 }]);
      const long = await store.query({ conversationId: "n".repeat(100_000), tool: "x\ud800y" });
      expect(long.records).toMatchObject([{ tool: "x\ufffdy", args: "\udc00", conversationId: "n".repeat(1000) }]);
      const [none] = (await store.query({ tool: "none" })).records;
      expect(none?.args).toBeUndefined();
      expect(none).not.toHaveProperty("output");
    });

    test("a page of large records is shorter, and paging still gives them all", async () => {
      const large = "x".repeat(250_000);
      addAll(Array.from({ length: 60 }, () => sampleRecord({ args: large })));
      const first = await store.query({ limit: 1000 });
      expect(first.records.length).toBeLessThan(60);
      const second = await store.query({ limit: 1000, cursor: first.next! });
      expect(first.records.length + second.records.length).toBe(60);
    });

    test("changing a value that was read does not change the stored value", async () => {
      const record = sampleRecord({ output: { list: [1] } });
      store.add(record);
      const { output } = (await store.query({})).records[0]!;
      (output as { list: number[] }).list.push(2);
      expect((await store.query({})).records).toEqual([record]);
    });

    test("pruning by age removes only older records", async () => {
      addAll([
        sampleRecord({ id: "old", createdAt: now - 1001 }),
        sampleRecord({ id: "edge", createdAt: now - 1000 }),
        sampleRecord({ id: "new", createdAt: now }),
      ]);
      expect(await store.prune({ maxAgeMs: 1000 })).toMatchObject({ records: 1 });
      expect(idsOf((await store.query({})).records)).toEqual(["new", "edge"]);
      expect(await store.prune({})).toMatchObject({ records: 0 });
    });

    test("pruning by size removes the oldest first", async () => {
      const output = "x".repeat(10_000);
      addAll(Array.from({ length: 300 }, (_, i) => sampleRecord({ id: `${i}`, createdAt: 1000 + i, output })));
      const pruned = await store.prune({ maxBytes: 1_500_000 });
      const left = (await store.query({ limit: 1000 })).records;
      expect(pruned.records).toBe(300 - left.length);
      expect(pruned.bytes).toBeGreaterThan(1_000_000);
      expect(left.length).toBeGreaterThan(50);
      expect(left.length).toBeLessThan(150);
      expect(left[0]?.id).toBe("299");
      expect(await store.prune({ maxBytes: 0 })).toMatchObject({ records: left.length });
      expect(await store.query({})).toEqual({ records: [] });
    });

    test("paging continues after earlier records were pruned and others were added", async () => {
      addAll(Array.from({ length: 4 }, (_, i) => sampleRecord({ createdAt: 1000 + i })));
      const { next } = await store.query({ limit: 2 });
      await store.prune({ maxBytes: 0 });
      addAll([sampleRecord({ createdAt: 9000 })]);
      expect(await store.query({ cursor: next! })).toEqual({ records: [] });
    });

    test.each([{ maxAgeMs: Number.NaN }, { maxBytes: Number.NaN }, { maxAgeMs: -1 }, { maxBytes: -1 }])(
      "an invalid retention removes nothing: %o",
      async (retention) => {
        store.add(sampleRecord());
        await expect(store.prune(retention)).rejects.toMatchObject({ code: "validation_error" });
        expect((await store.query({})).records).toHaveLength(1);
      },
    );

    test("flushing with nothing to write resolves, and so do many flushes at once", async () => {
      await Promise.all([store.flush(), store.flush()]);
      store.add(sampleRecord());
      await Promise.all([store.flush(), store.flush(), store.flush()]);
      expect((await store.query({})).records).toHaveLength(1);
    });
  });
}
