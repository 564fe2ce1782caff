import { expect, test } from "vitest";
import { foldReasoning } from "./fold-reasoning.ts";
import { translateNotice } from "./translate-notice.ts";
import { emptyReasoningBlock } from "./reasoning-block.ts";

test("a notice is in the language of the prompt, and its quotes stay unchanged", () => {
  const instead = "fast gave no answer, and large was used instead: it answered 500 ($1)";
  expect(translateNotice(instead, "en")).toBe(instead);
  expect(translateNotice(instead, "zh")).toBe("fast 没有回答，改用 large：it answered 500 ($1)");
  expect(translateNotice('the time "刚才" was not understood; notes of all times were searched', "zh")).toBe(
    "看不懂时间“刚才”，已搜索全部笔记",
  );
});

test("[H19] the notices about filtered answers and calls in texts are translated", () => {
  for (const note of [
    "the answer was cut off by a content filter of the model's service",
    "the answer contains a tool call that the model wrote as text; it was not made",
  ]) {
    expect(translateNotice(note, "zh")).not.toMatch(/[a-z]/);
  }
});

test("a notice without a translation stays unchanged", () => {
  expect(translateNotice("something new", "zh")).toBe("something new");
});

test("the block of a Chinese prompt has its notices in Chinese", () => {
  const block = { ...emptyReasoningBlock, runId: "r", language: "zh" } as const;
  const note = { type: "notice", at: 1, runId: "r", text: "the answer cites none of the notes" } as const;
  expect(foldReasoning(block, note).steps[0]?.text).toBe("回答没有引用任何笔记");
});
