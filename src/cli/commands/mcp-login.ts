import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { commandLine } from "../invocation.ts";
import { withMcp } from "../open-mcp.ts";
import { UsageError } from "../usage-error.ts";
import { watchInterrupts } from "../watch-interrupts.ts";

/** `windlass mcp login`. */
export const logIn: RunCommand = (invocation) =>
  withMcp({ terminal: invocation.terminal }, async ({ source, client }) => {
    const { terminal } = invocation;
    const [name = ""] = invocation.words;
    const server = source.server(name);
    if (server === undefined || server.address.kind !== "http") {
      const why = server === undefined ? "there is no such MCP server" : "it is a program, which needs no login";
      throw new UsageError(`${name}: ${why}`, `${commandLine(invocation, "mcp")} lists the servers`);
    }
    const interrupts = watchInterrupts();
    interrupts.arm({ onStop: () => {} });
    const port = invocation.number("port");
    try {
      const login = await client();
      await login.login(name, server.address, {
        signal: interrupts.signal,
        open: (page) => {
          terminal.tell("Open this page in a browser and log in:");
          terminal.print(page);
        },
        ...(port !== undefined && { port }),
      });
      terminal.tell(`Logged in to ${name}.`);
      return exitCodes.ok;
    } finally {
      interrupts.dispose();
    }
  });
