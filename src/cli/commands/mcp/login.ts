import { fail } from "../../../base/index.ts";
import { type McpHttpAddress, StateFiles } from "../../../hub/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { type OpenedMcpServers, withMcp } from "../../open/open-mcp-servers.ts";
import { UsageError } from "../../program/usage-error.ts";
import { withStopSignal } from "../../program/watch-interrupts.ts";
import { join } from "node:path";
import { findWorkspace, trustFailure } from "../../../app/index.ts";
import { trustCommand } from "../../open/open-here.ts";

/** `windlass mcp login`. */
export const logIn: RunCommand = (invocation) =>
  withMcp({ terminal: invocation.terminal }, async (here) => {
    const { terminal } = invocation;
    const [name = ""] = invocation.words;
    const address = addressOf(here, name, invocation);
    const port = invocation.number("port");
    return withStopSignal(async (signal) => {
      const client = await here.client();
      const loggedIn = await client.login(name, address, {
        signal,
        open: (page) => {
          // The server chooses the login page, so the user must see its host before typing a password.
          terminal.log(
            `${name} redirects you to ${toOneLine(new URL(page).host)}. If you trust it, open this page and log in:`,
          );
          terminal.print(page);
        },
        ...(port !== undefined && { port }),
      });
      terminal.log(loggedIn ? `Logged in to ${name}.` : `${name} requires no login.`);
      return exitCodes.ok;
    });
  });

/** Address to log in to: a remote server whose address was approved, as for calls. */
function addressOf({ source, redactor, dir }: OpenedMcpServers, name: string, invocation: Invocation): McpHttpAddress {
  const server = source.server(name);
  const status = source.status().find((each) => each.name === name);
  const fault = status?.fault;
  if (server === undefined && fault !== undefined) {
    throw new UsageError(
      `${name}: its entry is invalid: ${redactor.text(fault)}`,
      `for details: ${commandLine(invocation, "mcp")}`,
    );
  }
  if (status?.state === "untrusted") {
    const todo = `review and trust it with: ${trustCommand(dir)}`;
    throw trustFailure("not_trusted", `the MCP server ${JSON.stringify(name)} is not trusted; ${todo}`);
  }
  if (server === undefined || server.address.kind !== "http") {
    const why = server === undefined ? "no such MCP server" : "it is a local program and needs no login";
    throw new UsageError(`${name}: ${why}`, `list the servers with: ${commandLine(invocation, "mcp")}`);
  }
  if (status?.state === "changed") {
    const todo = commandLine(invocation, "mcp", "approve", name);
    throw fail(`${name} is not the server that was approved; review the changes with: ${todo}`, {
      code: "not_available",
      reason: "server_changed",
      retry: "never",
    });
  }
  return server.address;
}

/** `windlass mcp logout`; also for servers that are no longer in any file. */
export const logOut: RunCommand = async (invocation) => {
  const [name = ""] = invocation.words;
  const { terminal } = invocation;
  const had = new StateFiles(join(await findWorkspace("."), ".windlass")).forgetLogins(name);
  if (had)
    terminal.log(`Removed the login to ${name}. Log in again with: ${commandLine(invocation, "mcp login", name)}`);
  else terminal.log(`There was no login to ${JSON.stringify(name)}.`);
};
