import { expect, test } from "vitest";
import { foldReasoning } from "./fold-reasoning.ts";
import { noteWords } from "./note-words.ts";
import { noReasoning } from "./reasoning-block.ts";

test("a note is in the language of the question, and what it quotes stays as it is", () => {
  const instead = "fast gave no answer, and large was asked instead: it answered 500 ($1)";
  expect(noteWords(instead, "en")).toBe(instead);
  expect(noteWords(instead, "zh")).toBe("fast 没有回答，改问了 large：it answered 500 ($1)");
  expect(noteWords('the time "刚才" was not understood; notes of all times were searched', "zh")).toBe(
    "看不懂时间“刚才”，已搜索全部笔记",
  );
});

test("one that there are no words for is told as it is", () => {
  expect(noteWords("something new", "zh")).toBe("something new");
});

test("the block of a Chinese question has its notes in Chinese", () => {
  const block = { ...noReasoning, runId: "r", language: "zh" } as const;
  const note = { type: "note", at: 1, runId: "r", text: "the answer cites none of the notes" } as const;
  expect(foldReasoning(block, note).steps[0]?.text).toBe("回答没有引用任何笔记");
});
