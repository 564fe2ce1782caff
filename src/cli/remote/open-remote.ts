import { cliCommand, fail } from "../../base/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { RemoteWorkspace } from "./remote-workspace.ts";

/** The workspace of the server that a command works on. */
export function openRemote({ server, terminal }: Pick<Invocation, "server" | "terminal">): RemoteWorkspace {
  let isReported = false;
  const onDisconnect = (): void => {
    if (!isReported) terminal.log("The connection to the server is lost; trying again. The run continues there.");
    isReported = true;
  };
  if (server !== undefined) return new RemoteWorkspace(server, onDisconnect);
  throw fail(`name a server: ${cliCommand("runs")} --server URL`, { code: "validation_error" });
}
