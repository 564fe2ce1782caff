import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FailureError, isFailureError } from "../../base/index.ts";
import { tokenize } from "./phrase/tokenize.ts";
import { Unclear } from "./phrase/token.ts";
import { timeRange } from "./time-range.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

type Row = readonly [phrase: string, start: string, end: string];

/** Returns the range of the phrase, as ISO strings in UTC. */
function rangeOf(phrase: string, timezone: string, now: string): { start: string; end: string } {
  const { startTime, endTime } = timeRange(phrase, { timezone, now });
  return { start: new Date(startTime).toISOString(), end: new Date(endTime).toISOString() };
}

function check(timezone: string, now: string, rows: readonly Row[]): void {
  test.each(rows)(`%s is %s up to %s`, (phrase, start, end) => {
    const utc = (text: string): string => new Date(text === "now" ? now : text).toISOString();
    expect(rangeOf(phrase, timezone, now)).toEqual({ start: utc(start), end: utc(end) });
  });
}

function failureOf(phrase: string, timezone = "UTC", now: number | string = "2026-11-15T10:00Z"): FailureError {
  try {
    timeRange(phrase, { timezone, now });
  } catch (error) {
    if (isFailureError(error)) return error;
    throw error;
  }
  throw new Error(`${phrase} is understood`);
}

describe("All time, on Tuesday 31 March 2026", () => {
  const phrases = ["all time", "of all time", "Ever", "any time", "anytime", "all dates"];
  const chinese = ["有史以来", "所有时间", "所有時間", "任何时候", "一直以来", "不限时间"];
  const rows = [...phrases, ...chinese].map((phrase): Row => [phrase, "1970-01-01T00:00Z", "now"]);
  check("Europe/Berlin", "2026-03-31T10:30:00+02:00", [
    ...rows,
    ["ever since Monday", "2026-03-30T00:00+02:00", "now"],
  ]);

  test.each(["all time Monday", "yesterday ever", "ever to ever", "一直上周"])("%s is not understood", (phrase) => {
    expect(failureOf(phrase)).toMatchObject({ reason: "not_understood" });
  });
});

describe("Lengths up to now contain today and whole days before it:", () => {
  check("Europe/Berlin", "2026-03-31T10:30:00+02:00", [
    ["last 7 days", "2026-03-24T00:00+01:00", "now"],
    ["past 7 days", "2026-03-24T00:00+01:00", "now"],
    ["最近7天", "2026-03-24T00:00+01:00", "now"],
    ["last 1 day", "2026-03-30T00:00+02:00", "now"],
  ]);
});

