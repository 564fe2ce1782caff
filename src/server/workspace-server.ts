import { getRequestListener } from "@hono/node-server";
import { type RouteName, createProblem, routes } from "../api/index.ts";
import type { Workspace } from "../app/index.ts";
import { createIdGenerator } from "../base/index.ts";
import { InboundServer, createCrossOrigin, createInboundGuard } from "../net/index.ts";
import { McpMount } from "./mcp-mount.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { FindCaller } from "./request/caller.ts";
import { Access } from "./request/access.ts";
import { type Connection, createApp } from "./request/create-app.ts";
import type { Handlers } from "./request/handler.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { healthRoutes, toOpenApi } from "./routes/service.ts";
import type { SessionCodes } from "./request/session-codes.ts";
import { recordRoutes } from "./routes/records.ts";
import { chainRoutes } from "./routes/chains.ts";
import { runRoutes } from "./routes/runs.ts";
import { RunWorker } from "./request/run-worker.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolRoutes } from "./routes/tools.ts";
import { ToolNames } from "./request/tool-names.ts";
import { StaticFiles } from "./static-files.ts";

const defaultPort = 4780;
const defaultDrainMs = 10_000;

/** What pages of allowed origins may send and read. */
const crossOrigin = {
  methods: ["GET", "POST", "PUT", "DELETE"],
  exposed: ["etag", "location", "mcp-session-id", "preference-applied", "request-id", "retry-after", "www-authenticate"],
};

/** Options of a server, and the parts that it begins with. */
export interface WorkspaceServerOptions extends ServerOptions {
  readonly findCaller: FindCaller;
  readonly codes: SessionCodes;
}

/** The server that `createServer` loads on first use. */
export class WorkspaceServer implements Omit<Server, "createSessionCode"> {
  readonly fetch: Server["fetch"];
  readonly #server: InboundServer;
  readonly #worker: RunWorker;
  readonly #mcp: McpMount;
  readonly #drainMs: number;
  readonly #executesRuns: boolean;
  #isReady = true;

  constructor(workspace: Workspace, options: WorkspaceServerOptions) {
    const { host = "127.0.0.1", allowedHosts, allowedOrigins, maxBodyBytes = 1 << 20, findCaller, codes } = options;
    this.#drainMs = options.drainMs ?? defaultDrainMs;
    this.#worker = new RunWorker(workspace, options);
    this.#mcp = new McpMount(workspace, options.mcp);
    this.#executesRuns = options.only === undefined;
    const guard = createInboundGuard({ host, allowedHosts, allowedOrigins });
    const names = new ToolNames();
    const app = createApp({
      workspace,
      handlers: {
        ...toolRoutes(names),
        ...approvalRoutes(),
        ...chainRoutes(),
        ...recordRoutes(),
        ...runRoutes(this.#worker),
        ...tokenRoutes(codes),
        ...healthRoutes(() => this.#isReady),
        openapi: () => toOpenApi(workspace, names.of(workspace)),
      } satisfies Handlers<RouteName>,
      served: options.only === "mcp" ? ["healthz", "readyz"] : (Object.keys(routes) as RouteName[]),
      mounts: [this.#mcp],
      files: options.only === "mcp" ? { find: () => undefined } : new StaticFiles(options.staticFolder),
      access: new Access({
        guard,
        findCaller,
        limits: options.limits,
        port: () => this.#server.port,
      }),
      ids: createIdGenerator(),
      isReady: () => this.#isReady,
      maxBodyBytes,
      onAccess: options.onAccess,
      onError: options.onError ?? warn,
    });
    const origins = createCrossOrigin({ guard, ...crossOrigin });
    const answer = (request: Request, connection: Connection): Response | Promise<Response> =>
      request.headers.has("origin")
        ? (origins.preflight(request) ?? Promise.resolve(app.fetch(request, connection)).then(origins.expose(request)))
        : app.fetch(request, connection);
    this.fetch = (request) => answer(request, {});
    const listener = getRequestListener(
      (request, { incoming }) =>
        answer(request, {
          address: incoming.socket.remoteAddress,
          onAdmitted: () => this.#server.authenticated(incoming),
        }),
      { overrideGlobalObjects: false },
    );
    this.#server = new InboundServer({
      host,
      limits: options.connectionLimits,
      handle: (incoming, outgoing) => void listener(incoming, outgoing),
      refusal: (detail) => ({
        type: "application/problem+json",
        body: JSON.stringify(createProblem("bad_request", detail)),
      }),
    });
  }

  async listen(port: number = defaultPort): Promise<{ readonly url: string; readonly port: number }> {
    const url = await this.#server.listen(port);
    if (this.#executesRuns) this.#worker.start();
    return { url, port: this.#server.port ?? port };
  }

  async close(): Promise<void> {
    this.#isReady = false;
    await Promise.all([this.#worker.stop(), this.#mcp.close()]);
    await this.#server.close(this.#drainMs);
  }
}

function warn(error: unknown, requestId: string): void {
  process.emitWarning(`request ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
}
