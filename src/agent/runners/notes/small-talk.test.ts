import { expect, test } from "vitest";
import { isSmallTalk } from "../vault/extract-topic.ts";

test.each([
  "thanks",
  "Thank you so much!",
  "ok",
  "Okay, got it",
  "谢谢",
  "好的，谢谢你",
  "明白了",
  "太好了！",
  "👍",
  "…",
  "",
])("%j is only polite", (text) => expect(isSmallTalk(text)).toBe(true));

test.each([
  "thanks, and what about tides?",
  "Why?",
  "tell me more",
  "What is it?",
  "可以告诉我更多吗",
  "good bread",
  "对数函数",
  "thanks ".repeat(100),
])("%j is more than polite", (text) => expect(isSmallTalk(text)).toBe(false));
