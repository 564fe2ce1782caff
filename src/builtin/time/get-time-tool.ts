import { systemClock } from "../../base/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { CurrentTimeInput, TimeServices } from "./get-current-time-tool.ts";

/** The parameter `timezone` of every time tool. */
export const timezoneParameter = {
  type: "string",
  maxLength: 64,
  description:
    "An IANA name such as Europe/Berlin or Asia/Shanghai, or an offset such as +08:00 or UTC+8. Default: the zone of the workspace.",
} as const;

/** The tool `get_time`: the time as one line of text. */
export function getTimeTool({ clock = systemClock, timezone: defaultTimezone }: TimeServices = {}): Tool<
  CurrentTimeInput,
  CurrentTimeInput,
  string
> {
  return defineTool({
    name: "get_time",
    description:
      "Returns the current date and time as one line of text, such as " +
      '"2026-11-15 21:04:05 Sunday (Asia/Shanghai, UTC+08:00)". Use it to report the time to the user; use get_current_time to ' +
      "compute with it.",
    displayName: "Time",
    category: "time",
    tags: ["time", "date"],
    capabilities: ["time", "date", "时间", "日期"],
    alwaysEnabled: true,
    effect: "read",
    timeoutMs: 5000,
    contracts: { time: { result: { text: "${item}" } } },
    input: {
      type: "object",
      properties: { timezone: timezoneParameter },
      additionalProperties: false,
      examples: [{}, { timezone: "America/New_York" }],
    },
    output: { type: "string" },
    run: async ({ timezone = defaultTimezone }) => {
      const { currentTime, zoneLabel } = await import("./current-time.ts");
      const now = currentTime({ timezone, now: clock.now() });
      return `${now.date} ${now.time} ${now.weekday} (${zoneLabel(now.timezone, now.utcOffset)})`;
    },
  });
}
