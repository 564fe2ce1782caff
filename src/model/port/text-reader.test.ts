import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TextReaderOptions, createTextReader } from "./text-reader.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

/** Reads a text that arrives in the given chunks. */
function read(pieces: readonly string[], habits?: TextReaderOptions): { text: string; thinking: string } {
  const reader = createTextReader(habits);
  const state = { text: "", thinking: "" };
  for (const piece of [...pieces.flatMap((each) => reader.push(each)), ...reader.end()]) {
    state[piece.kind] += piece.text;
  }
  return state;
}

/** Splits a text at these offsets. */
function cuts(text: string, at: readonly number[]): string[] {
  const positions = [
    0,
    ...at.map((position) => Math.floor(position * text.length)).toSorted((a, b) => a - b),
    text.length,
  ];
  return positions.slice(1).map((end, index) => text.slice(positions[index], end));
}

const cases: [string, TextReaderOptions, { text: string; thinking: string }][] = [
  ["<think>I look.</think>\n\nNoon.", {}, { text: "Noon.", thinking: "I look." }],
  ["  <thinking>\nI <b>look</b> < 3.</thinking>Noon.", {}, { text: "Noon.", thinking: "I <b>look</b> < 3." }],
  ["◁think▷I look.◁/think▷Noon.", {}, { text: "Noon.", thinking: "I look." }],
  ["<think>a</think><think>b</think>c", {}, { text: "c", thinking: "ab" }],
  ["<think></think>\n\nNoon.", {}, { text: "Noon.", thinking: "" }],
  ["<think>never closed", {}, { text: "", thinking: "never closed" }],
  ["I look.</think>\nNoon.", { unopened: true, alwaysThinks: true }, { text: "Noon.", thinking: "I look." }],
  ["</think>\nNoon.", { unopened: true, alwaysThinks: true }, { text: "Noon.", thinking: "" }],
  ["<think>a</think>Then </think> is text", { unopened: true }, { text: "Then </think> is text", thinking: "a" }],
  ["I look.</think>\nNoon.", {}, { text: "I look.</think>\nNoon.", thinking: "" }],
  ["Tags like <think>these</think> are text.", {}, { text: "Tags like <think>these</think> are text.", thinking: "" }],
  ["assistant\nNoon.", {}, { text: "Noon.", thinking: "" }],
  ["Assistant:\r\nNoon.", {}, { text: "Noon.", thinking: "" }],
  ["assistant\n<think>x</think>Noon.", {}, { text: "Noon.", thinking: "x" }],
  ["<|im_start|>assistant\n<think>x</think>\nNoon.<|im_end|>\n", {}, { text: "Noon.", thinking: "x" }],
  ["<|start_header_id|>assistant<|end_header_id|>\n\nNoon.<|eot_id|>", {}, { text: "Noon.", thinking: "" }],
  ["Noon.</s>", {}, { text: "Noon.", thinking: "" }],
  ["<|im_end|> ends a turn.", {}, { text: "<|im_end|> ends a turn.", thinking: "" }],
  ["assistants are many", {}, { text: "assistants are many", thinking: "" }],
  ["Assistant: is a word here.", {}, { text: "Assistant: is a word here.", thinking: "" }],
  ["assistant", {}, { text: "assistant", thinking: "" }],
  ["< 3", {}, { text: "< 3", thinking: "" }],
  ["<thin", {}, { text: "<thin", thinking: "" }],
  ["  indented", {}, { text: "  indented", thinking: "" }],
  ["", {}, { text: "", thinking: "" }],
  ["  \n ", {}, { text: "", thinking: "" }],
  ["潮<t", {}, { text: "潮<t", thinking: "" }],
];

describe("[E14] thinking is separated from text", () => {
  test.each(cases)("%j", (text, habits, expected) => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (at) => {
        expect(read(cuts(text, at), habits)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
    expect(read(text.split(""), habits)).toEqual(expected);
  });

  test("a text without markers arrives unchanged, in any chunks", () => {
    const plain = fc
      .string({ unit: "binary" })
      .filter((text) => text.trim() !== "" && !/^\s*[<◁a]|<\||<\/s?/i.test(text));
    fc.assert(
      fc.property(plain, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (text, at) => {
        expect(read(cuts(text, at))).toEqual({ text, thinking: "" });
      }),
    );
  });

  test("text is held back no longer than needed to classify it", () => {
    const reader = createTextReader();
    expect(reader.push("N")).toEqual([{ kind: "text", text: "N" }]);
    expect(reader.push("oon <")).toEqual([{ kind: "text", text: "oon " }]);
    expect(reader.push("b>")).toEqual([{ kind: "text", text: "<b>" }]);
  });

  test.each([false, true])("a long text in small chunks is read in linear time (held back: %s)", (alwaysThinks) => {
    const reader = createTextReader({ unopened: true, alwaysThinks });
    const began = cpuTime();
    let length = 0;
    for (let piece = 0; piece < 100_000; piece++) for (const { text } of reader.push("a < b ")) length += text.length;
    for (const { text } of reader.end()) length += text.length;
    expect(length).toBe(600_000);
    expect(cpuTime() - began).toBeLessThan(2_000);
  });
});
