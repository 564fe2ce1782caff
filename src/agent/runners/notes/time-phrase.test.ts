import { describe, expect, test } from "vitest";
import { timeRange } from "../../../builtin/time/index.ts";
import { timePhraseIn, withoutTime } from "./time-phrase.ts";
import { cpuTime } from "../../../../test/support/cpu-time.ts";

const found: readonly (readonly [prompt: string, phrase: string, rest: string])[] = [
  ["What did I write about machine learning last week?", "last week", "What did I write about machine learning?"],
  ["Which ideas came up in the past 3 days", "past 3 days", "Which ideas came up"],
  ["What happened to the budget 3 weeks ago?", "3 weeks ago", "What happened to the budget?"],
  ["what changed since last Monday in the parser", "since last Monday", "what changed in the parser"],
  ["What did I think of it yesterday?", "yesterday", "What did I think of it?"],
  ["anything about rope this month", "this month", "anything about rope"],
  ["what was new recently?", "recently", "what was new?"],
  ["what did I log in March 2025 about tides?", "March 2025", "what did I log about tides?"],
  ["my notes of 2025-03-01 to 2025-03-15 on tides", "2025-03-01 to 2025-03-15", "my notes of on tides"],
  ["上周我写了哪些关于机器学习的笔记？", "上周", "我写了哪些关于机器学习的笔记？"],
  ["上周五的会议", "上周五", "的会议"],
  ["我最近三天写的钢琴笔记", "最近三天", "我写的钢琴笔记"],
  ["昨天关于React的想法", "昨天", "关于React的想法"],
  ["上个月的预算", "上个月", "的预算"],
  ["去年三月的计划", "去年三月", "的计划"],
  ["三个月前的计划", "三个月前", "的计划"],
  ["我2025年3月写的会议记录", "2025年3月", "我写的会议记录"],
  ["What did I do in March?", "March", "What did I do?"],
  ["What did I write on Monday?", "Monday", "What did I write?"],
  ["What did I note over the weekend?", "the weekend", "What did I note?"],
  ["What did I write on March 3rd?", "March 3rd", "What did I write?"],
  ["my notes of 3 March 2026 on tides", "3 March 2026", "my notes of on tides"],
  ["周一我写了什么", "周一", "我写了什么"],
  ["三月份我写了什么", "三月份", "我写了什么"],
  ["我11月3日做了什么", "11月3日", "我做了什么"],
  ["2025年三月的会议", "2025年三月", "的会议"],
  ["这几天写了什么", "这几天", "写了什么"],
  ["今年写了什么", "今年", "写了什么"],
  ["What did I write between 2026-11-01 and 2026-11-03?", "between 2026-11-01 and 2026-11-03", "What did I write?"],
  ["What happened from 2026/11/01 to 2026/11/03?", "2026/11/01 to 2026/11/03", "What happened?"],
  ["What did I write from Monday to Wednesday about tax?", "Monday to Wednesday", "What did I write about tax?"],
  ["What did I write on Monday and Wednesday?", "Monday to Wednesday", "What did I write?"],
  ["my notes from last Monday to yesterday", "last Monday to yesterday", "my notes"],
  ["notes from March 3rd through May 5th, 2026", "March 3rd through May 5th, 2026", "notes"],
  ["What did I write from March 3 to 5?", "March 3 to 5", "What did I write?"],
  ["what did I write since 2026-11-01?", "since 2026-11-01", "what did I write?"],
  ["notes before March 2026", "before March 2026", "notes"],
  ["What did I write in March and April?", "March to April", "What did I write?"],
  ["我11月1日至3日写了什么", "11月1日至3日", "我写了什么"],
  ["从周一到周三我写了什么", "周一到周三", "我写了什么"],
  ["昨天和今天我写了什么", "昨天到今天", "我写了什么"],
  ["上个月和这个月写了什么", "上个月到这个月", "写了什么"],
  ["11月1日之前的笔记", "早于11月1日", "的笔记"],
  ["11月1日以后写了什么", "晚于11月1日", "写了什么"],
];

describe("time phrases in a prompt", () => {
  test.each(found)("%s", (prompt, phrase, rest) => {
    const time = timePhraseIn(prompt);
    expect(time?.phrase).toBe(phrase);
    expect(time && withoutTime(prompt, time)).toBe(rest);
  });

  test("every one of them is a range that the time tool understands", () => {
    for (const [, phrase] of found) {
      const { startTime, endTime } = timeRange(phrase, { timezone: "UTC", now: "2026-11-15T12:00:00Z" });
      expect(endTime).toBeGreaterThan(startTime);
    }
  });

  test.each([
    "What did Napoleon do in 1812?",
    "What may I do in march?",
    "2024年的计划是什么",
    "我3月可以做什么？",
    "每周一写什么",
    "每周一到周五写什么",
    "Who works from Monday to Wednesday?",
    "Is the pass open between May and June?",
    "两周一次的笔记",
    "Where do I go on Monday?",
    "Who wins in May, April or June?",
    "the last mile problem",
    "this parser",
    "第一周期的运动",
    "how long is a week",
    "",
  ])("there is no time phrase in %s", (prompt) => {
    expect(timePhraseIn(prompt)).toBeUndefined();
  });

  test("a long hostile text is searched quickly", () => {
    const began = cpuTime();
    timePhraseIn("last ".repeat(100_000));
    timePhraseIn(`since the ${"the ".repeat(100_000)}`);
    timePhraseIn("最近".repeat(100_000));
    expect(cpuTime() - began).toBeLessThan(500);
  });
});
