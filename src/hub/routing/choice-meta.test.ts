import { describe, expect, test } from "vitest";
import { three, timed, worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { missingParts, toldSources } from "../../tool/index.ts";
import { toSourceMeta } from "./source-meta.ts";

const page = (name: string) => ({ title: name, url: `https://${name}.example/`, snippet: "s" });
const finder = (name: string, run: () => unknown) => sampleTool(run, { name, capabilities: ["search"] });
const expired = () => fail("401 key expired", { code: "not_available", retry: "never" });

describe("[C20] what is told of a result besides whose it is", () => {
  test("who failed, where others answered", async () => {
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
    expect(missingParts(result.meta)).toBe("without web (not_available: 401 key expired)");
  });

  test("who failed, where the rest found nothing: that is not the same as nothing found", async () => {
    const { call } = worldOf([finder("web", expired), finder("notes", () => ({ results: [] }))]);
    expect(await call("capability:search", { query: "x" })).toMatchObject({
      output: { results: [] },
      meta: { sources: ["notes"], failed: [{ tool: "web", code: "not_available" }] },
    });
  });

  test("who was not called, and why", async () => {
    const { call } = worldOf([finder("web", () => ({ results: [page("w")] })), finder("notes", () => ({}))], {
      permissions: { deny: ["notes"], allow: ["*"] },
    });
    expect(await call("capability:search", { query: "x" })).toMatchObject({
      meta: { sources: ["web"], passedOver: [{ tool: "notes", message: "a rule denies it" }], passedOverCount: 1 },
    });
  });

  test("nothing of those that were stopped because another was first", async () => {
    const racers = [timed(5, () => 1), timed(2_000, () => 2)];
    const { call } = worldOf(
      three(
        racers.map(({ run }) => run),
        { capabilities: ["calculate"] },
      ),
    );
    const { meta } = await call("work");
    expect([toldSources(meta)?.failed, "failed" in meta]).toEqual([[], false]);
  });

  test("no more than five of each, each in brief", async () => {
    const down = Array.from({ length: 8 }, (_, at) =>
      finder(`w${at}`, () => fail("no ".repeat(500), { retry: "never" })),
    );
    const { call } = worldOf([...down, finder("z", () => ({ results: [page("z")] }))]);
    const { meta } = await call("capability:search", { query: "x" });
    expect(toldSources(meta)?.failed.length).toBe(5);
    expect(meta["failedCount"]).toBe(8);
    expect(JSON.stringify(meta).length).toBeLessThan(2_000);
  });

  test("is read only where it has the form: handlers report what they like", () => {
    const meta = { callId: "c", source: "tools", attempts: 1 };
    expect(toldSources(meta)).toBeUndefined();
    expect(toldSources({ ...meta, sources: "all" })).toBeUndefined();
    expect(toldSources({ ...meta, sources: [1] })).toBeUndefined();
    const odd = { ...meta, sources: ["a\u202e"], failed: [null, 1, { tool: 2 }, { tool: "t", message: "m", code: 3 }] };
    expect(toldSources(odd)).toEqual({
      sources: ["a"],
      synthesized: false,
      failed: [{ tool: "t", message: "m" }],
      passedOver: [],
    });
  });
});

describe("[C15] the failure of many", () => {
  test("does not grow with them: the first five are told, the others counted", async () => {
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
