import { describe, expect, test } from "vitest";
import { salientTerms, widestTerms } from "./salient-terms.ts";

describe("[E02] salient terms by rule", () => {
  test.each<readonly [string, readonly string[]]>([
    ["What did I write about machine learning last week?", ["machine learning", "machine", "learning"]],
    ['Find my notes about "tide mills" and piano', ["tide mills", "tide", "mills", "piano"]],
    ["Tell me about Dr. Wu's parser", ["Wu's parser", "Dr", "Wu", "parser"]],
    ["notes on GPT-4, please", ["GPT-4", "GPT"]],
    ["see https://example.com/a?b=c and mail me@vault.com about rope", ["mail", "rope"]],
    ["@vault tide mills", ["tide mills", "tide", "mills"]],
    ["What did my notes say about quantum gravity?", ["quantum gravity", "quantum", "gravity"]],
    ["How long did I work on the cathedral?", ["cathedral"]],
    ["What was new yesterday?", []],
    ["What did I do at work?", ["work"]],
    ["my trip to New York", ["New York", "trip", "New", "York"]],
    ["C++ or C#?", ["C++", "C#"]],
    ["What does arr[3] hold?", ["arr", "hold"]],
    ["my goals for 2024", ["goals", "2024"]],
    ["What is on 2026-11-03?", ["2026-11-03"]],
    ["What did I write between 2026-11-01 and 2026-11-03?", []],
    ["What's on for next week?", ["next week"]],
    ["tomorrow's plan", ["plan"]],
    ["What is 42?", ["42"]],
    ["What is it?", []],
    ["", []],
  ])("%s", (prompt, terms) => {
    expect(salientTerms(prompt)).toEqual(terms);
  });

  test.each<readonly [string, readonly string[]]>([
    ["上周我写了哪些关于机器学习的笔记？", ["机器学习", "机器", "学习"]],
    ["@vault 潮汐磨坊的历史是什么", ["潮汐磨坊", "潮汐", "磨坊", "历史"]],
    ["我对《红楼梦》有什么想法？", ["红楼梦", "想法"]],
    ["用 Python 写的爬虫在哪里", ["Python", "爬虫"]],
    ["2024年的计划是什么", ["2024年", "计划"]],
    ["我的笔记里关于量子引力写了什么？", ["量子引力", "量子", "引力"]],
    ["昨天发生了什么", []],
    ["上个月的马拉松训练怎么样", ["马拉松训练", "马拉松", "训练"]],
    ["准确率 97% 是哪篇", ["准确率"]],
    ["明天要做什么", ["明天"]],
    ["下周的安排", ["安排"]],
    ["请帮我找一下笔记", []],
  ])("%s", (prompt, terms) => {
    expect(salientTerms(prompt)).toEqual(terms);
  });

  test("the widest of them contain all others", () => {
    expect(widestTerms(["tide mills", "Tide", "mills", "piano"])).toEqual(["tide mills", "piano"]);
  });

  test("the number and length of terms are limited", () => {
    const terms = salientTerms(Array.from({ length: 500 }, (_, index) => `word${index},`).join(" "));
    expect(terms).toHaveLength(12);
    expect(salientTerms("x".repeat(100_000))).toEqual([]);
    expect(salientTerms("constructor __proto__ toString")).toContain("constructor");
  });
});
