import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeOutput, putOutput, readOutput } from "./placed-output.ts";

const large = "x".repeat(300_000);

describe("the output of an event", () => {
  test("is found in the data by identity", () => {
    const output = { answer: 1 };
    const placed = placeOutput({ kind: "call", twin: { answer: 1 }, result: { success: true, output } }, output);
    expect(placed).toMatchObject({ outputAt: "result.output", large: null });
    expect(readOutput(placed)).toBe('{"answer":1}');
  });

  test("is not found where it is not, or not by a plain way", () => {
    const output = { answer: 1 };
    for (const data of [{ result: [output] }, { "a.b": output }, { a: { b: { c: { output } } } }, [output], output]) {
      expect(placeOutput(data, output).outputAt).toBeNull();
    }
    expect(placeOutput({ result: { output: undefined } }, undefined).outputAt).toBeNull();
    expect(placeOutput(undefined, output)).toEqual({ data: null, outputAt: null, large: null });
  });

  test("is kept apart when it is large, and put back", () => {
    const output = { text: large };
    const data = { kind: "call", result: { success: true, output, durationMs: 1 } };
    const placed = placeOutput(data, output);
    expect(placed.data).toBe('{"kind":"call","result":{"success":true,"output":null,"durationMs":1}}');
    expect(placed.large === JSON.stringify(output)).toBe(true);
    expect(JSON.stringify(putOutput(placed)) === JSON.stringify(data)).toBe(true);
  });

  test("large data without it is kept apart as a whole", () => {
    const placed = placeOutput({ args: large }, "small");
    expect(placed).toMatchObject({ data: null, outputAt: null });
    expect(JSON.stringify(putOutput(placed)) === JSON.stringify({ args: large })).toBe(true);
  });

  test("measures bytes, not characters", () => {
    expect(placeOutput("é".repeat(120_000), undefined).large).toBeNull();
    expect(placeOutput("é".repeat(140_000), undefined).large).not.toBeNull();
  });

  test("whatever the data is, it comes back", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.constantFrom("output", "__proto__", "a b"),
        (other, output, key) => {
          const data = { other, result: Object.fromEntries([[key, output]]) };
          const placed = placeOutput(data, output);
          expect(JSON.stringify(putOutput(placed))).toBe(JSON.stringify(data));
          expect(readOutput(placed)).toBe(placed.outputAt === null ? null : JSON.stringify(output));
        },
      ),
    );
  });

  test("what JSON cannot express throws", () => {
    expect(() => placeOutput({ big: 1n }, undefined)).toThrow(TypeError);
  });
});
