import { ask, chat } from "./agent-commands.ts";
import { chains, graph, init, schema, validate } from "./authoring-commands.ts";
import type { CommandGroup, CommandSpec, OptionSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";
import { mcp } from "./mcp-commands.ts";
import { cancel, explain, rerun, resume, run, runs, show, test } from "./run-commands.ts";
import { skills } from "./skills-command.ts";

/** Every command has it. */
export const dirOption: OptionSpec = {
  flags: "-C, --dir DIR",
  about: "work in this folder, as if started there",
  completes: "folder",
};

const since: OptionSpec = { flags: "--since WHEN", about: "not before: 30m, 12h, 7d, or a date such as 2026-11-15" };
const byTool: OptionSpec = { flags: "--tool NAME", about: "of this tool", completes: "tool" };
const toolName = { name: "NAME", about: "the tool", completes: "tool" } as const;

const call: CommandSpec = {
  name: "call",
  summary: "call a tool and print what it gives",
  details:
    "A value is read as JSON where the parameter wants something other than text and the value is JSON; else it is " +
    "text. The output is printed as JSON; with --json the whole result is, also when the call fails. Every call is " +
    "recorded.",
  args: [
    { name: "TOOL", about: "the tool's name", completes: "tool" },
    { name: "key=value", about: "arguments", optional: true, several: true, completes: "parameter" },
  ],
  options: [
    { flags: "--args JSON", about: "arguments as a JSON object, @FILE to read them, - for stdin" },
    { flags: "--timeout SECONDS", about: "time it may take, instead of the tool's own", atLeast: 0.001 },
    { flags: "--retries N", about: "further attempts after a failure that is safe to retry", atLeast: 0, whole: true },
    { flags: "--conversation ID", about: "record the call under this conversation" },
    json,
  ],
  examples: [
    'windlass call calculator expression="2*(3+4)"',
    "windlass call http_request url=https://example.com --timeout 5",
    `windlass call echo --args '{"message": {"any": ["JSON"]}}' --json`,
  ],
  load: async () => (await import("./commands/call.ts")).callTool,
};

const tools: CommandSpec = {
  name: "tools",
  summary: "list, search and describe the tools there are",
  commands: [
    {
      name: "list",
      summary: "list the tools (also: windlass tools)",
      // Words that are no command end up here and are answered with a suggestion.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [
        { flags: "--category NAME", about: "of this category" },
        { flags: "--tag NAME", about: "with this tag" },
        json,
      ],
      examples: ["windlass tools", "windlass tools --category http --json"],
      load: async () => (await import("./commands/tools-list.ts")).listTools,
    },
    {
      name: "show",
      summary: "show a tool: what it does, what it takes, how to call it",
      args: [toolName],
      options: [json],
      examples: ["windlass tools show calculator"],
      load: async () => (await import("./commands/tools-show.ts")).showTool,
    },
    {
      name: "search",
      summary: "find tools by what they are to do, in English or Chinese",
      args: [{ name: "WORDS", about: "what to look for", several: true }],
      options: [{ flags: "--limit N", about: "at most so many; 20 where absent", atLeast: 1, whole: true }, json],
      examples: ["windlass tools search send a request", "windlass tools search 查询天气 --limit 3"],
      load: async () => (await import("./commands/tools-search.ts")).searchTools,
    },
    {
      name: "capabilities",
      summary: "list what can be called as capability:NAME: who serves it, and how",
      options: [json],
      examples: ["windlass tools capabilities"],
      load: async () => (await import("./commands/tools-capabilities.ts")).listCapabilities,
    },
    {
      name: "schema",
      summary: "print tools in the format of a model provider",
      args: [{ ...toolName, about: "one tool; all that are on offer where absent", optional: true }],
      options: [
        {
          flags: "--format FORMAT",
          about: "openai where absent",
          choices: ["openai", "anthropic", "gemini", "mcp"],
        },
      ],
      examples: ["windlass tools schema calculator --format anthropic", "windlass tools schema > tools.json"],
      load: async () => (await import("./commands/tools-schema.ts")).printToolSchema,
    },
  ],
};

const records: CommandSpec = {
  name: "records",
  summary: "show past calls, newest first",
  options: [
    byTool,
    { flags: "--conversation ID", about: "of this conversation" },
    { flags: "--caller WHO", about: "by this kind of caller (direct, workflow_node, …) or this caller's id" },
    since,
    { flags: "--until WHEN", about: "before; written like --since" },
    { flags: "--status STATUS", about: "how they ended", choices: ["success", "failure"] },
    { flags: "--code CODE", about: "failed with this code, such as timeout" },
    { flags: "--limit N", about: "at most so many, up to 1000; 20 where absent", atLeast: 1, whole: true },
    { flags: "--cursor TEXT", about: "go on where the page before ended" },
    json,
  ],
  examples: ["windlass records --since 1h", "windlass records --tool http_request --status failure --json"],
  load: async () => (await import("./commands/records.ts")).showRecords,
};

const stats: CommandSpec = {
  name: "stats",
  summary: "show how often and how fast tools were called",
  options: [byTool, since, { flags: "--until WHEN", about: "before; written like --since" }, json],
  examples: ["windlass stats --since 7d"],
  load: async () => (await import("./commands/stats.ts")).showStatistics,
};

