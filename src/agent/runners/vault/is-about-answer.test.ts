import { expect, test } from "vitest";
import { isAboutAnswer } from "./extract-topic.ts";

test.each([
  "Shorter please",
  "Answer in German",
  "and in Chinese?",
  "Translate your answer to Chinese",
  "translate that to Chinese",
  "What does the second sentence mean?",
  "Explain point 2 in more detail",
  "Say that again in one sentence",
  "Can you elaborate?",
  "用英文再说一遍",
  "翻译成德语",
  "再详细一点",
  "能不能再简短一点",
  "第二条是什么意思",
  "什么意思？",
  "用一句话概括",
  "换个说法",
  "帮我翻译成英文",
  "给我说得更简单一点",
])("%j is about the answer before", (text) => expect(isAboutAnswer(text)).toBe(true));

test.each([
  "German?",
  "What did I write in German?",
  "Which notes are in German?",
  "Translate the recipe for pancakes to German",
  "shorter days",
  "What does entropy mean?",
  "What about the budget?",
  "我用英文写了什么",
  "量子引力是什么意思",
  "What does “Shorter” mean?",
  "why?",
  "",
])("%j is not about the answer before", (text) => expect(isAboutAnswer(text)).toBe(false));
