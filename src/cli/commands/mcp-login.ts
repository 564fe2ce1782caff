import { fail } from "../../base/index.ts";
import type { RemoteServer } from "../../hub/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { type McpHere, withMcp } from "../open-mcp.ts";
import { UsageError } from "../usage-error.ts";
import { watchInterrupts } from "../watch-interrupts.ts";

/** `windlass mcp login`. */
export const logIn: RunCommand = (invocation) =>
  withMcp({ terminal: invocation.terminal }, async (here) => {
    const { terminal } = invocation;
    const [name = ""] = invocation.words;
    const address = addressOf(here, name, invocation);
    const interrupts = watchInterrupts();
    interrupts.arm({ onStop: () => {} });
    const port = invocation.number("port");
    try {
      const client = await here.client();
      const loggedIn = await client.login(name, address, {
        signal: interrupts.signal,
        open: (page) => {
          // Whoever runs the server says where that is; a person has to see it before they type a password.
          terminal.tell(
            `${name} sends you to ${oneLine(new URL(page).host)}. If you trust it, open this page and log in:`,
          );
          terminal.print(page);
        },
        ...(port !== undefined && { port }),
      });
      terminal.tell(loggedIn ? `Logged in to ${name}.` : `${name} lets you in as it is; nobody had to log in.`);
      return exitCodes.ok;
    } finally {
      interrupts.dispose();
    }
  });

/** Where to log in: a server elsewhere, under an address that was approved, as for calls. */
function addressOf({ source, redactor }: McpHere, name: string, invocation: Invocation): RemoteServer {
  const server = source.server(name);
  const fault = source.status().find((status) => status.name === name)?.fault;
  if (server === undefined && fault !== undefined) {
    throw new UsageError(
      `${name}: its entry cannot be used: ${redactor.text(fault)}`,
      `${commandLine(invocation, "mcp")} shows where`,
    );
  }
  if (server === undefined || server.address.kind !== "http") {
    const why = server === undefined ? "there is no such MCP server" : "it is a program, which needs no login";
    throw new UsageError(`${name}: ${why}`, `${commandLine(invocation, "mcp")} lists the servers`);
  }
  if (source.status().some((status) => status.name === name && status.state === "changed")) {
    const todo = commandLine(invocation, "mcp", "approve", name);
    throw fail(`${name} is not the server that was approved; ${todo} shows what changed and asks`, {
      code: "not_available",
      reason: "server_changed",
      retry: "never",
    });
  }
  return server.address;
}
