import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractOutput, restoreOutput, readOutput } from "./extracted-output.ts";

const large = "x".repeat(300_000);

describe("the output of an event", () => {
  test("is found in the data by identity", () => {
    const output = { answer: 1 };
    const positioned = extractOutput({ kind: "call", twin: { answer: 1 }, result: { success: true, output } }, output);
    expect(positioned).toMatchObject({ outputPath: "result.output", large: null });
    expect(readOutput(positioned)).toBe('{"answer":1}');
  });

  test("is not found if it is missing, or not at a plain path", () => {
    const output = { answer: 1 };
    for (const data of [{ result: [output] }, { "a.b": output }, { a: { b: { c: { output } } } }, [output], output]) {
      expect(extractOutput(data, output).outputPath).toBeNull();
    }
    expect(extractOutput({ result: { output: undefined } }, undefined).outputPath).toBeNull();
    expect(extractOutput(undefined, output)).toEqual({ data: null, outputPath: null, large: null });
  });

  test("is stored separately when it is large, and put back", () => {
    const output = { text: large };
    const data = { kind: "call", result: { success: true, output, durationMs: 1 } };
    const positioned = extractOutput(data, output);
    expect(positioned.data).toBe('{"kind":"call","result":{"success":true,"output":null,"durationMs":1}}');
    expect(positioned.large === JSON.stringify(output)).toBe(true);
    expect(JSON.stringify(restoreOutput(positioned)) === JSON.stringify(data)).toBe(true);
  });

  test("large data without it is stored separately as a whole", () => {
    const positioned = extractOutput({ args: large }, "small");
    expect(positioned).toMatchObject({ data: null, outputPath: null });
    expect(JSON.stringify(restoreOutput(positioned)) === JSON.stringify({ args: large })).toBe(true);
  });

  test("measures bytes, not characters", () => {
    expect(extractOutput("é".repeat(120_000), undefined).large).toBeNull();
    expect(extractOutput("é".repeat(140_000), undefined).large).not.toBeNull();
  });

  test("any data comes back unchanged", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.constantFrom("output", "__proto__", "a b"),
        (other, output, key) => {
          const data = { other, result: Object.fromEntries([[key, output]]) };
          const positioned = extractOutput(data, output);
          expect(JSON.stringify(restoreOutput(positioned))).toBe(JSON.stringify(data));
          expect(readOutput(positioned)).toBe(positioned.outputPath === null ? null : JSON.stringify(output));
        },
      ),
    );
  });

  test("what JSON cannot express throws", () => {
    expect(() => extractOutput({ big: 1n }, undefined)).toThrow(TypeError);
  });
});
