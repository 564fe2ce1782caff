import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EventLoopYielder } from "../../base/index.ts";
import { findOccurrences } from "./apply-edits.ts";

async function positionsOf(text: string, part: string): Promise<number[]> {
  const all: number[] = [];
  for await (const positions of findOccurrences(text, part, new EventLoopYielder())) all.push(...positions);
  return all;
}

function simply(text: string, part: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at);
  return positions;
}

test("the offsets are those of a plain search, for any lengths of text and part", async () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
  const part = fc.tuple(few, fc.integer({ min: 1, max: 600 })).map(([text, times]) => text.repeat(times));
  await fc.assert(
    fc.asyncProperty(part, fc.array(few, { maxLength: 20 }), async (part, between) => {
      const text = between.join(part) + part.repeat(3) + part.slice(1) + part;
      expect(await positionsOf(text, part)).toEqual(simply(text, part));
    }),
    { numRuns: 200 },
  );
});

test("a part that begins in one window and ends in the next is found, and nothing twice", async () => {
  for (const at of [65_530, 65_535, 65_536, 131_069]) {
    const text = `${"x".repeat(at)}needle${"x".repeat(70_000)}`;
    expect(await positionsOf(text, "needle")).toEqual([at]);
  }
  const text = "aa".repeat(100_000);
  expect(await positionsOf(text, "aaa")).toEqual(simply(text, "aaa"));
  expect(await positionsOf("abc", "")).toEqual([]);
});

test("input that would take a plain search forever is searched quickly", async () => {
  const text = "a".repeat(2_000_000);
  expect(await positionsOf(text, `${"a".repeat(100_000)}b${"a".repeat(100_000)}`)).toEqual([]);
  expect(await positionsOf(text, "a".repeat(500_000))).toEqual([0, 500_000, 1_000_000, 1_500_000]);
});
