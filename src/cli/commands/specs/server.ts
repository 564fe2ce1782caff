import { type CommandGroup, type CommandSpec, json } from "../../program/command-spec.ts";

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

/** The group "Server" of the help. */
export const serverGroup: CommandGroup = { title: "Server", commands: [token, triggers] };