// The clocks went forward on Sunday 29 March.
describe("English, in Berlin, on Tuesday 31 March 2026", () => {
  check("Europe/Berlin", "2026-03-31T10:30:00+02:00", [
    ["today", "2026-03-31T00:00+02:00", "2026-04-01T00:00+02:00"],
    ["Yesterday", "2026-03-30T00:00+02:00", "2026-03-31T00:00+02:00"],
    ["the day before yesterday", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["tomorrow", "2026-04-01T00:00+02:00", "2026-04-02T00:00+02:00"],
    ["the day after tomorrow", "2026-04-02T00:00+02:00", "2026-04-03T00:00+02:00"],
    ["this week", "2026-03-30T00:00+02:00", "2026-04-06T00:00+02:00"],
    ["last week", "2026-03-23T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["the previous week", "2026-03-23T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["the week before last", "2026-03-16T00:00+01:00", "2026-03-23T00:00+01:00"],
    ["next week", "2026-04-06T00:00+02:00", "2026-04-13T00:00+02:00"],
    ["this month", "2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00"],
    ["last month", "2026-02-01T00:00+01:00", "2026-03-01T00:00+01:00"],
    ["next month", "2026-04-01T00:00+02:00", "2026-05-01T00:00+02:00"],
    ["this quarter", "2026-01-01T00:00+01:00", "2026-04-01T00:00+02:00"],
    ["last quarter", "2025-10-01T00:00+02:00", "2026-01-01T00:00+01:00"],
    ["past 3 days", "2026-03-28T00:00+01:00", "now"],
    ["in the last three days", "2026-03-28T00:00+01:00", "now"],
    ["the last few days", "2026-03-28T00:00+01:00", "now"],
    ["past week", "2026-03-24T00:00+01:00", "now"],
    ["over the past two weeks", "2026-03-17T00:00+01:00", "now"],
    ["last month's 5th", "2026-02-05T00:00+01:00", "2026-02-06T00:00+01:00"],
    ["past month", "2026-02-28T00:00+01:00", "now"],
    ["last 48 hours", "2026-03-29T10:30+02:00", "now"],
    ["past hour", "2026-03-31T09:30+02:00", "now"],
    ["last 90 minutes", "2026-03-31T09:00+02:00", "now"],
    ["half an hour", "2026-03-31T10:00+02:00", "now"],
    ["7d", "2026-03-24T00:00+01:00", "now"],
    ["24h", "2026-03-30T10:30+02:00", "now"],
    ["recently", "2026-03-24T00:00+01:00", "now"],
    ["next 3 days", "now", "2026-04-04T00:00+02:00"],
    ["Sunday", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["on Tuesday", "2026-03-31T00:00+02:00", "2026-04-01T00:00+02:00"],
    ["last Tuesday", "2026-03-24T00:00+01:00", "2026-03-25T00:00+01:00"],
    ["last Sunday", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["next Tuesday", "2026-04-07T00:00+02:00", "2026-04-08T00:00+02:00"],
    ["this Friday", "2026-04-03T00:00+02:00", "2026-04-04T00:00+02:00"],
    ["Friday last week", "2026-03-27T00:00+01:00", "2026-03-28T00:00+01:00"],
    ["last week's Friday", "2026-03-27T00:00+01:00", "2026-03-28T00:00+01:00"],
    ["last weekend", "2026-03-28T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["this weekend", "2026-04-04T00:00+02:00", "2026-04-06T00:00+02:00"],
    ["3 days ago", "2026-03-28T00:00+01:00", "2026-03-29T00:00+01:00"],
    ["a week ago", "2026-03-23T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["two months ago", "2026-01-01T00:00+01:00", "2026-02-01T00:00+01:00"],
    ["in 2 days", "2026-04-02T00:00+02:00", "2026-04-03T00:00+02:00"],
    ["2 days from now", "2026-04-02T00:00+02:00", "2026-04-03T00:00+02:00"],
    ["three hours ago", "2026-03-31T07:00+02:00", "2026-03-31T08:00+02:00"],
    ["since Sunday", "2026-03-29T00:00+01:00", "now"],
    ["since three hours ago", "2026-03-31T07:30+02:00", "now"],
    ["since 2 weeks ago", "2026-03-17T00:00+01:00", "now"],
    ["since March 1", "2026-03-01T00:00+01:00", "now"],
    ["from 2026-03-28 onwards", "2026-03-28T00:00+01:00", "now"],
    ["after March 28", "2026-03-29T00:00+01:00", "now"],
    ["before 2026", "1970-01-01T00:00Z", "2026-01-01T00:00+01:00"],
    ["until yesterday", "1970-01-01T00:00Z", "2026-03-31T00:00+02:00"],
    ["this week so far", "2026-03-30T00:00+02:00", "now"],
    ["earlier today", "2026-03-31T00:00+02:00", "now"],
    ["yesterday from 9am to 11am", "2026-03-30T09:00+02:00", "2026-03-30T11:00+02:00"],
    ["so far this month", "2026-03-01T00:00+01:00", "now"],
    ["year to date", "2026-01-01T00:00+01:00", "now"],
    ["YTD", "2026-01-01T00:00+01:00", "now"],
    ["in March", "2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00"],
    ["May", "2025-05-01T00:00+02:00", "2025-06-01T00:00+02:00"],
    ["last March", "2025-03-01T00:00+01:00", "2025-04-01T00:00+02:00"],
    ["next March", "2027-03-01T00:00+01:00", "2027-04-01T00:00+02:00"],
    ["March last year", "2025-03-01T00:00+01:00", "2025-04-01T00:00+02:00"],
    ["late March", "2026-03-21T00:00+01:00", "2026-04-01T00:00+02:00"],
    ["March 29", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["Sunday, 29th of March, 2026", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["Mar. 28 - 30", "2026-03-28T00:00+01:00", "2026-03-31T00:00+02:00"],
    ["28 to 30 March 2026", "2026-03-28T00:00+01:00", "2026-03-31T00:00+02:00"],
    ["between March 28 and March 30", "2026-03-28T00:00+01:00", "2026-03-31T00:00+02:00"],
    ["from Saturday to Monday", "2026-03-28T00:00+01:00", "2026-03-31T00:00+02:00"],
    ["Monday to Friday last week", "2026-03-23T00:00+01:00", "2026-03-28T00:00+01:00"],
    ["2026-03-29", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["29.3.2026", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["3/29/2026", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["20260329", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["2026-03", "2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00"],
    ["2026-03-28 to 2026-03-29", "2026-03-28T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["2026-03-28/2026-03-29", "2026-03-28T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["2026-03-28..2026-03-29", "2026-03-28T00:00+01:00", "2026-03-30T00:00+02:00"],
    ["this morning", "2026-03-31T06:00+02:00", "2026-03-31T12:00+02:00"],
    ["yesterday afternoon", "2026-03-30T12:00+02:00", "2026-03-30T18:00+02:00"],
    ["last night", "2026-03-30T18:00+02:00", "2026-03-31T06:00+02:00"],
    ["Saturday night", "2026-03-28T18:00+01:00", "2026-03-29T06:00+02:00"],
    ["yesterday at 3pm", "2026-03-30T15:00+02:00", "2026-03-30T16:00+02:00"],
    ["12am", "2026-03-31T00:00+02:00", "2026-03-31T01:00+02:00"],
    ["yesterday 9am to 5:30 p.m.", "2026-03-30T09:00+02:00", "2026-03-30T17:30+02:00"],
    ["yesterday 10pm to 2am", "2026-03-30T22:00+02:00", "2026-03-31T02:00+02:00"],
    ["between 9:00 and 17:00 yesterday", "2026-03-30T09:00+02:00", "2026-03-30T17:00+02:00"],
    ["since 8:15", "2026-03-31T08:15+02:00", "now"],
    ["2026-03-29T01:00 to 2026-03-29T04:00", "2026-03-29T01:00+01:00", "2026-03-29T04:00+02:00"],
    ["2026-03-29T00:30:00Z to now", "2026-03-29T00:30Z", "now"],
    ["2026-03-29T02:30+01:00", "2026-03-29T01:30Z", "2026-03-29T01:31Z"],
    ["from yesterday until tomorrow", "2026-03-30T00:00+02:00", "2026-04-02T00:00+02:00"],
    ["now to Friday", "now", "2026-04-04T00:00+02:00"],
    ["ＬＡＳＴ　７　ＤＡＹＳ", "2026-03-24T00:00+01:00", "now"],
  ]);
});

// New York is still in 2025 when London is not; its clocks go back on 2 November 2025.
describe("English, in New York, half an hour into 2026", () => {
  check("America/New_York", "2026-01-01T00:30:00-05:00", [
    ["today", "2026-01-01T00:00-05:00", "2026-01-02T00:00-05:00"],
    ["yesterday", "2025-12-31T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["this week", "2025-12-29T00:00-05:00", "2026-01-05T00:00-05:00"],
    ["last month", "2025-12-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["last year", "2025-01-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["this year", "2026-01-01T00:00-05:00", "2027-01-01T00:00-05:00"],
    ["next year", "2027-01-01T00:00-05:00", "2028-01-01T00:00-05:00"],
    ["the year before last", "2024-01-01T00:00-05:00", "2025-01-01T00:00-05:00"],
    ["last quarter", "2025-10-01T00:00-04:00", "2026-01-01T00:00-05:00"],
    ["Q4", "2025-10-01T00:00-04:00", "2026-01-01T00:00-05:00"],
    ["Q1", "2026-01-01T00:00-05:00", "2026-04-01T00:00-04:00"],
    ["Q3 2025", "2025-07-01T00:00-04:00", "2025-10-01T00:00-04:00"],
    ["2025Q3", "2025-07-01T00:00-04:00", "2025-10-01T00:00-04:00"],
    ["third quarter of 2025", "2025-07-01T00:00-04:00", "2025-10-01T00:00-04:00"],
    ["second quarter last year", "2025-04-01T00:00-04:00", "2025-07-01T00:00-04:00"],
    ["first half of 2025", "2025-01-01T00:00-05:00", "2025-07-01T00:00-04:00"],
    ["H2 2025", "2025-07-01T00:00-04:00", "2026-01-01T00:00-05:00"],
    ["Q2 to Q3 2025", "2025-04-01T00:00-04:00", "2025-10-01T00:00-04:00"],
    ["March 2025", "2025-03-01T00:00-05:00", "2025-04-01T00:00-04:00"],
    ["2025", "2025-01-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["the year 2025", "2025-01-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["2024-2025", "2024-01-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["December", "2025-12-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["January", "2026-01-01T00:00-05:00", "2026-02-01T00:00-05:00"],
    ["November to February", "2025-11-01T00:00-04:00", "2026-03-01T00:00-05:00"],
    ["Nov to Feb 2025", "2024-11-01T00:00-04:00", "2025-03-01T00:00-05:00"],
    ["November 2, 2025", "2025-11-02T00:00-04:00", "2025-11-03T00:00-05:00"],
    ["2 November 2025 1am", "2025-11-02T01:00-04:00", "2025-11-02T02:00-05:00"],
    ["Dec 30 to Jan 2", "2025-12-30T00:00-05:00", "2026-01-03T00:00-05:00"],
    ["29 Feb", "2024-02-29T00:00-05:00", "2024-03-01T00:00-05:00"],
    ["week 1", "2025-12-29T00:00-05:00", "2026-01-05T00:00-05:00"],
    ["2025-W52", "2025-12-22T00:00-05:00", "2025-12-29T00:00-05:00"],
    ["week 52 of 2025", "2025-12-22T00:00-05:00", "2025-12-29T00:00-05:00"],
    ["past 2 years", "2024-01-01T00:00-05:00", "now"],
    ["past decade", "2016-01-01T00:00-05:00", "now"],
    ["last fortnight", "2025-12-18T00:00-05:00", "now"],
    ["last 12 months", "2025-01-01T00:00-05:00", "now"],
    ["last hour", "2025-12-31T23:30-05:00", "now"],
    ["this hour", "2026-01-01T00:00-05:00", "2026-01-01T01:00-05:00"],
    ["an hour ago", "2025-12-31T23:00-05:00", "2026-01-01T00:00-05:00"],
    ["Wednesday to tomorrow", "2025-12-31T00:00-05:00", "2026-01-03T00:00-05:00"],
    ["the 31st", "2025-12-31T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["last night", "2025-12-31T18:00-05:00", "2026-01-01T06:00-05:00"],
    ["month to date", "2026-01-01T00:00-05:00", "now"],
  ]);
});

describe("Chinese, in Shanghai, on Sunday 15 November 2026", () => {
  check("Asia/Shanghai", "2026-11-15T10:30:00+08:00", [
    ["今天", "2026-11-15T00:00+08:00", "2026-11-16T00:00+08:00"],
    ["昨天", "2026-11-14T00:00+08:00", "2026-11-15T00:00+08:00"],
    ["前天", "2026-11-13T00:00+08:00", "2026-11-14T00:00+08:00"],
    ["大前天", "2026-11-12T00:00+08:00", "2026-11-13T00:00+08:00"],
    ["明天", "2026-11-16T00:00+08:00", "2026-11-17T00:00+08:00"],
    ["后天", "2026-11-17T00:00+08:00", "2026-11-18T00:00+08:00"],
    ["本周", "2026-11-09T00:00+08:00", "2026-11-16T00:00+08:00"],
    ["这个星期", "2026-11-09T00:00+08:00", "2026-11-16T00:00+08:00"],
    ["上周", "2026-11-02T00:00+08:00", "2026-11-09T00:00+08:00"],
    ["上一周", "2026-11-02T00:00+08:00", "2026-11-09T00:00+08:00"],
    ["上上周", "2026-10-26T00:00+08:00", "2026-11-02T00:00+08:00"],
    ["下周", "2026-11-16T00:00+08:00", "2026-11-23T00:00+08:00"],
    ["下個禮拜", "2026-11-16T00:00+08:00", "2026-11-23T00:00+08:00"],
    ["本月", "2026-11-01T00:00+08:00", "2026-12-01T00:00+08:00"],
    ["上个月", "2026-10-01T00:00+08:00", "2026-11-01T00:00+08:00"],
    ["上月", "2026-10-01T00:00+08:00", "2026-11-01T00:00+08:00"],
    ["上上个月", "2026-09-01T00:00+08:00", "2026-10-01T00:00+08:00"],
    ["下个月", "2026-12-01T00:00+08:00", "2027-01-01T00:00+08:00"],
    ["上个月5号", "2026-10-05T00:00+08:00", "2026-10-06T00:00+08:00"],
    ["去年", "2025-01-01T00:00+08:00", "2026-01-01T00:00+08:00"],
    ["今年", "2026-01-01T00:00+08:00", "2027-01-01T00:00+08:00"],
    ["本年度", "2026-01-01T00:00+08:00", "2027-01-01T00:00+08:00"],
    ["前两年", "2024-11-15T00:00+08:00", "now"],
    ["前年", "2024-01-01T00:00+08:00", "2025-01-01T00:00+08:00"],
    ["明年", "2027-01-01T00:00+08:00", "2028-01-01T00:00+08:00"],
    ["本季度", "2026-10-01T00:00+08:00", "2027-01-01T00:00+08:00"],
    ["上个季度", "2026-07-01T00:00+08:00", "2026-10-01T00:00+08:00"],
    ["今年第三季度", "2026-07-01T00:00+08:00", "2026-10-01T00:00+08:00"],
    ["2025年第3季度", "2025-07-01T00:00+08:00", "2025-10-01T00:00+08:00"],
    ["2025年三季度", "2025-07-01T00:00+08:00", "2025-10-01T00:00+08:00"],
    ["去年上半年", "2025-01-01T00:00+08:00", "2025-07-01T00:00+08:00"],
    ["今年下半年", "2026-07-01T00:00+08:00", "2027-01-01T00:00+08:00"],
    ["最近三天", "2026-11-12T00:00+08:00", "now"],
    ["最近３天", "2026-11-12T00:00+08:00", "now"],
    ["最近三天内", "2026-11-12T00:00+08:00", "now"],
    ["近七天", "2026-11-08T00:00+08:00", "now"],
    ["过去两周", "2026-11-01T00:00+08:00", "now"],
    ["過去兩週", "2026-11-01T00:00+08:00", "now"],
    ["过去的一个月", "2026-10-15T00:00+08:00", "now"],
    ["最近十二个月", "2025-11-15T00:00+08:00", "now"],
    ["最近半年", "2026-05-15T00:00+08:00", "now"],
    ["最近半个月", "2026-10-31T00:00+08:00", "now"],
    ["过去24小时", "2026-11-14T10:30+08:00", "now"],
    ["最近半小时", "2026-11-15T10:00+08:00", "now"],
    ["前三天", "2026-11-12T00:00+08:00", "now"],
    ["这几天", "2026-11-12T00:00+08:00", "now"],
    ["最近", "2026-11-08T00:00+08:00", "now"],
    ["一周内", "2026-11-08T00:00+08:00", "now"],
    ["三年来", "2023-11-15T00:00+08:00", "now"],
    ["未来三天", "now", "2026-11-19T00:00+08:00"],
    ["三天前", "2026-11-12T00:00+08:00", "2026-11-13T00:00+08:00"],
    ["两周前", "2026-10-26T00:00+08:00", "2026-11-02T00:00+08:00"],
    ["两个月之前", "2026-09-01T00:00+08:00", "2026-10-01T00:00+08:00"],
    ["两年前的三月", "2024-03-01T00:00+08:00", "2024-04-01T00:00+08:00"],
    ["三天后", "2026-11-18T00:00+08:00", "2026-11-19T00:00+08:00"],
    ["上周五", "2026-11-06T00:00+08:00", "2026-11-07T00:00+08:00"],
    ["上个星期五", "2026-11-06T00:00+08:00", "2026-11-07T00:00+08:00"],
    ["本周三", "2026-11-11T00:00+08:00", "2026-11-12T00:00+08:00"],
    ["下周一上午", "2026-11-16T06:00+08:00", "2026-11-16T12:00+08:00"],
    ["周五", "2026-11-13T00:00+08:00", "2026-11-14T00:00+08:00"],
    ["星期天", "2026-11-15T00:00+08:00", "2026-11-16T00:00+08:00"],
    ["上周末", "2026-11-07T00:00+08:00", "2026-11-09T00:00+08:00"],
    ["上周一到周五", "2026-11-02T00:00+08:00", "2026-11-07T00:00+08:00"],
    ["三月", "2026-03-01T00:00+08:00", "2026-04-01T00:00+08:00"],
    ["十二月", "2025-12-01T00:00+08:00", "2026-01-01T00:00+08:00"],
    ["三月份", "2026-03-01T00:00+08:00", "2026-04-01T00:00+08:00"],
    ["去年三月", "2025-03-01T00:00+08:00", "2025-04-01T00:00+08:00"],
    ["去年的12月31号", "2025-12-31T00:00+08:00", "2026-01-01T00:00+08:00"],
    ["2025年", "2025-01-01T00:00+08:00", "2026-01-01T00:00+08:00"],
    ["2025年3月", "2025-03-01T00:00+08:00", "2025-04-01T00:00+08:00"],
    ["２０２５年３月", "2025-03-01T00:00+08:00", "2025-04-01T00:00+08:00"],
    ["二〇二五年三月五日", "2025-03-05T00:00+08:00", "2025-03-06T00:00+08:00"],
    ["2025年3月5日 星期三", "2025-03-05T00:00+08:00", "2025-03-06T00:00+08:00"],
    ["25年3月", "2025-03-01T00:00+08:00", "2025-04-01T00:00+08:00"],
    ["2025年第12周", "2025-03-17T00:00+08:00", "2025-03-24T00:00+08:00"],
    ["3月5日", "2026-03-05T00:00+08:00", "2026-03-06T00:00+08:00"],
    ["三月中旬", "2026-03-11T00:00+08:00", "2026-03-21T00:00+08:00"],
    ["本月底", "2026-11-21T00:00+08:00", "2026-12-01T00:00+08:00"],
    ["2025/3/5", "2025-03-05T00:00+08:00", "2025-03-06T00:00+08:00"],
    ["2025年3月到5月", "2025-03-01T00:00+08:00", "2025-06-01T00:00+08:00"],
    ["2024年11月至2月", "2024-11-01T00:00+08:00", "2025-03-01T00:00+08:00"],
    ["3月5日到10日", "2026-03-05T00:00+08:00", "2026-03-11T00:00+08:00"],
    ["从3月5日到昨天", "2026-03-05T00:00+08:00", "2026-11-15T00:00+08:00"],
    ["2025-03-01～2025-03-15", "2025-03-01T00:00+08:00", "2025-03-16T00:00+08:00"],
    ["三月和五月之间", "2026-03-01T00:00+08:00", "2026-06-01T00:00+08:00"],
    ["今年以来", "2026-01-01T00:00+08:00", "now"],
    ["年初至今", "2026-01-01T00:00+08:00", "now"],
    ["从上周五开始", "2026-11-06T00:00+08:00", "now"],
    ["自2025年3月起", "2025-03-01T00:00+08:00", "now"],
    ["2025年3月至今", "2025-03-01T00:00+08:00", "now"],
    ["从昨天到现在", "2026-11-14T00:00+08:00", "now"],
    ["上周五之后", "2026-11-07T00:00+08:00", "now"],
    ["2025年之前", "1970-01-01T00:00Z", "2025-01-01T00:00+08:00"],
    ["三月前", "1970-01-01T00:00Z", "2026-03-01T00:00+08:00"],
    ["截至昨天", "1970-01-01T00:00Z", "2026-11-15T00:00+08:00"],
    ["昨天下午", "2026-11-14T12:00+08:00", "2026-11-14T18:00+08:00"],
    ["昨晚", "2026-11-14T18:00+08:00", "2026-11-15T06:00+08:00"],
    ["今天上午", "2026-11-15T06:00+08:00", "2026-11-15T12:00+08:00"],
    ["昨天9点到11点", "2026-11-14T09:00+08:00", "2026-11-14T11:00+08:00"],
    ["昨天下午3点半到5点", "2026-11-14T15:30+08:00", "2026-11-14T17:00+08:00"],
    ["昨晚8点到12点", "2026-11-14T20:00+08:00", "2026-11-15T00:00+08:00"],
    ["昨天15:00到16:30", "2026-11-14T15:00+08:00", "2026-11-14T16:30+08:00"],
    ["三天前到昨天", "2026-11-12T00:00+08:00", "2026-11-15T00:00+08:00"],
  ]);
});

describe("Chinese, in Berlin, on Monday 26 October 2026, a day of 25 hours ago", () => {
  check("Europe/Berlin", "2026-10-26T09:00:00+01:00", [
    ["昨天", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"],
    ["上周", "2026-10-19T00:00+02:00", "2026-10-26T00:00+01:00"],
    ["最近三天", "2026-10-23T00:00+02:00", "now"],
    ["过去24小时", "2026-10-25T09:00+01:00", "now"],
    ["上周日", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"],
    ["10月25日2点", "2026-10-25T02:00+02:00", "2026-10-25T03:00+01:00"],
  ]);
});

describe("Chinese, in New York, half an hour into 2026", () => {
  check("America/New_York", "2026-01-01T00:30:00-05:00", [
    ["今天", "2026-01-01T00:00-05:00", "2026-01-02T00:00-05:00"],
    ["昨天", "2025-12-31T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["上周", "2025-12-22T00:00-05:00", "2025-12-29T00:00-05:00"],
    ["本周", "2025-12-29T00:00-05:00", "2026-01-05T00:00-05:00"],
    ["上个月", "2025-12-01T00:00-05:00", "2026-01-01T00:00-05:00"],
    ["去年第四季度", "2025-10-01T00:00-04:00", "2026-01-01T00:00-05:00"],
    ["最近一年", "2025-01-01T00:00-05:00", "now"],
    ["11月到2月", "2025-11-01T00:00-04:00", "2026-03-01T00:00-05:00"],
  ]);
});

// Samoa left out Friday 30 December 2011.
describe("In Apia, on Saturday 31 December 2011", () => {
  check("Pacific/Apia", "2011-12-31T12:00:00+14:00", [
    ["today", "2011-12-31T00:00+14:00", "2012-01-01T00:00+14:00"],
    ["yesterday", "2011-12-29T00:00-10:00", "2011-12-31T00:00+14:00"],
    ["昨天", "2011-12-29T00:00-10:00", "2011-12-31T00:00+14:00"],
    ["this week", "2011-12-26T00:00-10:00", "2012-01-02T00:00+14:00"],
    ["past 3 days", "2011-12-28T00:00-10:00", "now"],
  ]);

  test("the skipped day contains no time", () => {
    expect(failureOf("2011-12-30", "Pacific/Apia").reason).toBe("empty_range");
  });
});

describe("A day whose midnight is skipped by the clocks begins at the jump", () => {
  check("America/Sao_Paulo", "2018-11-04T12:00:00-02:00", [
    ["today", "2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00"],
    ["yesterday", "2018-11-03T00:00-03:00", "2018-11-04T01:00-02:00"],
  ]);
});

describe("A midnight that occurs twice counts the first time", () => {
  check("America/Havana", "2025-11-02T12:00:00-05:00", [
    ["today", "2025-11-02T00:00-04:00", "2025-11-03T00:00-05:00"],
    ["yesterday", "2025-11-01T00:00-04:00", "2025-11-02T00:00-04:00"],
  ]);
});

describe("What is not understood", () => {
  test.each([
    "",
    "   ",
    "the",
    "soon",
    "上周的会议",
    "上半个月",
    "前三季度",
    "2025年前三季度",
    "前季度",
    "2025-02-30",
    "2025-13-01",
    "31 February",
    "2月30日",
    "3/5/2025",
    "Monday, March 5, 2025",
    "25:00",
    "13pm",
    "last",
    "上",
    "第",
    "between March",
    "March and May",
    "to",
    "since",
    "last friday next week",
    "today yesterday",
    "Q5",
    "2025年第五季度",
    "week 60",
    "2025-W53",
    "5",
    "this month's 31st",
    "99999999 days",
    "0025",
    "中",
    "底",
    "half",
    "2 and a half",
    "1.5 weeks ago",
    "half a second ago",
    "两三天前",
    "十几天",
    "2025年上旬",
    "by Friday",
    "week of March",
    "the 90s",
    "a to b",
    "monday to tuesday to friday",
    "last 0.3 months",
    "<script>",
    "\u0000",
    "\ud800",
    "😀",
    "__proto__",
    "constructor",
    "toString",
  ])("%j is refused, with examples", (phrase) => {
    const failure = failureOf(phrase);
    expect(failure).toMatchObject({ code: "validation_error", reason: "not_understood" });
    expect(failure.message).toContain("最近三天");
    expect(failure.issues?.[0]?.path).toEqual(["description"]);
    expect(failure.toFailure().retry).toBe("never");
  });

  test.each([
    ["since tomorrow", "empty_range"],
    ["after today", "empty_range"],
    ["2025-03-05 to 2025-03-01", "empty_range"],
    ["before 1950", "empty_range"],
    ["past 9999999999 hours", "not_understood"],
    ["last 5000 years", "out_of_range"],
    ["past 9999999 days", "out_of_range"],
    ["past 9999999 decades", "out_of_range"],
    ["9999999 months ago", "out_of_range"],
    ["9999-12-31 to now", "empty_range"],
    [`today ${"x".repeat(300)}`, "too_long"],
  ])("%s: %s", (phrase, reason) => {
    expect(failureOf(phrase).reason).toBe(reason);
  });

  test.each(["Mars/Olympus", "", "x".repeat(10_000), "CET-99", "+99:00", "\u0000"])(
    "the zone %j is refused",
    (timezone) => {
      expect(failureOf("today", timezone)).toMatchObject({ code: "validation_error", reason: "bad_timezone" });
    },
  );

  test("the advice is a separate sentence", () => {
    expect(failureOf("today", "Mars").message).toContain('there is no time zone "Mars". Use an IANA name');
    expect(failureOf("today", "Europe/Berln").message).toContain('; did you mean "Europe/Berlin"? Use an IANA name');
  });

  test("a similar zone name is suggested", () => {
    expect(failureOf("today", "Asia/Shangai").message).toContain('did you mean "Asia/Shanghai"?');
  });

  test.each(["yesterday", "2026-02-30", "2026-01-01T25:00", "", Number.NaN, Infinity])(
    "the time %j is refused as now",
    (now) => {
      expect(failureOf("today", "UTC", now).reason).toBe("bad_now");
    },
  );
});

test.each([
  ["UTC+8", "+08:00"],
  ["GMT-3:30", "-03:30"],
  ["+8", "+08:00"],
  ["asia/shanghai", "+08:00"],
  ["UTC", "+00:00"],
])("the zone may be written %s", (timezone, offset) => {
  const { startTime } = timeRange("2026-11-15", { timezone });
  expect(startTime).toBe(Date.parse(`2026-11-15T00:00:00${offset}`));
});

describe("For any text", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Pacific/Apia", "Australia/Lord_Howe"];
  const words =
    "last this next past past coming week month day days year quarter hours 3 5 31 2025 12 march friday today since " +
    "until between and to from ago in q3 h1 late am pm 9:30 2025-03-05 before after now weekend 上 下 本 最近 三 十 月 周 天 " +
    "日 号 年 第 季度 个 前 后 之前 以来 到 和 之间 去年 昨天 周五 下午 点 半 上旬 从 起";
  const phrases = fc
    .array(fc.constantFrom(...words.split(" ")), { minLength: 1, maxLength: 8 })
    .chain((list) => fc.constantFrom(" ", "").map((space) => list.join(space)));

  /** Returns "range" for a range that contains time, or the name of the failure. */
  function kindOf(text: string, timezone: string, now: number): string {
    try {
      const { startTime, endTime } = timeRange(text, { timezone, now });
      return Number.isInteger(startTime) && Number.isInteger(endTime) && startTime < endTime ? "range" : "no range";
    } catch (error) {
      return isFailureError(error) ? String(error.reason) : String(error);
    }
  }

  const instants = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) });

  test("every input gives a range that begins before it ends, or a named failure", () => {
    const texts = fc.oneof(
      { arbitrary: phrases, weight: 3 },
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
    );
    const kinds = ["range", "not_understood", "empty_range", "out_of_range"];
    fc.assert(
      fc.property(texts, fc.constantFrom(...zones), instants, (text, timezone, now) => {
        expect(kinds).toContain(kindOf(text, timezone, now));
      }),
      { numRuns: 1500 },
    );
  });

  test("a day follows on the one before it, in every zone", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Intl.supportedValuesOf("timeZone")), instants, (timezone, now) => {
        const today = timeRange("today", { timezone, now });
        expect(today.startTime).toBeLessThanOrEqual(now);
        expect(today.endTime).toBeGreaterThan(now);
        expect(timeRange("tomorrow", { timezone, now }).startTime).toBeGreaterThanOrEqual(today.endTime);
        expect(timeRange("yesterday", { timezone, now }).endTime).toBeLessThanOrEqual(today.startTime);
        expect(timeRange("昨天", { timezone, now })).toEqual(timeRange("yesterday", { timezone, now }));
      }),
      { numRuns: 150 },
    );
  });

  test.each(["最近", "last ", "9", "1:", "-", "a-", "2025-03-05 to ", " ", "上", "\u0300", "ﷺ", "之"])(
    "100,000 characters of %j are read quickly",
    (piece) => {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      const before = cpuTime();
      expect(failureOf(text).reason).toBe("too_long");
      expect(cpuTime() - before).toBeLessThan(100);
    },
  );
});

test.each(["today ", "今天", "3 days ago ", "a-", "2025-03-05 ", "第一", ", ", "..", "x"])(
  "a text of %j is read in linear time, regardless of its length",
  (piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const before = cpuTime();
    try {
      tokenize(text);
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
    }
    expect(cpuTime() - before).toBeLessThan(1000);
  },
);

interface BadInput {
  readonly area: string;
  readonly input: string;
  readonly expected: string;
}

describe("the rows of bad inputs", () => {
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as BadInput[]).filter(
    ({ area }) => area === "time-range",
  );

  /** Some rows name the day and the zone. */
  const situated = /^(.+) on (\d{4}-\d\d-\d\d) in (\S+\/\S+)$/;

  function outcome(input: string): string {
    const [, phrase = input, date = "2026-11-15", timezone = "UTC"] = situated.exec(input) ?? [];
    try {
      const { startTime, endTime } = timeRange(phrase, { timezone, now: `${date}T12:00` });
      const [start, end] = [startTime, endTime].map((ms) => new Date(ms).toISOString().slice(0, 10));
      return `${start}..${end}, ${(endTime - startTime) / 3_600_000} h long`;
    } catch (error) {
      return isFailureError(error) ? `refuse:${error.reason}` : String(error);
    }
  }

  test("there are some", () => {
    expect(rows.length).toBeGreaterThan(4);
  });

  test.each(rows)("$input: $expected", ({ input, expected }) => {
    const week = "2026-11-02..2026-11-09, 168 h long";
    expect(outcome(input)).toContain(expected.startsWith("Mon-Sun") ? week : expected.replace(/ \(.*/, ""));
  });
});
