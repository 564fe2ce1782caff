import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Pace } from "../../file/index.ts";
import { findPlaces } from "./find-places.ts";

async function placesOf(text: string, part: string): Promise<number[]> {
  const all: number[] = [];
  for await (const places of findPlaces(text, part, new Pace())) all.push(...places);
  return all;
}

function simply(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

test("places are those of a plain search, however long text and part are", async () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
  const part = fc.tuple(few, fc.integer({ min: 1, max: 600 })).map(([text, times]) => text.repeat(times));
  await fc.assert(
    fc.asyncProperty(part, fc.array(few, { maxLength: 20 }), async (part, between) => {
      const text = between.join(part) + part.repeat(3) + part.slice(1) + part;
      expect(await placesOf(text, part)).toEqual(simply(text, part));
    }),
    { numRuns: 200 },
  );
});

test("a part that begins in one window and ends in the next is found, and nothing twice", async () => {
  for (const at of [65_530, 65_535, 65_536, 131_069]) {
    const text = `${"x".repeat(at)}needle${"x".repeat(70_000)}`;
    expect(await placesOf(text, "needle")).toEqual([at]);
  }
  const text = "aa".repeat(100_000);
  expect(await placesOf(text, "aaa")).toEqual(simply(text, "aaa"));
  expect(await placesOf("abc", "")).toEqual([]);
});

test("what would take a plain search forever ends", async () => {
  const text = "a".repeat(2_000_000);
  expect(await placesOf(text, `${"a".repeat(100_000)}b${"a".repeat(100_000)}`)).toEqual([]);
  expect(await placesOf(text, "a".repeat(500_000))).toEqual([0, 500_000, 1_000_000, 1_500_000]);
});
