import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { type Problem, type Route, type RouteName, createProblem, routes, toProblem } from "../../api/index.ts";
import type { Workspace } from "../../app/index.ts";
import { type IdGenerator, isFailureError } from "../../base/index.ts";
import { readRequestBody, readRequestBytes } from "../../net/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { StoredResponse } from "../../store/index.ts";
import type { StaticFiles } from "./static-files.ts";
import type { AccessLogEntry } from "./access-log.ts";
import type { Access, Admission } from "./access.ts";
import type { Caller } from "./caller.ts";
import { commonHeaders } from "./common-headers.ts";
import {
  type Handler,
  ProblemError,
  type Reply,
  type ServerRequest,
  type Work,
  isProblemError,
  refusal,
} from "./handler.ts";
import { type KeyedHandler, type KeyedRequests, idempotencyKeyOf } from "./keyed-requests.ts";
import { parseBody, parseQuery } from "./parse-request.ts";

/** A path at which another protocol is served, with all its methods. */
export interface Mount {
  readonly path: string;
  readonly access: Route["access"];
  readonly respond: (request: Request, caller: Caller) => Promise<Response>;
}

/** Dependencies of {@link createApp}. */
export interface AppDeps {
  readonly workspace: Workspace;
  readonly handlers: { readonly [Name in RouteName]: Handler<Name> };
  /** The routes of the table that are served. */
  readonly served: readonly RouteName[];
  readonly mounts: readonly Mount[];
  /** Finds the response to a path outside of the table. */
  readonly files: Pick<StaticFiles, "find">;
  readonly access: Access;
  readonly keyed: KeyedRequests;
  readonly ids: IdGenerator;
  /** False while it drains: it starts no more work. */
  readonly isReady: () => boolean;
  readonly maxBodyBytes: number;
  readonly onAccess: ((entry: AccessLogEntry) => void) | undefined;
  /** Called with errors other than failures: they are bugs, and their texts are not sent. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** The connection of a request. */
export interface Connection {
  /** The address of the client. */
  readonly address?: string | undefined;
  /** Closes it. */
  readonly disconnect?: () => void;
  /** Called when the request has sent a valid token. */
  readonly onAdmitted?: () => void;
  /**
   * The response of Node, if there is one: it is written directly, because a `Response` costs several times as much as
   * everything else that a request needs.
   */
  readonly outgoing?: Pick<ServerResponse, "setHeader" | "writeHead" | "end">;
}

/** The routes of the table as a Hono app. */
export function createApp(parts: AppDeps): Hono<{ Bindings: Connection }> {
  const app = new Hono<{ Bindings: Connection }>();
  for (const name of parts.served) {
    const route: Route = routes[name];
    const endpoint = new Endpoint(parts, name, route);
    app.on(route.method, honoPath(route.path), ({ req, env }) => endpoint.answer(req.raw, req.param(), env));
  }
  for (const mount of parts.mounts) app.all(mount.path, ({ req, env }) => respondMounted(parts, mount, req.raw, env));
  app.notFound(({ req, env }) => {
    const { method, headers } = req.raw;
    // A path can be anything, also a secret.
    const route = parts.workspace.engine.redactor.text(req.path).slice(0, maxRouteChars);
    const exchange = new Exchange(parts, { headers, about: { method, route }, connection: env });
    const file = parts.files.find(method, req.path, headers);
    if (file === undefined) return exchange.refuse(misdirected(parts, method, req.path));
    const { status, body, headers: more } = file;
    return exchange.finish(new Response(body, { status, headers: { ...commonHeaders, ...more } }));
  });
  return app;
}

async function respondMounted(
  parts: AppDeps,
  { path, access, respond }: Mount,
  request: Request,
  connection: Connection,
): Promise<Response> {
  const { method, headers } = request;
  const { address, onAdmitted } = connection;
  const exchange = new Exchange(parts, { headers, about: { method, route: path }, connection });
  let leave: Admission["leave"] = () => {};
  let response: Response;
  try {
    const admission = await parts.access.admit({ path, access, method }, { headers, params: {}, address });
    const { caller = anonymous } = admission;
    ({ leave } = admission);
    exchange.principal = caller.principal;
    onAdmitted?.();
    response = exchange.finish(await respond(request, caller));
  } catch (error) {
    response = exchange.refuse(error);
  }
  leave(exchange.status);
  return response;
}

const maxRouteChars = 200;

/** `/v1/tools/{name}` as `/v1/tools/:name`. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function misdirected({ served }: AppDeps, method: string, path: string): ProblemError {
  const allowed = served.map((name): Route => routes[name]).filter((route) => pathPattern(route.path).test(path));
  if (allowed.length === 0) return refusal("not_found", `there is no route ${path}; /openapi.json lists the routes`);
  const methods = allowed.map((route) => route.method).join(", ");
  const detail = `${path} does not take ${method}; it takes ${methods}`;
  return new ProblemError(createProblem("method_not_allowed", detail), { allow: methods });
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.:]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

interface ExchangeOptions {
  readonly headers: Headers;
  readonly about: Pick<AccessLogEntry, "method" | "route">;
  readonly connection: Connection;
}

/** One request and its response: the id, the common headers, and the line of the access log. */
class Exchange {
  readonly #parts: AppDeps;
  readonly #about: ExchangeOptions["about"];
  readonly #outgoing: Connection["outgoing"];
  readonly requestId: string;
  readonly #since: number;
  principal: string | undefined;
  #status = 0;

