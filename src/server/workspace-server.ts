import { getRequestListener } from "@hono/node-server";
import { type RouteName, createProblem, routes } from "../api/index.ts";
import type { Workspace } from "../app/index.ts";
import { createIdGenerator } from "../base/index.ts";
import { type InboundGuard, InboundServer, createCrossOrigin, createInboundGuard } from "../net/index.ts";
import { McpMount } from "./mcp-mount.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { FindCaller } from "./request/caller.ts";
import { Access } from "./request/access.ts";
import { type AppDeps, type Connection, createApp } from "./request/create-app.ts";
import type { Handlers } from "./request/handler.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { mcpServerRoutes } from "./routes/mcp-servers.ts";
import { resultRoutes } from "./routes/results.ts";
import { serviceRoutes, toOpenApi } from "./routes/service.ts";
import type { SessionCodes } from "./request/session-codes.ts";
import { recordRoutes } from "./routes/records.ts";
import { chainRoutes } from "./routes/chains.ts";
import { runRoutes } from "./routes/runs.ts";
import { RunWorker } from "./request/run-worker.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolRoutes } from "./routes/tools.ts";
import { ToolNames } from "./request/tool-names.ts";
import { ServerMetrics } from "./server-metrics.ts";
import { StaticFiles } from "./static-files.ts";

const defaultHost = "127.0.0.1";
const defaultPort = 4780;
const routePaths: ReadonlySet<string> = new Set(["/mcp", ...Object.values(routes).map(({ path }) => path)]);
const defaultDrainMs = 10_000;

/** Methods and headers for pages of allowed origins. */
const crossOrigin = {
  methods: ["GET", "POST", "PUT", "DELETE"],
  exposed: [
    "etag",
    "location",
    "mcp-session-id",
    "preference-applied",
    "request-id",
    "retry-after",
    "www-authenticate",
  ],
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
  readonly #metrics: ServerMetrics;
  readonly #drainMs: number;
  readonly #executesRuns: boolean;
  #isReady = true;

  constructor(workspace: Workspace, options: WorkspaceServerOptions) {
    const { host = defaultHost, allowedHosts, allowedOrigins, maxBodyBytes = 1 << 20, findCaller, codes } = options;
    this.#drainMs = options.drainMs ?? defaultDrainMs;
    this.#worker = new RunWorker(workspace, options);
    this.#metrics = new ServerMetrics(workspace);
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
        ...mcpServerRoutes(),
        ...resultRoutes(),
        ...serviceRoutes({ isReady: () => this.#isReady, metrics: this.#metrics }),
        openapi: () => toOpenApi(workspace, names.of(workspace)),
      } satisfies Handlers<RouteName>,
      ...served(options),
      mounts: [this.#mcp],
      access: new Access({ guard, findCaller, limits: options.limits, port: () => this.#server.port }),
      ids: createIdGenerator(),
      isReady: () => this.#isReady,
      maxBodyBytes,
      onAccess: (entry) => {
        this.#metrics.responded(entry, routePaths.has(entry.route));
        options.onAccess?.(entry);
      },
      onError: options.onError ?? warn,
    });
    const answer = withCrossOrigin(app, guard);
    this.fetch = (request) => answer(request, {});
    this.#server = this.#createServer(answer, options);
  }

  #createServer(answer: Answer, { host = defaultHost, connectionLimits: limits }: ServerOptions): InboundServer {
    const listener = getRequestListener(
      (request, { incoming }) =>
        answer(request, {
          address: incoming.socket.remoteAddress,
          onAdmitted: () => this.#server.authenticated(incoming),
        }),
      { overrideGlobalObjects: false },
    );
    return new InboundServer({
      host,
      limits,
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
    this.#metrics.close();
  }
}

type Answer = (request: Request, connection: Connection) => Response | Promise<Response>;

/** Adds what pages of allowed origins need; other requests pass unchanged. */
function withCrossOrigin(app: ReturnType<typeof createApp>, guard: InboundGuard): Answer {
  const origins = createCrossOrigin({ guard, ...crossOrigin });
  return (request, connection) => {
    if (!request.headers.has("origin")) return app.fetch(request, connection);
    const preflight = origins.preflight(request);
    return preflight ?? Promise.resolve(app.fetch(request, connection)).then(origins.expose(request));
  };
}

/** The routes and the files that are served. */
function served({ only, staticFolder }: ServerOptions): Pick<AppDeps, "served" | "files"> {
  if (only === "mcp") return { served: ["healthz", "readyz"], files: { find: () => undefined } };
  return { served: Object.keys(routes) as RouteName[], files: new StaticFiles(staticFolder) };
}

function warn(error: unknown, requestId: string): void {
  process.emitWarning(`request ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
}
