import { findWorkspace, grantTrust, readSettings, reviewTrust } from "../../../app/index.ts";
import { cliCommand } from "../../../base/index.ts";
import {
  type ServerEntryJson,
  formatCommand,
  unpinnedPackage,
  addServerToConfig,
  deleteServer,
  StateFiles,
  hasServerEntry,
} from "../../../hub/index.ts";
import { withoutCredentials } from "../../../net/index.ts";
import { createRedactor, isSecretName } from "../../../secrets/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { trustCommand, trustVariable } from "../../open/open-here.ts";
import { approveAdded, isConfirmed } from "./approve.ts";
import { UsageError, orUsageError } from "../../program/usage-error.ts";
import { join } from "node:path";

/** `windlass mcp add`. */
export const addMcpServer: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const [name = "", ...words] = invocation.words;
  const entry = entryIn(invocation, words);
  terminal.log(
    toOneLine("command" in entry ? `${name} runs: ${displayedEntry(entry)}` : `${name} is at ${displayedEntry(entry)}`),
  );
  for (const warning of warningsAbout(entry))
    terminal.log(`${terminal.tint("yellow", "warning:")} ${toOneLine(warning)}`);
  if (
    !invocation.flag("yes") &&
    terminal.interactive &&
    !(await isConfirmed("Add it to mcp.json and connect to it?"))
  ) {
    terminal.log("Nothing was changed.");
    return exitCodes.failed;
  }
  const isTrusted = await writeTrusted(name, entry);
  if (terminal.interactive) {
    terminal.log(`Added ${name} to mcp.json.`);
    return approveAdded(name, invocation);
  }
  if (!isTrusted) {
    const todo = trustCommand(await findWorkspace("."));
    terminal.log(`Added ${name} to mcp.json. It is not trusted: review and trust the workspace with: ${todo}`);
    return exitCodes.ok;
  }
  const [next, list] = [commandLine(invocation, "mcp list", "--connect"), commandLine(invocation, "tools")];
  terminal.log(`Added ${name} to mcp.json. Test it with: ${next}; list its tools with: ${list}`);
  return exitCodes.ok;
};

/**
 * Adds the server. In a workspace that was trusted, the user trusts it by adding it, unless another file already has a
 * part of its entry, such as its environment. Returns true if the server may be used.
 */
async function writeTrusted(name: string, entry: ServerEntryJson): Promise<boolean> {
  const dir = await findWorkspace(".");
  const subject = { dir, settings: await readSettings(dir), env: process.env };
  const { items, decision } = await reviewTrust(subject);
  const isOwn = !hasServerEntry(dir, name) && items.every(({ id }) => decision.trusted.has(id));
  orUsageError("file_invalid", () => addServerToConfig(dir, name, entry));
  if (isOwn) await grantTrust(subject, (await reviewTrust(subject)).items);
  return isOwn || process.env[trustVariable] === "1";
}

function entryIn(invocation: Invocation, words: readonly string[]): ServerEntryJson {
  const url = invocation.text("url");
  const [command, ...args] = words;
  const env = pairs(invocation.texts("env"), "--env");
  const headers = pairs(invocation.texts("header"), "--header");
  if ((url === undefined) === (command === undefined)) {
    throw new UsageError(
      url === undefined ? "a server needs a command or a --url" : "a server takes a command or a --url, not both",
      cliCommand("mcp add NAME -- COMMAND ARGS…"),
      cliCommand("mcp add NAME --url https://example.com/mcp"),
    );
  }
  if (url !== undefined) {
    if (env !== undefined) throw new UsageError("--env requires a command; with --url, use --header");
    if (!/^https?:\/\//i.test(url)) throw new UsageError("--url must start with https:// or http://");
    return { type: "http", url, ...(headers !== undefined && { headers }) };
  }
  if (headers !== undefined) throw new UsageError("--header requires --url; with a command, use --env");
  return { command: command ?? "", ...(args.length > 0 && { args }), ...(env !== undefined && { env }) };
}

function pairs(input: readonly string[], option: string): Record<string, string> | undefined {
  if (input.length === 0) return undefined;
  return Object.fromEntries(
    input.map((pair) => {
      const at = pair.indexOf("=");
      // Not quoted in the message: it may be a secret value whose key was forgotten.
      if (at < 1) throw new UsageError(`${option} takes KEY=VALUE; one of the values has no KEY=`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

const hidden = createRedactor([]);

/** Command or URL of the server, with secrets redacted for the screen. */
function displayedEntry(entry: ServerEntryJson): string {
  return hidden.text("command" in entry ? writtenEntry(entry) : withoutCredentials(entry.url));
}

function writtenEntry(entry: ServerEntryJson): string {
  return "command" in entry ? formatCommand(entry.command, entry.args ?? []) : entry.url;
}

function warningsAbout(entry: ServerEntryJson): string[] {
  const isSecret = displayedEntry(entry) !== writtenEntry(entry);
  const part = "command" in entry ? "its command line" : "its address";
  const instead = "command" in entry ? "--env NAME=${secret.NAME}" : "--header 'Authorization=Bearer ${secret.NAME}'";
  const unpinned = "command" in entry ? unpinnedPackage(entry.command, entry.args ?? []) : undefined;
  const values = Object.entries(("command" in entry ? entry.env : entry.headers) ?? {});
  return [
    ...(unpinned === undefined
      ? []
      : [`${unpinned.name} has no exact version, so each start may run a different program; use ${unpinned.pinned}`]),
    ...(isSecret ? [`${part} contains a key, which mcp.json stores in plain text; use ${instead}`] : []),
    ...values
      .filter(([key, value]) => isSecretName(key) && !value.includes("${"))
      .map(([key]) => `mcp.json stores the value of ${key} in plain text; for secrets use \${secret.NAME}`),
  ];
}

/** `windlass mcp remove`. */
export const removeMcpServer: RunCommand = async (invocation) => {
  const [name = ""] = invocation.words;
  const dir = await findWorkspace(".");
  const files = orUsageError("file_invalid", () => deleteServer(dir, name));
  if (files.length === 0) {
    throw new UsageError(
      `no MCP server named ${JSON.stringify(name)}`,
      `list the servers with: ${commandLine(invocation, "mcp")}`,
    );
  }
  new StateFiles(join(dir, ".windlass")).forget(name);
  invocation.terminal.log(`Removed ${name} from ${files.join(" and ")}`);
};
