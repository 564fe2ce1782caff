import type { AuditActor, Workspace } from "../../app/index.ts";
import { brandOf } from "../../base/index.ts";
import {
  type PathParams,
  type Problem,
  type ProblemCode,
  type ProblemDetails,
  type QueryParams,
  type RequestBody,
  type ResponseBody,
  type RouteName,
  createProblem,
} from "../../api/index.ts";
import type { Caller } from "./caller.ts";

/** One request, after its access and its values were checked. */
export interface ServerRequest<Name extends RouteName> {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly params: PathParams<Name>;
  readonly query: QueryParams<Name>;
  readonly body: RequestBody<Name>;
  /** The request itself, for a body that is not JSON. */
  readonly request: Request;
  /** The body of a route that takes it as it is; otherwise empty. */
  readonly bytes: Uint8Array;
  readonly headers: Headers;
  readonly requestId: string;
  /** Aborted when the client disconnects; not for a request with an idempotency key, whose response is stored. */
  readonly signal: AbortSignal;
  /** Closes the connection of the client. Undefined if the server is mounted in another one. */
  readonly disconnect: (() => void) | undefined;
  /** The work of a request with an idempotency key. */
  readonly work: Work | undefined;
}

/** The caller of a request, for the audit log. */
export function actorOf({ caller, requestId }: Pick<ServerRequest<RouteName>, "caller" | "requestId">): AuditActor {
  return { by: caller.principal, requestId };
}

/** Work that starts once, however often its request is sent. */
export interface Work {
  /** The id that the new run must have. */
  readonly id: string;
  /** True if an earlier request has started it: the handler only answers. */
  readonly isStarted: boolean;
}

/** Starts the work of a request, unless an earlier request has started it; returns its id. */
export async function startedWork<Request extends { readonly work: Work | undefined }>(
  request: Request,
  start: (request: Request) => Promise<string>,
): Promise<string> {
  const { work } = request;
  return work?.isStarted === true ? work.id : start(request);
}

/** A response with a status or headers of its own. */
export interface Reply<Body> {
  readonly reply: true;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of a body that is a text. Default: that of the route. */
  readonly mediaType?: string;
  readonly body: Body;
}

/** Handles the requests of one route. Throws {@link ProblemError} or a failure of Windlass. */
export type Handler<Name extends RouteName> = (
  request: ServerRequest<Name>,
) => Answer<ResponseBody<Name>> | Promise<Answer<ResponseBody<Name>>>;

type Answer<Body> = Body | Reply<Body> | Response;

/** The handlers of some routes. */
export type Handlers<Name extends RouteName> = { readonly [N in Name]: Handler<N> };

/** Thrown by a handler for a problem of the HTTP API; failures of Windlass can be thrown as they are. */
export class ProblemError extends Error {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.name = "ProblemError";
    this.problem = problem;
    this.headers = headers;
  }
}

/** True for a {@link ProblemError}. */
export const isProblemError: (value: unknown) => value is ProblemError = brandOf(ProblemError, "problem_error");

/** Refuses a request that may be sent again after some seconds. */
export function tooManyRequests(detail: string, seconds: number): ProblemError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  const problem = createProblem("too_many_requests", `${detail}; send it again in ${retryAfter} s`);
  return new ProblemError(problem, { "retry-after": String(retryAfter) });
}

/** An error with this problem. */
export function refusal(code: ProblemCode, detail: string, details?: ProblemDetails): ProblemError {
  return new ProblemError(createProblem(code, detail, details));
}
