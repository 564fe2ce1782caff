import * as fc from "fast-check";
import { expect, test } from "vitest";
import { unitSuffix } from "./step-facts.ts";
import { callOfKey, isCompensationKey, outermostStep, stableKeyPart, stepPathOfKey } from "./parse-step-key.ts";

test.each([
  ["search#1", "search"],
  ["fetch-all[12]~3!2#4", "fetch-all"],
  ["store?", "store"],
  ["store#1?", "store"],
  ["poll#1@2", "poll"],
  ["sub^#1", "sub"],
  ["research[0]#1/搜索~2#1", "research[0]/搜索"],
  ["a~1!1#2/b#1/c[3]#1", "a/b/c"],
])("the key %s belongs to the step %s", (key, step) => {
  expect(stepPathOfKey(key)).toBe(step);
});

test.each([
  ["search#1", "search", { id: "search", call: "tool" }],
  ["fetch-all[12]~3!2#4", "fetch-all!2", { id: "fetch-all", call: 2 }],
  ["搜索^#1", "搜索^", { id: "搜索", call: "undo" }],
  ["a-1[0]~1#12", "a-1", { id: "a-1", call: "tool" }],
])("the key %s belongs to the call %s", (key, position, call) => {
  expect(stableKeyPart(key)).toBe(position);
  expect(callOfKey(position)).toEqual(call);
});

const id = fc.oneof(
  fc.constantFrom("a", "a二", "付款", "é-x", "a-1", "_", "Ünï_c0de--1", "क़दम"),
  fc.stringMatching(/^[\p{L}\p{M}\p{N}_]+(?:-+[\p{L}\p{M}\p{N}_]+)*$/u),
);
/** Position inside of a step, as keys write it. */
const position = fc
  .tuple(fc.option(fc.nat(99)), fc.nat(9), fc.integer({ min: -1, max: 3 }))
  .map(([index, round, fallback]) => unitSuffix(index === null ? undefined : { index, item: 0 }, round, fallback));
const call = fc.tuple(position, fc.integer({ min: 1, max: 9 })).map(([at, calls]) => `${at}#${calls}`);
const end = fc.oneof(
  call,
  call.map((at) => `${at}?`),
  call.map((at) => `${at}@0`),
  position.map((at) => `${at}?`),
  fc.constantFrom("^#1", "^#1?"),
);

test("every key of a run identifies its step, in any script", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, call), { maxLength: 3 }), id, end, (above, last, how) => {
      const key = [...above.map(([name, at]) => name + at), last + how].join("/");
      const path = [...above.map(([name, at]) => name + (/^\[\d+\]/.exec(at)?.[0] ?? "")), last];
      expect(stepPathOfKey(key)).toBe(path.join("/"));
      expect(outermostStep(key)).toBe(above[0]?.[0] ?? last);
      expect(isCompensationKey(key)).toBe(how.startsWith("^"));
    }),
  );
});

test.each(["!cancel", "!timeout", ""])("the key %j belongs to no step", (key) => {
  expect(outermostStep(key)).toBe("");
});