const approvals: CommandSpec = {
  name: "approvals",
  summary: "show calls that wait for a decision",
  args: [{ name: "ID", about: "only this one, with all of its arguments", optional: true, completes: "approval" }],
  options: [{ flags: "--all", about: "also those that are decided, used or expired" }, json],
  examples: ["windlass approvals", "windlass approvals k3j9x0q2ab5z-1 --json"],
  load: async () => (await import("./commands/approvals.ts")).showApprovals,
};

const decisionArgs = [
  {
    name: "ID",
    about: "the approval, as `windlass approvals` shows it, or a run that waits for only one",
    completes: "approval",
  },
] as const;
const decisionOptions: readonly OptionSpec[] = [
  { flags: "--note TEXT", about: "why" },
  {
    flags: "--by NAME",
    about: "who decides, for the record; the user of this machine where absent, who alone counts for named approvers",
  },
  { flags: "--no-run", about: "only decide; leave the run that waits for it as it is" },
  json,
];

const approve: CommandSpec = {
  name: "approve",
  summary: "allow a waiting call, once and with exactly its arguments",
  details:
    "A run that waited for it goes on in this process, where no other executes it, and the exit code is that of the run.",
  args: decisionArgs,
  options: [
    { flags: "--done", about: "the call was running when its process ended, and did its work: it is not made again" },
    {
      flags: "--output JSON",
      about: "with --done, what its step gave; null where absent. @FILE to read it, - for stdin",
    },
    ...decisionOptions,
  ],
  examples: [
    'windlass approve k3j9x0q2ab5z-1 --note "checked with ops"',
    `windlass approve k3j9x0q2ab5z-1 --done --output '{ "id": 7 }'`,
  ],
  load: async () => (await import("./commands/decide.ts")).approve,
};

const reject: CommandSpec = {
  name: "reject",
  summary: "refuse a waiting call",
  details:
    "A run that waited for it goes on to its end in this process, where no other executes it. The exit code is 0 once " +
    "the call is refused, whatever becomes of the run.",
  args: decisionArgs,
  options: decisionOptions,
  examples: ['windlass reject k3j9x0q2ab5z-1 --note "wrong account"'],
  load: async () => (await import("./commands/decide.ts")).reject,
};

const prune: CommandSpec = {
  name: "prune",
  summary: "remove old records and runs",
  details:
    "Runs that are over go with the records of their time, with all that `show` and `explain` tell of them; those under " +
    "way or waiting stay. Without options it does what `retention` in windlass.yaml says.",
  options: [
    { flags: "--days N", about: "remove what is older than this", atLeast: 0 },
    { flags: "--size SIZE", about: "remove the oldest until the rest takes no more: 500MB, 1GB" },
    json,
  ],
  examples: ["windlass prune --days 30", "windlass prune --size 500MB"],
  load: async () => (await import("./commands/prune.ts")).pruneRecords,
};

const backup: CommandSpec = {
  name: "backup",
  summary: "copy the database of records, also while it is in use",
  args: [{ name: "FILE", about: "the copy; must not exist yet", completes: "file" }],
  options: [json],
  examples: ["windlass backup ~/windlass-2026-11-15.db"],
  load: async () => (await import("./commands/backup.ts")).backupDatabase,
};

const doctor: CommandSpec = {
  name: "doctor",
  summary: "check the setup, and say what to do where something is amiss",
  options: [
    {
      flags: "--network",
      about: "also ask the model and the search engines that are set up; the model costs a few tokens",
    },
    json,
  ],
  examples: ["windlass doctor", "windlass doctor --network"],
  load: async () => (await import("./commands/doctor.ts")).examine,
};

const completion: CommandSpec = {
  name: "completion",
  summary: "print the script that completes commands in your shell",
  args: [{ name: "SHELL", about: "bash, zsh or fish", choices: ["bash", "zsh", "fish"] }],
  examples: [
    'eval "$(windlass completion bash)"   # in ~/.bashrc',
    'eval "$(windlass completion zsh)"    # in ~/.zshrc',
    "windlass completion fish > ~/.config/fish/completions/windlass.fish",
  ],
  load: async () => (await import("./commands/completion.ts")).printCompletion,
};

/** Asked by the shell scripts of `completion`. */
const complete: CommandSpec = {
  name: "__complete",
  summary: "print what could complete the last of these words",
  hidden: true,
  raw: true,
  args: [{ name: "WORDS", about: "the command line so far", optional: true, several: true }],
  load: async () => (await import("./commands/complete.ts")).printCandidates,
};

/** Every command, in the groups and the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  { title: "Calling", commands: [run, call, chains, tools, skills, mcp] },
  { title: "Agents", commands: [ask, chat] },
  { title: "Authoring", commands: [init, validate, graph, schema, test] },
  { title: "Runs", commands: [runs, show, explain, resume, rerun, cancel] },
  { title: "Looking back", commands: [records, stats] },
  { title: "Approvals", commands: [approvals, approve, reject] },
  { title: "House-keeping", commands: [doctor, prune, backup, completion, complete] },
];
