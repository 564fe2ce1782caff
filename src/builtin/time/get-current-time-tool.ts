import { type Clock, systemClock } from "../../base/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { CurrentTime } from "./current-time.ts";
import { timezoneParameter } from "./timezone-parameter.ts";

/** What the tools of time work with. */
export interface TimeServices {
  readonly clock?: Clock | undefined;
  /** The zone where a call names none; that of the machine where there is none here either. */
  readonly timezone?: string | undefined;
}

/** What `getCurrentTime` and `get_time` take. */
export interface CurrentTimeInput {
  readonly timezone?: string;
}

/** `getCurrentTime`: the time in a zone, in the forms that a model may need. */
export function getCurrentTimeTool({ clock = systemClock, timezone: usual }: TimeServices = {}): Tool<
  CurrentTimeInput,
  CurrentTimeInput,
  CurrentTime
> {
  return defineTool({
    name: "getCurrentTime",
    description:
      "Gives the current date and time in a time zone: ISO text with offset, epoch milliseconds, date, time, weekday " +
      "and a form for people. Use it whenever an answer depends on today's date or the time of day. For a range such " +
      "as last week, use getTimeRangeMs.",
    displayName: "Current time",
    category: "time",
    tags: ["time", "date", "timezone"],
    capabilities: ["time", "date", "时间", "日期"],
    aliases: ["get_current_time"],
    effect: "read",
    timeoutMs: 5000,
    input: fromJsonSchema<CurrentTimeInput, CurrentTimeInput>({
      type: "object",
      properties: { timezone: timezoneParameter },
      additionalProperties: false,
      examples: [{}, { timezone: "Asia/Shanghai" }, { timezone: "UTC-5" }],
    }),
    output: fromJsonSchema<CurrentTime, CurrentTime>({
      type: "object",
      properties: {
        iso: { type: "string", description: "Such as 2026-11-15T21:04:05.123+08:00." },
        epochMs: { type: "integer" },
        timezone: { type: "string" },
        utcOffset: { type: "string", description: "Such as +08:00." },
        date: { type: "string", description: "Such as 2026-11-15." },
        time: { type: "string", description: "Such as 21:04:05." },
        weekday: { type: "string", description: "In English." },
        human: { type: "string", description: "All of it on one line." },
      },
      required: ["iso", "epochMs", "timezone", "utcOffset", "date", "time", "weekday", "human"],
    }),
    run: async ({ timezone = usual }) => {
      const { currentTime } = await import("./current-time.ts");
      return currentTime({ timezone, now: clock.now() });
    },
  });
}
