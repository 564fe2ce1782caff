import { type CommandGroup, type CommandSpec, json } from "../../program/command-spec.ts";
import { since } from "./maintenance.ts";

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
  load: async () => (await import("../audit/run.ts")).showAudit,
};

/** The group "Server" of the help. */
export const serverGroup: CommandGroup = { title: "Server", commands: [token, audit] };
