import { describe, expect, test } from "vitest";
import { three, timed, worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { describeMissingSources, readSourceReport } from "../../tool/index.ts";
import { toSourceMeta } from "./choice-meta.ts";

const page = (name: string) => ({ title: name, url: `https://${name}.example/`, snippet: "s" });
const finder = (name: string, run: () => unknown) => sampleTool(run, { name, capabilities: ["search"] });
const expired = () => fail("401 key expired", { code: "not_available", retry: "never" });

describe("[C20] metadata of a result in addition to its source", () => {
  test("the tools that failed are listed if others answered", async () => {
    const { call } = worldOf([finder("web", expired), finder("notes", () => ({ results: [page("n")] }))]);
    const result = await call("capability:search", { query: "x" });
    expect(result).toMatchObject({
      output: { results: [page("n")] },
      meta: {
        sources: ["notes"],
        failed: [{ tool: "web", code: "not_available", message: "401 key expired" }],
        failedCount: 1,
      },
    });
    expect(toSourceMeta(result)).toMatchObject({ sources: ["notes"], failed: [{ tool: "web" }] });
    expect(describeMissingSources(result.meta)).toBe("without web (not_available: 401 key expired)");
  });

  test("the tools that failed are listed if the others found nothing: that differs from nothing found", async () => {
    const { call } = worldOf([finder("web", expired), finder("notes", () => ({ results: [] }))]);
    expect(await call("capability:search", { query: "x" })).toMatchObject({
      output: { results: [] },
      meta: { sources: ["notes"], failed: [{ tool: "web", code: "not_available" }] },
    });
  });

  test("the tools that were not called are listed with the reason", async () => {
    const { call } = worldOf([finder("web", () => ({ results: [page("w")] })), finder("notes", () => ({}))], {
      permissions: { deny: ["notes"], allow: ["*"] },
    });
    expect(await call("capability:search", { query: "x" })).toMatchObject({
      meta: { sources: ["web"], skipped: [{ tool: "notes", message: "a rule denies it" }], skippedCount: 1 },
    });
  });

  test("candidates that were stopped because another was first are omitted", async () => {
    const racers = [timed(5, () => 1), timed(2_000, () => 2)];
    const { call } = worldOf(
      three(
        racers.map(({ run }) => run),
        { capabilities: ["calculate"] },
      ),
    );
    const { meta } = await call("work");
    expect([readSourceReport(meta)?.failed, "failed" in meta]).toEqual([[], false]);
  });

  test("at most five candidates of each group are listed, each in brief", async () => {
    const down = Array.from({ length: 8 }, (_, at) =>
      finder(`w${at}`, () => fail("no ".repeat(500), { retry: "never" })),
    );
    const { call } = worldOf([...down, finder("z", () => ({ results: [page("z")] }))]);
    const { meta } = await call("capability:search", { query: "x" });
    expect(readSourceReport(meta)?.failed.length).toBe(5);
    expect(meta["failedCount"]).toBe(8);
    expect(JSON.stringify(meta).length).toBeLessThan(2_000);
  });

  test("the metadata is read only in the right format: handlers may report anything", () => {
    const meta = { callId: "c", source: "tools", attempts: 1 };
    expect(readSourceReport(meta)).toBeUndefined();
    expect(readSourceReport({ ...meta, sources: "all" })).toBeUndefined();
    expect(readSourceReport({ ...meta, sources: [1] })).toBeUndefined();
    const odd = { ...meta, sources: ["a\u202e"], failed: [null, 1, { tool: 2 }, { tool: "t", message: "m", code: 3 }] };
    expect(readSourceReport(odd)).toEqual({
      sources: ["a"],
      synthesized: false,
      failed: [{ tool: "t", message: "m" }],
      skipped: [],
    });
  });
});

describe("[C15] the failure of many", () => {
  test("does not grow with their number: the first five are listed, the others counted", async () => {
    const tools = Array.from({ length: 300 }, (_, at) =>
      finder(`w${at}`, () => fail("x".repeat(5_000), { retry: "never" })),
    );
    const { call } = worldOf(tools);
    const result = await call("capability:search", { query: "x" });
    const { message, forModel } = result.success ? { message: "", forModel: "" } : result.error;
    expect(message).toMatch(/; and 295 more$/);
    expect(forModel).toContain("and 295 more");
    expect([message.length < 1_500, forModel.length < 1_500]).toEqual([true, true]);
  });
});

describe("[C12] data stays data", () => {
  const person = (email: string) => ({ email, notes: "n".repeat(5_000) });

  test("a second tool of the name does not make a text of an object, with a model or without", async () => {
    const synthesiser = () => Promise.resolve("one answer");
    for (const options of [{}, { synthesiser }]) {
      const { call } = worldOf(three([() => person("a@x"), () => person("b@x")]), options);
      expect(await call("work")).toMatchObject({
        output: person("a@x"),
        meta: { synthesized: false, sources: ["tools/work"] },
      });
      const mixed = worldOf(three([() => "text", () => person("b@x")]), options);
      expect(await mixed.call("work")).toMatchObject({ output: "text", meta: { synthesized: false } });
    }
  });
});
