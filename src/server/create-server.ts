import type { Workspace } from "../app/index.ts";
import { systemClock } from "../base/index.ts";
import { findCallers } from "./request/find-callers.ts";
import { SessionCodes } from "./request/session-codes.ts";
import type { Server, ServerOptions } from "./server.ts";

/**
 * Creates a server over an open workspace. Every call goes through its engine, every run through its run service, and
 * every decision through its approvals.
 *
 * @example
 * ```ts
 * const server = createServer(workspace, { tokens: { ci: token } });
 * const { url } = await server.listen();
 * ```
 *
 * @see docs/guide/http-api.md
 */
export function createServer(workspace: Workspace, options: ServerOptions = {}): Server {
  const findCaller = findCallers(options.tokens ?? {}, workspace.tokens);
  const codes = new SessionCodes(systemClock);
  let server: Served | undefined;
  let opening: Promise<Served> | undefined;
  // Programs that import it and never serve do not load it.
  const open = async (): Promise<Served> => {
    const { WorkspaceServer } = await import("./workspace-server.ts");
    return (server = new WorkspaceServer(workspace, { ...options, findCaller, codes }));
  };
  const opened = (): Promise<Served> => (opening ??= open());
  return {
    fetch: (request) => server?.fetch(request) ?? opened().then((ready) => ready.fetch(request)),
    createSessionCode: (grant) => codes.create(grant),
    listen: async (port) => (await opened()).listen(port),
    close: async () => (await opening)?.close(),
  };
}

type Served = Omit<Server, "createSessionCode">;
