import { type Clock, systemClock } from "../../base/index.ts";
import { type Tool, defineTool, withForms } from "../../tool/index.ts";
import type { CurrentTime } from "./current-time.ts";
import { getTimeTool, timezoneParameter } from "./get-time-tool.ts";

/** Services of the time tools. */
export interface TimeServices {
  readonly clock?: Clock | undefined;
  /** Default zone of calls. Default: the zone of the machine. */
  readonly timezone?: string | undefined;
}

/** Input of `get_current_time`. */
export interface CurrentTimeInput {
  readonly timezone?: string;
}

const output = {
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
} as const;

/**
 * The tool `get_current_time`: the time in a zone, in all forms that a model may need. Under its alias `get_time` it
 * returns one line of text.
 */
export function getCurrentTimeTool(services: TimeServices = {}): Tool<CurrentTimeInput, CurrentTimeInput, CurrentTime> {
  return withForms(currentTimeTool(services), { get_time: getTimeTool(services) });
}

function currentTimeTool({
  clock = systemClock,
  timezone: defaultTimezone,
}: TimeServices): Tool<CurrentTimeInput, CurrentTimeInput, CurrentTime> {
  return defineTool({
    name: "get_current_time",
    description:
      "Returns the current date and time in a time zone: ISO text with offset, epoch milliseconds, date, time, weekday " +
      "and a form for people. Use it whenever an answer depends on today's date or the time of day. For a range such " +
      "as last week, use get_time_range_ms.",
    displayName: "Current time",
    category: "time",
    tags: ["time", "date", "timezone"],
    capabilities: ["time", "date", "时间", "日期"],
    aliases: ["getCurrentTime", "get_time"],
    alwaysEnabled: true,
    effect: "read",
    timeoutMs: 5000,
    core: 5,
    trusted: true,
    contracts: {
      time: {
        result: {
          text: "${item.human}",
          iso: "${item.iso}",
          epoch_ms: "${item.epochMs}",
          timezone: "${item.timezone}",
        },
      },
    },
    input: {
      type: "object",
      properties: { timezone: timezoneParameter },
      additionalProperties: false,
      examples: [{}, { timezone: "Asia/Shanghai" }, { timezone: "UTC-5" }],
    },
    output,
    run: async ({ timezone = defaultTimezone }) => {
      const { currentTime } = await import("./current-time.ts");
      return currentTime({ timezone, now: clock.now() });
    },
  });
}
