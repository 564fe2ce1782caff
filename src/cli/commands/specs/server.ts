import { type CommandGroup, type CommandSpec, type OptionSpec, json } from "../../program/command-spec.ts";
import { since } from "./maintenance.ts";

const listening: readonly OptionSpec[] = [
  { flags: "--port PORT", about: "port, 0 for a free one (default: 4780)", min: 0, max: 65_535, whole: true },
  { flags: "--host ADDRESS", about: "address to listen on (default: 127.0.0.1); any other one needs a token" },
  { flags: "--allow-host NAME", about: "another host name of it, such as that of a proxy (repeatable)", several: true },
  {
    flags: "--allow-origin ORIGIN",
    about: "origin of a page of another site that may use it (repeatable)",
    several: true,
  },
  { flags: "--log FORMAT", about: "format of the log on stderr (default: text)", choices: ["text", "json"] },
];

const tokenDetails =
  "Programs send a token of `windlass token create`, or the one in the environment variable WINDLASS_TOKEN; programs of " +
  "this user on this machine can read one in .windlass/token. The printed link opens one session within five minutes.";

const serve: CommandSpec = {
  name: "serve",
  summary: "serve this workspace over HTTP: REST, MCP at /mcp, health and metrics",
  details:
    `${tokenDetails} Resumes the runs whose processes have ended. SIGTERM or Ctrl-C stops it: it reports itself as not ` +
    "ready, starts no more work, answers running requests, and releases its runs, which the next process resumes.",
  options: listening,
  examples: [
    "windlass serve",
    "windlass serve --port 8080 --log json",
    "WINDLASS_TOKEN=$(openssl rand -hex 32) windlass serve --host 0.0.0.0 --allow-host tools.example.com",
  ],
  load: async () => (await import("../serve/run.ts")).serveWorkspace,
};

const dev: CommandSpec = {
  name: "dev",
  summary: "serve this workspace, reload its files when they change, and print a line per event",
  details: tokenDetails,
  options: listening,
  examples: ["windlass dev"],
  load: async () => (await import("../serve/run.ts")).developWorkspace,
};

const token: CommandSpec = {
  name: "token",
  summary: "manage the tokens with which programs use this workspace over HTTP",
  commands: [
    {
      name: "list",
      summary: "list the tokens, without their texts (also: windlass token)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [json],
      examples: ["windlass token", "windlass token list --json"],
      load: async () => (await import("../token/run.ts")).listTokens,
    },
    {
      name: "create",
      summary: "create a token, and print it once",
      details:
        "NAME is the principal of its requests: rules, records, limits and approvals see it. The scopes are read, call " +
        "(tools), run (chains and agents), approve, edit (chains, so it equals running any tool) and admin (all). Only a " +
        "hash of the token is stored.",
      args: [{ name: "NAME", about: "name of the token, such as ci" }],
      options: [
        { flags: "--scope SCOPES", about: "what it may do, separated by commas (default: read)" },
        { flags: "--expires WHEN", about: "how long it is valid: 12h, 30d, 8w, or never (default: 90d)" },
        { flags: "--run RUN", about: "it opens only this run, for reading: a link to share", completes: "run" },
        json,
      ],
      examples: [
        "windlass token create ci --scope read,call --expires 30d",
        "windlass token create link --run last --expires 24h",
      ],
      load: async () => (await import("../token/run.ts")).createToken,
    },
    {
      name: "revoke",
      summary: "revoke a token: servers refuse it within a second",
      args: [{ name: "ID", about: "id of the token, as listed by `windlass token list`" }],
      options: [json],
      examples: ["windlass token revoke 3f9a1c0b77e2"],
      load: async () => (await import("../token/run.ts")).revokeToken,
    },
  ],
};

const triggerId = { name: "ID", about: "id of the trigger, as listed by `windlass triggers`" };

const triggers: CommandSpec = {
  name: "triggers",
  summary: "list the schedules, webhooks and watched files that start runs; fire, pause, resume or approve one",
  commands: [
    {
      name: "list",
      summary: "list the triggers, each with its last and next time (also: windlass triggers)",
      // Unknown subcommands are parsed as words of this command, which suggests the right one.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [json],
      examples: ["windlass triggers", "windlass triggers list --json"],
      load: async () => (await import("../triggers/run.ts")).listTriggers,
    },
    {
      name: "fire",
      summary: "fire a trigger now, and execute its run here",
      details: "Also if it is paused, or an earlier run has not ended.",
      args: [triggerId],
      options: [
        { flags: "--event JSON", about: 'what ${event.…} reads, such as {"body": {"order": 7}} (default: nothing)' },
        json,
      ],
      examples: ["windlass triggers fire report-schedule-1f3a9c2b"],
      load: async () => (await import("../triggers/run.ts")).fireTrigger,
    },
    {
      name: "pause",
      summary: "pause a trigger; times of a schedule that pass in the meantime are not missed",
      args: [triggerId],
      options: [json],
      examples: ["windlass triggers pause report-schedule-1f3a9c2b"],
      load: async () => (await import("../triggers/run.ts")).changeTrigger("pause"),
    },
    {
      name: "resume",
      summary: "resume a trigger",
      args: [triggerId],
      options: [json],
      examples: ["windlass triggers resume report-schedule-1f3a9c2b"],
      load: async () => (await import("../triggers/run.ts")).changeTrigger("resume"),
    },
    {
      name: "approve",
      summary: "let a trigger fire whose file was written by a tool",
      details: "The approval is for the present definition. Another write by a tool needs another approval.",
      args: [triggerId],
      options: [json],
      examples: ["windlass triggers approve report-schedule-1f3a9c2b"],
      load: async () => (await import("../triggers/run.ts")).changeTrigger("approve"),
    },
  ],
};

const audit: CommandSpec = {
  name: "audit",
  summary: "list who decided approvals, saved chains, and created or revoked tokens, newest first",
  options: [
    { flags: "--by NAME", about: "only of this user or token" },
    {
      flags: "--action ACTION",
      about: "only this action",
      choices: ["approval.decide", "chain.save", "token.create", "token.revoke", "session.open"],
    },
    since,
    { flags: "--limit N", about: "at most this many (default: 20)", min: 1, max: 1000, whole: true },
    json,
  ],
  examples: ["windlass audit", "windlass audit --action token.create --since 30d"],
  load: async () => (await import("../token/run.ts")).showAudit,
};

/** The group "Server" of the help. */
export const serverGroup: CommandGroup = { title: "Server", commands: [serve, dev, token, triggers, audit] };
