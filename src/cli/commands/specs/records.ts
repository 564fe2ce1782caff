import type { CommandGroup, CommandSpec, OptionSpec } from "../../program/command-spec.ts";
import { json } from "../../program/shared-options.ts";

/** Option that filters by time. */
const since: OptionSpec = {
  flags: "--since WHEN",
  about: "only since this time: 30m, 12h, 7d, or a date such as 2026-11-15",
};

/** Option that filters by tool. */
const byTool: OptionSpec = { flags: "--tool NAME", about: "only calls of this tool", completes: "tool" };

const records: CommandSpec = {
  name: "records",
  summary: "list calls, newest first, or show one with its arguments and output",
  args: [{ name: "ID", about: "id of the call; last for the newest", optional: true }],
  options: [
    byTool,
    { flags: "--conversation ID", about: "only calls of this conversation" },
    {
      flags: "--caller WHO",
      about: "only calls of this kind of caller (direct, workflow_node, …) or with this caller id",
    },
    since,
    { flags: "--until WHEN", about: "only before this time; same format as --since" },
    { flags: "--status STATUS", about: "only calls with this outcome", choices: ["success", "failure"] },
    { flags: "--code CODE", about: "only calls that failed with this code, such as timeout" },
    { flags: "--limit N", about: "maximum number of records, up to 1000 (default: 20)", min: 1, whole: true },
    { flags: "--cursor TEXT", about: "continue after this cursor, from the previous page" },
    json,
  ],
  examples: [
    "windlass records --since 1h",
    "windlass records last",
    "windlass records --tool http_request --status failure --json",
  ],
  load: async () => (await import("../records/run.ts")).showRecords,
};

const stats: CommandSpec = {
  name: "stats",
  summary: "show call counts, success rates and durations of tools, or the metrics of chains",
  options: [
    { flags: "--chains", about: "show the metrics of finished durable runs per chain, compared with the targets" },
    byTool,
    since,
    { flags: "--until WHEN", about: "only before this time; same format as --since" },
    json,
  ],
  examples: ["windlass stats --since 7d", "windlass stats --chains"],
  load: async () => (await import("../stats/run.ts")).showStatistics,
};

/** The group "Records" of the help. */
export const recordsGroup: CommandGroup = { title: "Records", commands: [records, stats] };