  constructor(parts: AppDeps, { headers, about, connection }: ExchangeOptions) {
    this.#parts = parts;
    this.#about = about;
    this.#outgoing = connection.outgoing;
    const sent = headers.get("request-id");
    this.requestId = sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : parts.ids.next();
    this.#since = performance.now();
  }

  send({ status, headers, body }: StoredResponse): Response {
    const outgoing = this.#outgoing;
    if (outgoing === undefined)
      return this.finish(new Response(body, { status, headers: { ...commonHeaders, ...headers } }));
    this.#ended(status);
    const length = { "content-length": Buffer.byteLength(body ?? "") };
    outgoing.writeHead(status, { ...commonHeaders, ...headers, ...length, "request-id": this.requestId });
    outgoing.end(body);
    return RESPONSE_ALREADY_SENT;
  }

  finish(response: Response): Response {
    response.headers.set("request-id", this.requestId);
    this.#ended(response.status);
    return response;
  }

  #ended(status: number): void {
    this.#status = status;
    const { onAccess } = this.#parts;
    onAccess?.({
      at: Date.now(),
      requestId: this.requestId,
      ...this.#about,
      status,
      durationMs: performance.now() - this.#since,
      ...(this.principal !== undefined && { principal: this.principal }),
    });
  }

  /** The status of the response. */
  get status(): number {
    return this.#status;
  }

  /** The response to an error: a problem, a failure, or a bug, whose text is not sent. */
  refuse(error: unknown): Response {
    return this.send(this.refusalOf(error));
  }

  refusalOf(error: unknown): StoredResponse {
    const { problem: found, headers } = this.#problemOf(error);
    // It may repeat a part of the request, or of a file.
    const problem = this.#parts.workspace.engine.redactor.value(found) as Problem;
    const retryAfter = problem.status === 429 || problem.status === 503 ? { "retry-after": "1" } : undefined;
    const type = { "content-type": "application/problem+json" };
    return { status: problem.status, headers: { ...type, ...retryAfter, ...headers }, body: JSON.stringify(problem) };
  }

  #problemOf(error: unknown): { readonly problem: Problem; readonly headers?: Readonly<Record<string, string>> } {
    if (isProblemError(error)) return error;
    if (isFailureError(error)) return { problem: toProblem(error.toFailure()) };
    this.#parts.onError(error, this.requestId);
    return { problem: createProblem("internal_error", `an internal error; its log line has the id ${this.requestId}`) };
  }
}

/** One route: checks a request, calls the handler, and sends its answer. */
class Endpoint {
  readonly #parts: AppDeps;
  readonly #name: RouteName;
  readonly #route: Route;
  readonly #handler: Handler<RouteName>;

  constructor(parts: AppDeps, name: RouteName, route: Route) {
    this.#parts = parts;
    this.#name = name;
    this.#route = route;
    // The table has one handler for each route; its request and response follow from the same name.
    this.#handler = parts.handlers[name];
  }

