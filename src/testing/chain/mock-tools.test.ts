import { describe, expect, test } from "vitest";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { mock, mockTools } from "./mock-tools.ts";

describe("mockTools", () => {
  test("a value, a function and a failure answer every call, and their arguments are recorded", async () => {
    const tools = mockTools([], {
      value: { list: [1] },
      double: ({ n }) => Number(n) * 2,
      broken: fail("the service is down", { code: "not_available" }),
    });
    const engine = createEngine({ tools });
    const call = (name: string, args: object = {}) => engine.call(name, args, { maxRetries: 0 });
    expect(await call("value")).toMatchObject({ output: { list: [1] } });
    expect(await call("double", { n: 4, more: true })).toMatchObject({ output: 8 });
    expect(await call("broken")).toMatchObject({ error: { code: "not_available", message: "the service is down" } });
    expect(tools.argsOf("double")).toEqual([{ n: 4, more: true }]);
    expect(tools.calls.map(({ tool }) => tool)).toEqual(["value", "double", "broken"]);
  });

  test("a list of answers is used in order, and a call beyond its end fails", async () => {
    const tools = mockTools([], { t: mock({ answers: [fail("no"), 2, () => 3] }) });
    const engine = createEngine({ tools });
    const results = [];
    for (let i = 0; i < 4; i++) results.push(await engine.call("t", {}, { maxRetries: 0 }));
    expect(results.map((result) => (result.success ? result.output : result.error.message))).toEqual([
      "no",
      2,
      3,
      "the mock of t has 3 answers, and was called once more",
    ]);
  });

  test("a list as a value is an output like any other, and each call gets its own copy", async () => {
    const answer = [{ a: 1 }];
    const engine = createEngine({ tools: mockTools([], { t: answer }) });
    const result = await engine.call("t", {});
    expect(result).toMatchObject({ output: [{ a: 1 }] });
    if (result.success) (result.output as { a: number }[])[0]!.a = 2;
    expect(answer).toEqual([{ a: 1 }]);
  });

  test("every tool that a chain names has a mock; the behavior of * applies to tools not named", async () => {
    const spec = {
      name: "c",
      steps: [
        { id: "a", tool: "one", compensate: { tool: "undo" } },
        { id: "b", tool: "two", error_handling: { fallback: [{ tool: "three" }] } },
      ],
      error_handling: { fallback: [{ tool: "four" }] },
    };
    const tools = mockTools(spec, { two: mock({ effect: "once", output: { type: "string" }, answer: "x" }), "*": 0 });
    expect([...tools].map(({ name, effect }) => [name, effect])).toEqual([
      ["one", "pure"],
      ["undo", "pure"],
      ["two", "once"],
      ["three", "pure"],
      ["four", "pure"],
    ]);
    expect(await createEngine({ tools }).call("four", {})).toMatchObject({ output: 0 });
  });

  test("a mock without an answer says so when it is called; an unknown name in argsOf gets a suggestion", async () => {
    const tools = mockTools(["web_search"]);
    const result = await createEngine({ tools }).call("web_search", {}, { maxRetries: 0 });
    expect(result).toMatchObject({
      error: { code: "not_available", message: expect.stringContaining("has no answer") },
    });
    expect(() => tools.argsOf("web_serch")).toThrow("did you mean web_search?");
  });
});
