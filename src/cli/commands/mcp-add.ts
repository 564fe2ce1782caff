import { findWorkspace } from "../../app/index.ts";
import { isFailureError } from "../../base/index.ts";
import { type ServerEntryJson, shownCommand, unpinnedPackage, writeServer } from "../../hub/index.ts";
import { withoutCredentials } from "../../net/index.ts";
import { createRedactor, isSecretName } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { readAnswer } from "../read-answer.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass mcp add`. */
export const addMcpServer: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const [name = "", ...words] = invocation.words;
  const entry = entryIn(invocation, words);
  terminal.tell(
    oneLine("command" in entry ? `${name} runs: ${shownEntry(entry)}` : `${name} is at ${shownEntry(entry)}`),
  );
  for (const warning of warningsAbout(entry))
    terminal.tell(`${terminal.tint("yellow", "warning:")} ${oneLine(warning)}`);
  if (!invocation.flag("yes") && terminal.interactive && !(await isConfirmed("Add it to mcp.json?"))) {
    terminal.tell("Nothing was changed.");
    return exitCodes.failed;
  }
  write(await findWorkspace("."), name, entry);
  const [next, list] = [commandLine(invocation, "mcp list", "--connect"), commandLine(invocation, "tools")];
  terminal.tell(`${name} is in mcp.json; ${next} tries it, ${list} lists its tools`);
  return exitCodes.ok;
};

function write(dir: string, name: string, entry: ServerEntryJson): void {
  try {
    writeServer(dir, name, entry);
  } catch (error) {
    if (isFailureError(error) && error.code === "file_invalid") throw new UsageError(error.message);
    throw error;
  }
}

/** Asks the person at the terminal; anything but a yes is a no. */
export async function isConfirmed(question: string): Promise<boolean> {
  const answer = await readAnswer(`${question} [y/N] `, new AbortController().signal);
  return /^y(?:es)?$/i.test(answer.trim());
}

function entryIn(invocation: Invocation, words: readonly string[]): ServerEntryJson {
  const url = invocation.text("url");
  const [command, ...args] = words;
  const env = pairs(invocation.texts("env"), "--env");
  const headers = pairs(invocation.texts("header"), "--header");
  if ((url === undefined) === (command === undefined)) {
    throw new UsageError(
      url === undefined ? "say what starts the server, or where it is" : "a server has a command or a --url, not both",
      "windlass mcp add NAME -- COMMAND ARGS…",
      "windlass mcp add NAME --url https://example.com/mcp",
    );
  }
  if (url !== undefined) {
    if (env !== undefined) throw new UsageError("--env is for a program; a server with a --url takes --header");
    if (!/^https?:\/\//i.test(url)) throw new UsageError("--url must start with https:// or http://");
    return { type: "http", url, ...(headers !== undefined && { headers }) };
  }
  if (headers !== undefined) throw new UsageError("--header is for a server with a --url; a program takes --env");
  return { command: command ?? "", ...(args.length > 0 && { args }), ...(env !== undefined && { env }) };
}

function pairs(given: readonly string[], option: string): Record<string, string> | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      // Not repeated: it may be a value whose key was forgotten.
      if (at < 1) throw new UsageError(`${option} takes KEY=VALUE; in one of them there is no KEY=`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

const hidden = createRedactor([]);

/** How the server is reached, without what a screen and its recording should not show. */
function shownEntry(entry: ServerEntryJson): string {
  return hidden.text("command" in entry ? writtenEntry(entry) : withoutCredentials(entry.url));
}

function writtenEntry(entry: ServerEntryJson): string {
  return "command" in entry ? shownCommand(entry.command, entry.args ?? []) : entry.url;
}

function warningsAbout(entry: ServerEntryJson): string[] {
  const isSecret = shownEntry(entry) !== writtenEntry(entry);
  const place = "command" in entry ? "its command line" : "its address";
  const instead = "command" in entry ? "--env NAME=${secret.NAME}" : "--header 'Authorization=Bearer ${secret.NAME}'";
  const unpinned = "command" in entry ? unpinnedPackage(entry.command, entry.args ?? []) : undefined;
  const values = Object.entries(("command" in entry ? entry.env : entry.headers) ?? {});
  return [
    ...(unpinned === undefined
      ? []
      : [`${unpinned.name} has no exact version: every start may run another program; write ${unpinned.pinned}`]),
    ...(isSecret ? [`a key in ${place} will stand in mcp.json, and is seen by others; write ${instead}`] : []),
    ...values
      .filter(([key, value]) => isSecretName(key) && !value.includes("${"))
      .map(([key]) => `the value of ${key} will stand in mcp.json; a secret is written \${secret.NAME}`),
  ];
}