  async answer(request: Request, params: Readonly<Record<string, string>>, connection: Connection): Promise<Response> {
    const { address, onAdmitted, disconnect } = connection;
    const { method, path: route } = this.#route;
    const { headers } = request;
    const exchange = new Exchange(this.#parts, { headers, about: { method, route }, connection });
    let leave: Admission["leave"] = () => {};
    let response: Response;
    try {
      const admission = await this.#parts.access.admit(this.#route, { headers, params, address });
      const { caller } = admission;
      ({ leave } = admission);
      exchange.principal = caller?.principal;
      if (caller !== undefined) onAdmitted?.();
      if (this.#route.startsWork === true && !this.#parts.isReady())
        throw refusal("shutting_down", "the server is shutting down; send the request again later");
      const body = parseBody(this.#route, await this.#bodyOf(request));
      const parsed = {
        workspace: this.#parts.workspace,
        caller: caller ?? anonymous,
        params,
        query: this.#queryOf(queryOf(request.url)),
        body,
        request,
        bytes: await this.#bytesOf(request),
        headers,
        requestId: exchange.requestId,
        signal: request.signal,
        disconnect,
      } as Parsed;
      const key = this.#route.startsWork === true ? idempotencyKeyOf(headers) : undefined;
      const sent = await (key === undefined
        ? this.#handle(parsed, undefined)
        : this.#handleOnce(parsed, {
            key,
            path: new URL(request.url).pathname,
            refuse: (error) => exchange.refusalOf(error),
          }));
      response = sent instanceof Response ? exchange.finish(sent) : exchange.send(sent);
    } catch (error) {
      response = exchange.refuse(error);
    }
    leave(exchange.status);
    return response;
  }

  #queryOf(query: URLSearchParams): Readonly<Record<string, unknown>> {
    return this.#route.bytes === true ? Object.fromEntries(query) : parseQuery(this.#name, query);
  }

  /** The body of a route that takes it as it is: a signature covers its bytes. */
  async #bytesOf(request: Request): Promise<Uint8Array> {
    if (this.#route.bytes !== true) return new Uint8Array();
    const { maxBodyBytes } = this.#parts;
    const bytes = await readRequestBytes(request, maxBodyBytes);
    if (bytes === undefined) throw tooLarge(maxBodyBytes);
    return bytes;
  }

  async #bodyOf(request: Request): Promise<string | undefined> {
    if (this.#route.body === undefined) return undefined;
    const type = request.headers.get("content-type") ?? "";
    const { maxBodyBytes } = this.#parts;
    const length = request.headers.get("content-length");
    // Bodies of a known length are read at once.
    const isSmall = length !== null && Number(length) <= maxBodyBytes;
    const read = isSmall ? request.text() : readRequestBody(request, maxBodyBytes);
    const text = await read.catch(() => {
      throw refusal("bad_request", "the connection was closed before the end of the body");
    });
    if (text === undefined) throw tooLarge(maxBodyBytes);
    if (text !== "" && !/^application\/json\s*(?:;|$)/i.test(type))
      throw refusal("unsupported_media_type", "send the body as content-type: application/json");
    return text;
  }

  /** Handles a request with an idempotency key: one of all its repetitions starts the work. */
  #handleOnce(
    parsed: Parsed,
    { key, path, refuse }: { readonly key: string; readonly path: string } & Pick<KeyedHandler, "refuse">,
  ): Promise<StoredResponse | Response> {
    const { caller, params, query, body } = parsed;
    const { method, resumes } = this.#route;
    const runId = resumes === true ? (params as { readonly id?: string }).id : runIdIn(body);
    const values = { query, body };
    // Others may wait for its response.
    const staying = { ...parsed, signal: new AbortController().signal };
    return this.#parts.keyed.answer(
      { key, principal: caller.principal, method, path, values, runId },
      { execute: (work) => this.#handle(staying, work), refuse },
    );
  }

  async #handle(parsed: Parsed, work: Work | undefined): Promise<StoredResponse | Response> {
    const answered = await this.#handler({ ...parsed, work });
    if (answered instanceof Response) return answered;
    const { response, status: defaultStatus = 200 } = this.#route;
    const reply: Partial<Reply<unknown>> = isReply(answered) ? answered : { body: answered };
    const { body, status = defaultStatus, headers = {} } = reply;
    const type = reply.mediaType ?? (response.includes("/") ? response : "application/json");
    const text = type === "application/json" ? JSON.stringify(body) : String(body);
    return { status, headers: { "content-type": type, ...headers }, body: text };
  }
}

/** A request whose values were checked. */
type Parsed = Omit<ServerRequest<RouteName>, "work">;

const noQuery = new URLSearchParams();

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return at === -1 ? noQuery : new URLSearchParams(url.slice(at + 1));
}

/** The run that a body names. */
function runIdIn(body: unknown): string | undefined {
  return isRecord(body) && typeof body["run_id"] === "string" ? body["run_id"] : undefined;
}

const anonymous: Caller = { principal: "", tokenId: "", scopes: new Set() };

function isReply(answered: unknown): answered is Reply<unknown> {
  return typeof answered === "object" && answered !== null && "reply" in answered && answered.reply === true;
}

function tooLarge(maxBytes: number): Error {
  return refusal("too_large", `the body is larger than ${maxBytes} bytes; send less`);
}
