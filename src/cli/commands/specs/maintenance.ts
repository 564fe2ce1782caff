import { type CommandGroup, type CommandSpec, type OptionSpec, json } from "../../program/command-spec.ts";

const doctor: CommandSpec = {
  name: "doctor",
  summary: "check the configuration and suggest fixes",
  options: [
    {
      flags: "--network",
      about: "also send a test request to the configured models and search providers (uses a few tokens)",
    },
    json,
  ],
  examples: ["windlass doctor", "windlass doctor --network"],
  load: async () => (await import("../doctor/run.ts")).examine,
};

const trust: CommandSpec = {
  name: "trust",
  summary: "show what a workspace from someone else would execute, start and send, and trust it",
  details:
    "Code, commands, MCP servers, secrets, models, private addresses and wider permissions of a workspace are used only " +
    "if you trust them. Trust covers edited files, but not a new server, command or receiver of a secret. It is stored in " +
    "~/.config/windlass/trust.json. At a terminal you are prompted; elsewhere this command trusts the workspace. In CI, " +
    "set WINDLASS_TRUST=1.",
  args: [{ name: "DIR", about: "the workspace (default: current folder)", optional: true, completes: "folder" }],
  options: [
    { flags: "--list", about: "only show it" },
    { flags: "--revoke", about: "forget the decision about this workspace" },
    json,
  ],
  examples: ["windlass trust", "windlass trust --list ../cloned", "WINDLASS_TRUST=1 windlass run report"],
  load: async () => (await import("../trust/run.ts")).trustWorkspace,
};

const prune: CommandSpec = {
  name: "prune",
  summary: "remove old records and runs",
  details:
    "Finished runs are removed together with the records of the same period; `show` and `explain` no longer find them. " +
    "Running and suspended runs remain. Without options, applies `retention` from windlass.yaml.",
  options: [
    { flags: "--days N", about: "remove records and runs older than N days", min: 0 },
    { flags: "--size SIZE", about: "remove the oldest until the database has at most this size, such as 500MB or 1GB" },
    json,
  ],
  examples: ["windlass prune --days 30", "windlass prune --size 500MB"],
  load: async () => (await import("../database/run.ts")).pruneRecords,
};

const backup: CommandSpec = {
  name: "backup",
  summary: "copy the database of records and runs, also while it is in use",
  args: [{ name: "FILE", about: "target file; must not exist yet", completes: "file" }],
  options: [json],
  examples: ["windlass backup ~/windlass-2026-11-15.db"],
  load: async () => (await import("../database/run.ts")).backupDatabase,
};

const completion: CommandSpec = {
  name: "completion",
  remote: false,
  summary: "print the completion script for your shell",
  args: [{ name: "SHELL", about: "bash, zsh or fish", choices: ["bash", "zsh", "fish"] }],
  examples: [
    'eval "$(windlass completion bash)"   # in ~/.bashrc',
    'eval "$(windlass completion zsh)"    # in ~/.zshrc',
    "windlass completion fish > ~/.config/fish/completions/windlass.fish",
  ],
  load: async () => (await import("../completion/run.ts")).printCompletion,
};

/** Called by the completion scripts. */
const complete: CommandSpec = {
  name: "__complete",
  remote: false,
  summary: "print the completions of the last word",
  hidden: true,
  raw: true,
  args: [{ name: "WORDS", about: "the command line so far", optional: true, several: true }],
  load: async () => (await import("../completion/run.ts")).printCandidates,
};

/** The group "Maintenance" of the help. */
export const maintenanceGroup: CommandGroup = {
  title: "Maintenance",
  commands: [doctor, trust, prune, backup, completion, complete],
};

/** Option that filters by time. */
export const since: OptionSpec = {
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
