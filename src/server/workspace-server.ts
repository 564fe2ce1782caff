import type { ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type RouteName, createProblem } from "../api/index.ts";
import type { Workspace } from "../app/index.ts";
import { createIdGenerator, systemClock } from "../base/index.ts";
import { InboundServer, createInboundGuard } from "../net/index.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { FindCaller } from "./request/caller.ts";
import { Access } from "./request/access.ts";
import { toOpenApi } from "./openapi/to-openapi.ts";
import { createApp } from "./request/create-app.ts";
import { allowingOrigins } from "./request/cross-origin.ts";
import type { Handlers } from "./request/handler.ts";
import { KeyedRequests } from "./request/keyed-requests.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { callRoutes } from "./routes/calls.ts";
import { healthRoutes } from "./routes/service.ts";
import type { SessionCodes } from "./request/session-codes.ts";
import { EventHub } from "./events/event-hub.ts";
import { eventRoutes } from "./routes/events.ts";
import { externalEventRoutes } from "./routes/external-events.ts";
import { auditRoutes, recordRoutes } from "./routes/records.ts";
import { chainRoutes } from "./routes/chains.ts";
import { runRoutes } from "./routes/runs.ts";
import { RunWorker } from "./request/run-worker.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolRoutes } from "./routes/tools.ts";
import { triggerRoutes } from "./routes/triggers.ts";
import { ToolNames } from "./request/tool-names.ts";

const defaultPort = 4780;
const defaultDrainMs = 10_000;

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
  readonly #drainMs: number;
  #isReady = true;

  constructor(workspace: Workspace, options: WorkspaceServerOptions) {
    const { host = "127.0.0.1", allowedHosts, allowedOrigins, maxBodyBytes = 1 << 20, findCaller, codes } = options;
    this.#drainMs = options.drainMs ?? defaultDrainMs;
    this.#hub = new EventHub(workspace, options.onRunEvent);
    this.#worker = new RunWorker(workspace, (run) => this.#hub.live.listenTo(run));
    const names = new ToolNames();
    const guard = createInboundGuard({ host, allowedHosts, allowedOrigins });
    const ids = createIdGenerator();
    const { onError = warn } = options;
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
        ...externalEventRoutes(this.#worker),
        ...tokenRoutes(codes),
        ...triggerRoutes(this.#worker),
        ...healthRoutes(() => this.#isReady),
        openapi: () => toOpenApi(workspace, names.of(workspace)),
      } satisfies Handlers<RouteName>,
      access: new Access({ guard, findCaller, limits: options.limits, port: () => this.#server.port }),
      keyed: new KeyedRequests({ workspace, ids, clock: systemClock, onError: (error) => onError(error, "") }),
      ids,
      isReady: () => this.#isReady,
      maxBodyBytes,
      onAccess: options.onAccess,
      onError,
    });
    const handle = allowingOrigins(guard, (request, connection) => app.fetch(request, connection));
    this.fetch = (request) => handle(request, {});
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
    this.#worker.start();
    return { url, port: this.#server.port ?? port };
  }

  async close(): Promise<void> {
    this.#isReady = false;
    await this.#worker.stop();
    this.#hub.close();
    await this.#server.close(this.#drainMs);
  }
}

function warn(error: unknown, requestId: string): void {
  process.emitWarning(`request ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
}
