import { describe, expect, test } from "vitest";
import { z } from "zod";
import { worldOf } from "../../../test/support/candidates.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
// Otherwise the first call would load it, while the clock stands still.
import "./run-choice.ts";

const calculates = { capabilities: ["calculate"] };

describe("a candidate whose check of arguments", () => {
  const hanging = z.looseObject({}).refine(() => new Promise<boolean>(() => undefined));
  const broken = z.looseObject({}).refine(() => {
    throw new Error("the check is wrong");
  });

  test("hangs is skipped, and cools down in the end", async () => {
    const clock = new FakeClock();
    let checks = 0;
    const counting = z.looseObject({}).refine(() => new Promise<boolean>(() => void checks++));
    for (const capability of ["calculate", "job"]) {
      checks = 0;
      const more = { capabilities: [capability] };
      const { call } = worldOf(
        [
          sampleTool(() => ({ result: 1 }), { name: "a", ...more, input: counting }),
          sampleTool(() => ({ result: 2 }), { name: "b", ...more }),
          sampleTool(() => ({ result: 2 }), { name: "c", ...more }),
        ],
        { clock },
      );
      for (let at = 0; at < 3; at++) {
        const result = call(`capability:${capability}`, { expression: "1" });
        await clock.pass(2_000);
        expect(await result).toMatchObject({ success: true, output: { result: 2 } });
      }
      const before = checks;
      // No time passes any more.
      expect(await call(`capability:${capability}`, { expression: "1" })).toMatchObject({ output: { result: 2 } });
      expect(checks - before).toBeLessThan(2);
    }
  });

  test("hangs does not delay a call whose time is over", async () => {
    const tools = ["a", "b"].map((name) => sampleTool(() => 1, { name, ...calculates, input: hanging }));
    const { call } = worldOf(tools);
    const result = await call("capability:calculate", { expression: "1" }, { limitMs: 30 });
    expect(result).toMatchObject({ error: { code: "timeout" } });
    expect(result.durationMs).toBeLessThan(1_000);
  });

  test("breaks does not take them", async () => {
    const { call } = worldOf([
      { tool: sampleTool(() => 1, { name: "work", input: broken }) },
      { tool: sampleTool(() => 2, { name: "work" }), source: "skills" },
    ]);
    expect(await call("work")).toMatchObject({ output: 2, meta: { sources: ["skills/work"] } });
  });
});

describe("a candidate that is at work already", () => {
  test("is not called by a part of its own work", async () => {
    let calls = 0;
    const request = (name: string) =>
      sampleTool(
        async (_args, { callTool }) => {
          calls++;
          const found = await callTool("capability:search", { query: "q" });
          return found.success ? found.output : { results: [] };
        },
        { name, composite: true, capabilities: ["search"] },
      );
    const page = { title: "t", url: "https://a.example/", snippet: "s" };
    const leaf = sampleTool(() => ({ results: [page] }), { name: "leaf", capabilities: ["search"] });
    const { call } = worldOf([request("one"), request("two"), leaf]);
    expect(await call("capability:search", { query: "q" })).toMatchObject({ output: { results: [page] } });
    expect(calls).toBe(4);
  });

  test("a candidate that is the only one fails with that reason", async () => {
    const self = sampleTool(
      async (_args, { callTool }) => {
        const result = await callTool("capability:calculate", { expression: "1" });
        return result.success ? result.output : { result: result.error.message };
      },
      { name: "self", composite: true, ...calculates },
    );
    const { call, engine } = worldOf([self]);
    await call("capability:calculate", { expression: "1" });
    const { records } = await engine.queryRecords({});
    expect(records.length).toBe(3);
    expect(JSON.stringify(records)).toContain("not called, this call is a part of its own work");
  });
});
