import type { ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type RouteName, createProblem, routes } from "../api/index.ts";
import type { Workspace } from "../app/index.ts";
import { createIdGenerator, systemClock } from "../base/index.ts";
import { InboundServer, allowingOrigins, createInboundGuard } from "../net/index.ts";
import { McpMount } from "./mcp-mount.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { FindCaller } from "./request/caller.ts";
import { Access } from "./request/access.ts";
import { toOpenApi } from "./openapi/to-openapi.ts";
import { type AppDeps, type Connection, createApp } from "./request/create-app.ts";
import type { Handlers } from "./request/handler.ts";
import { KeyedRequests } from "./request/keyed-requests.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { callRoutes } from "./routes/calls.ts";
import { mcpServerRoutes } from "./routes/mcp-servers.ts";
import { resultRoutes } from "./routes/results.ts";
import { serviceRoutes } from "./routes/service.ts";
import type { SessionCodes } from "./request/session-codes.ts";
import { EventHub } from "./events/event-hub.ts";
import { eventRoutes } from "./routes/events.ts";
import { auditRoutes, recordRoutes } from "./routes/records.ts";
import { chainRoutes } from "./routes/chains.ts";
import { runRoutes } from "./routes/runs.ts";
import { RunWorker } from "./request/run-worker.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolRoutes } from "./routes/tools.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { ToolNames } from "./request/tool-names.ts";
import { ServerMetrics } from "./request/server-metrics.ts";
import { StaticFiles } from "./request/static-files.ts";

const defaultHost = "127.0.0.1";
const defaultPort = 4780;
const defaultDrainMs = 10_000;

const routePaths: ReadonlySet<string> = new Set(["/mcp", ...Object.values(routes).map(({ path }) => path)]);

/** Options of a server, and the parts that it begins with. */
export interface WorkspaceServerOptions extends ServerOptions {
  readonly findCaller: FindCaller;
  readonly codes: SessionCodes;
}

/** The server that `createServer` loads on first use. */
export class WorkspaceServer implements Omit<Server, "createSessionCode"> {
  readonly fetch: Server["fetch"];
  readonly #server: InboundServer;
  readonly #hub: EventHub;
  readonly #worker: RunWorker;
  readonly #mcp: McpMount;
  readonly #metrics: ServerMetrics;
  readonly #drainMs: number;
  readonly #executesRuns: boolean;
  #isReady = true;

  constructor(workspace: Workspace, options: WorkspaceServerOptions) {
    const { host = defaultHost, allowedHosts, allowedOrigins, maxBodyBytes = 1 << 20, findCaller, codes } = options;
    this.#drainMs = options.drainMs ?? defaultDrainMs;
    this.#hub = new EventHub(workspace, options.onRunEvent);
    this.#worker = new RunWorker(workspace, (run) => this.#hub.live.listenTo(run));
    this.#metrics = new ServerMetrics(workspace);
    this.#mcp = new McpMount(workspace, options.mcp);
    this.#executesRuns = options.only === undefined;
    const names = new ToolNames();
    const guard = createInboundGuard({ host, allowedHosts, allowedOrigins });
    const [ids, { onError = warn }] = [createIdGenerator(), options];
    const app = createApp({
      workspace,
      handlers: {
        ...toolRoutes(names, this.#worker),
        ...agentRoutes(this.#worker, this.#hub),
        ...approvalRoutes(),
        ...auditRoutes(),
        ...callRoutes(this.#worker),
        ...chainRoutes(),
        ...eventRoutes(this.#hub),
        ...recordRoutes(),
        ...runRoutes(this.#worker),
        ...tokenRoutes(codes),
        ...mcpServerRoutes(),
        ...resultRoutes(),
        ...serviceRoutes({ isReady: () => this.#isReady, metrics: this.#metrics }),
        ...triggerRoutes(this.#worker),
        openapi: () => toOpenApi(workspace, names.of(workspace)),
      } satisfies Handlers<RouteName>,
      ...served(options),
      mounts: [this.#mcp],
      access: new Access({ guard, findCaller, limits: options.limits, port: () => this.#server.port }),
      keyed: new KeyedRequests({ workspace, ids, clock: systemClock, onError: (error) => onError(error, "") }),
      ids,
      isReady: () => this.#isReady,
      maxBodyBytes,
      onAccess: (entry) => {
        this.#metrics.responded(entry, routePaths.has(entry.route));
        options.onAccess?.(entry);
      },
      onError,
    });
    const handle = allowingOrigins(guard, (request, connection: Connection) => app.fetch(request, connection));
    this.fetch = (request) => handle(request, {});
    this.#server = this.#createServer(handle, options);
  }

  #createServer(handle: Handle, { host = defaultHost, connectionLimits: limits }: ServerOptions): InboundServer {
    const listener = getRequestListener(
      (request, { incoming, outgoing }) =>
        handle(request, {
          address: incoming.socket.remoteAddress,
          // Node serves HTTP/1.1 here; the other type of the listener is for HTTP/2.
          outgoing: outgoing as ServerResponse,
          disconnect: () => void outgoing.destroy(),
          onAdmitted: () => this.#server.authenticated(incoming),
        }),
      { overrideGlobalObjects: false },
    );
    return new InboundServer({
      host,
      limits,
      handle: (incoming, outgoing) => void listener(incoming, outgoing),
      refusal: toRefusal,
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
    this.#hub.close();
    await this.#server.close(this.#drainMs);
    this.#metrics.close();
  }
}

type Handle = (request: Request, connection: Connection) => Response | Promise<Response>;

/** The routes and the files that are served. */
function served({ only, staticFolder }: ServerOptions): Pick<AppDeps, "served" | "files"> {
  if (only === "mcp") return { served: ["healthz", "readyz"], files: { find: () => undefined } };
  return { served: Object.keys(routes) as RouteName[], files: new StaticFiles(staticFolder) };
}

/** The response to a request whose head is ambiguous. */
function toRefusal(detail: string): { readonly type: string; readonly body: string } {
  return { type: "application/problem+json", body: JSON.stringify(createProblem("bad_request", detail)) };
}

function warn(error: unknown, requestId: string): void {
  process.emitWarning(`request ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
}
