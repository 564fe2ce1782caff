import { type Server as HttpServer, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { RouteName } from "../api/index.ts";
import type { Workspace } from "../app/index.ts";
import { createIdGenerator, fail } from "../base/index.ts";
import { createInboundGuard } from "../net/index.ts";
import type { Server, ServerOptions } from "./server.ts";
import type { FindCaller } from "./request/caller.ts";
import { Access } from "./request/access.ts";
import { createApp } from "./request/create-app.ts";
import type { Handlers } from "./request/handler.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { healthRoutes, toOpenApi } from "./routes/service.ts";
import type { SessionCodes } from "./request/session-codes.ts";
import { EventHub } from "./events/event-hub.ts";
import { eventRoutes } from "./routes/events.ts";
import { recordRoutes } from "./routes/records.ts";
import { chainRoutes } from "./routes/chains.ts";
import { runRoutes } from "./routes/runs.ts";
import { RunWorker } from "./request/run-worker.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolRoutes } from "./routes/tools.ts";
import { ToolNames } from "./request/tool-names.ts";

const defaultPort = 4780;

/** Options of a server, and the parts that it begins with. */
export interface WorkspaceServerOptions extends ServerOptions {
  readonly findCaller: FindCaller;
  readonly codes: SessionCodes;
}

/** The server that `createServer` loads on first use. */
export class WorkspaceServer implements Omit<Server, "createSessionCode"> {
  readonly fetch: Server["fetch"];
  readonly #host: string;
  readonly #server: HttpServer;
  readonly #hub: EventHub;
  readonly #worker: RunWorker;
  #port: number | undefined;
  #isReady = true;

  constructor(workspace: Workspace, options: WorkspaceServerOptions) {
    const { host = "127.0.0.1", allowedHosts, allowedOrigins, maxBodyBytes = 1 << 20, findCaller, codes } = options;
    this.#host = host;
    this.#hub = new EventHub(workspace);
    this.#worker = new RunWorker(workspace, this.#hub.live);
    const names = new ToolNames();
    const app = createApp({
      workspace,
      handlers: {
        ...toolRoutes(names),
        ...agentRoutes(this.#worker, this.#hub),
        ...approvalRoutes(),
        ...chainRoutes(),
        ...eventRoutes(this.#hub),
        ...recordRoutes(),
        ...runRoutes(this.#worker),
        ...tokenRoutes(codes),
        ...healthRoutes(() => this.#isReady),
        openapi: () => toOpenApi(workspace, names.of(workspace)),
      } satisfies Handlers<RouteName>,
      access: new Access({
        guard: createInboundGuard({ host, allowedHosts, allowedOrigins }),
        findCaller,
        limits: options.limits,
        port: () => this.#port,
      }),
      ids: createIdGenerator(),
      isReady: () => this.#isReady,
      maxBodyBytes,
      onAccess: options.onAccess,
      onError: options.onError ?? warn,
    });
    this.fetch = (request) => app.fetch(request, {});
    const listener = getRequestListener(
      (request, { incoming }) => app.fetch(request, { address: incoming.socket.remoteAddress }),
      { overrideGlobalObjects: false },
    );
    this.#server = createHttpServer(
      { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 1_000 },
      (incoming, outgoing) => void listener(incoming, outgoing),
    );
  }

  async listen(port: number = defaultPort): Promise<{ readonly url: string; readonly port: number }> {
    const host = this.#host;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(fail(`cannot listen on ${host}:${port}: ${error.message}`, { code: "not_available", cause: error }));
    this.#server.once("error", failed);
    this.#server.listen(port, host, resolve);
    await promise;
    this.#server.off("error", failed);
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#worker.start();
    return { url: `http://${host.includes(":") ? `[${host}]` : host}:${this.#port}`, port: this.#port };
  }

  async close(): Promise<void> {
    this.#isReady = false;
    await this.#worker.stop();
    this.#hub.close();
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await closed;
  }
}

function warn(error: unknown, requestId: string): void {
  process.emitWarning(`request ${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`);
}
