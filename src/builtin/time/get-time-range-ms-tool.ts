import { systemClock } from "../../base/index.ts";
import { type Tool, defineTool, ok } from "../../tool/index.ts";
import type { TimeServices } from "./get-current-time-tool.ts";
import type { TimeRange } from "./time-range.ts";
import { timezoneParameter } from "./get-time-tool.ts";

/** Input of `get_time_range_ms`. */
export interface TimeRangeInput {
  readonly description: string;
  readonly timezone?: string;
  readonly now?: number | string;
}

const input = {
  type: "object",
  properties: {
    // Descriptions that are empty or too long are refused with a reason and with examples.
    description: {
      type: "string",
      description:
        "Only the words for the time: today, last week, past 3 days, since Monday, March 2025, Q3 2025, 2025-03-01 to 2025-03-15, yesterday 9am to 5pm, half an hour ago, 昨天, 上周五, 最近三天, 月底, 去年三月, 2025年3月, 今年第三季度.",
    },
    timezone: timezoneParameter,
    now: {
      type: ["integer", "string"],
      description: "Another time to count from: epoch milliseconds or an ISO time. Default: the present.",
    },
  },
  required: ["description"],
  additionalProperties: false,
  examples: [
    { description: "last week" },
    { description: "最近三天", timezone: "Asia/Shanghai" },
    { description: "between March and May", timezone: "Europe/Berlin", now: "2026-11-15T09:00:00+01:00" },
  ],
} as const;

const output = {
  type: "object",
  properties: {
    startTime: { type: "integer", description: "The first millisecond of the range." },
    endTime: { type: "integer", description: "The first millisecond after the range." },
  },
  required: ["startTime", "endTime"],
} as const;

const purpose =
  "Converts words for a range of time, in English or Chinese, to { startTime, endTime } in epoch milliseconds; " +
  "startTime is inclusive, endTime exclusive. Use it before a search that is limited in time, and pass the " +
  "result on as it is. Weeks begin on Monday. last week, 上周: the whole week before this one; past week, last 7 " +
  "days, 最近一周: from the start of the day 7 days ago up to now. A month or weekday without a year or week is the latest " +
  "that has begun; last Friday is the nearest one before today, 上周五 the Friday of last week. A to B includes " +
  "all of day or month B; since and after end now; before and until begin in 1970; all time, ever, 有史以来: from 1970 " +
  "up to now. end of the month, 月底: its days from the 21st on; beginning of the year, 年初: January and February. Holidays that move, such as 春节, and seasons must be given as dates.";

/** The tool `get_time_range_ms`: converts words to a range of epoch milliseconds. */
export function getTimeRangeMsTool({ clock = systemClock, timezone: defaultTimezone }: TimeServices = {}): Tool<
  TimeRangeInput,
  TimeRangeInput,
  TimeRange
> {
  return defineTool({
    name: "get_time_range_ms",
    description: purpose,
    displayName: "Time range",
    category: "time",
    tags: ["time", "date", "range"],
    capabilities: ["time_range", "时间范围"],
    aliases: ["getTimeRangeMs", "get_time_range"],
    effect: "read",
    timeoutMs: 5000,
    core: 6,
    trusted: true,
    input,
    output,
    run: async ({ description, timezone = defaultTimezone, now = clock.now() }) => {
      const { timeRange } = await import("./time-range.ts");
      const { currentTime } = await import("./current-time.ts");
      const range = timeRange(description, { timezone, now });
      const [start, end] = [range.startTime, range.endTime].map((now) => currentTime({ timezone, now }));
      return ok(range, { meta: { timezone: start?.timezone, start: start?.iso, end: end?.iso } });
    },
  });
}
