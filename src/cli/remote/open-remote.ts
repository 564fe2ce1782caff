import { cliCommand, fail } from "../../base/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { RemoteWorkspace } from "./remote-workspace.ts";

/** The workspace of the server that a command works on. */
export function openRemote({ server }: Pick<Invocation, "server">): RemoteWorkspace {
  if (server !== undefined) return new RemoteWorkspace(server);
  throw fail(`name a server: ${cliCommand("runs")} --server URL`, { code: "validation_error" });
}
