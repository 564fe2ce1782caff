import {
  type PathParams,
  type Problem,
  type QueryParams,
  type RequestBody,
  type ResponseBody,
  type RouteName,
  type StreamEvent,
  apiVersion,
  runTopic,
} from "../../api/index.ts";
import {
  type Failure,
  type FailureCode,
  FailureError,
  cliCommand,
  fail,
  failureKinds,
  systemErrorCode,
} from "../../base/index.ts";
import { type ApiError, type WindlassClient, createClient, isApiError } from "../../client/index.ts";
import type { ServerAddress } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";
import { serverVariable, tokenVariable } from "./server-address.ts";

/** The values of a request. */
export interface ApiRequest<Name extends RouteName> {
  readonly params: PathParams<Name>;
  readonly query?: QueryParams<Name>;
  readonly body?: RequestBody<Name>;
  readonly signal?: AbortSignal;
}

/** The outcome of a request that reached the server. */
export type Attempt<Name extends RouteName> =
  | { readonly body: ResponseBody<Name>; readonly problem: undefined }
  | { readonly body: undefined; readonly problem: Problem };

/** Time after which a server that does not answer is given up. */
const patienceMs = 30_000;
const pauseMs = 1_000;

/** Requests to a server, whose errors are those of a command. */
export class ServerApi {
  readonly #address: ServerAddress;
  readonly #client: WindlassClient;

  constructor(address: ServerAddress) {
    this.#address = address;
    this.#client = createClient({ url: address.url, token: address.token, fetch: withoutRedirects });
  }

  /** Sends a request. Throws a failure, or a usage error. */
  async send<Name extends RouteName>(name: Name, request: ApiRequest<Name>): Promise<ResponseBody<Name>> {
    const { body, problem } = await this.attempt(name, request);
    if (problem !== undefined) throw errorOfProblem(problem);
    return body;
  }

  /** The same; undefined if there is no such thing. */
  async find<Name extends RouteName>(name: Name, request: ApiRequest<Name>): Promise<ResponseBody<Name> | undefined> {
    const { body, problem } = await this.attempt(name, request);
    if (problem === undefined) return body;
    if (problem.status === 404) return undefined;
    throw errorOfProblem(problem);
  }

  /** Sends a request, and returns the body of its response, or the problem with which the server refused it. */
  async attempt<Name extends RouteName>(name: Name, request: ApiRequest<Name>): Promise<Attempt<Name>> {
    try {
      return { body: await this.#send(name, request), problem: undefined };
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.problem !== undefined) return { body: undefined, problem: error.problem };
      throw this.#errorOf(error);
    }
  }

  /** The events of a run, as they happen; over lost connections and restarts of the server. */
  async *follow(
    runId: string,
    options: { readonly signal: AbortSignal; readonly onDisconnect: () => void },
  ): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      yield* this.#client.events({ topics: [runTopic(runId)], ...options });
    } catch (error) {
      throw isApiError(error) ? this.#errorOf(error) : error;
    }
  }

  /** The error of a command for a problem. */
  errorOf(problem: Problem): Error {
    return errorOfProblem(problem);
  }

  /** Sends a request, also while the server restarts. */
  async sendPatiently<Name extends RouteName>(name: Name, request: ApiRequest<Name>): Promise<ResponseBody<Name>> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await this.#send(name, request);
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (!error.isTransient || performance.now() - startedAt > patienceMs) throw this.#errorOf(error);
        await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? pauseMs));
      }
    }
  }

  async #send<Name extends RouteName>(name: Name, request: ApiRequest<Name>): Promise<ResponseBody<Name>> {
    const { headers, body } = await this.#client.request(name, request);
    this.#checkVersion(headers);
    return body;
  }

  #checkVersion(headers: Headers): void {
    const version = headers.get("windlass-api");
    if (version === apiVersion) return;
    if (version === null) throw this.#notWindlass();
    const message = `the server at ${this.#address.url} has version ${version} of the API, and this program version ${apiVersion}`;
    throw fail(`${message}; update the older one`, { code: "not_available", reason: "api_version", retry: "never" });
  }

  #notWindlass(): FailureError {
    const message = `${this.#address.url} answers, but not as a Windlass server; check the address`;
    return fail(message, { code: "not_available", reason: "not_a_server", retry: "never" });
  }

  #errorOf(error: ApiError): Error {
    const { problem, status, message, cause } = error;
    const { url } = this.#address;
    if (problem !== undefined) return errorOfProblem(problem);
    if (status === undefined)
      return fail(`${message}; ${connectionHint(cause)}`, { code: "not_available", reason: "no_server", cause: error });
    if (status < 500) return this.#notWindlass();
    const why = `the server or a proxy at ${url} answered ${status}; repeat the command later`;
    return fail(why, { code: "not_available", reason: "no_server" });
  }
}

/** A redirect could lead to another server. */
const withoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });

/** Returns the remedy for a missing connection. */
function connectionHint(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = systemErrorCode(cause) ?? "";
  const text = String(cause);
  if (/WRONG_VERSION_NUMBER|EPROTO|packet length too long/i.test(`${code} ${text}`))
    return "the server does not speak https; write http://, or use the address of its proxy";
  if (/CERT|SELF_SIGNED|UNABLE_TO/i.test(code))
    return "its certificate is not trusted; NODE_EXTRA_CA_CERTS=FILE adds a custom authority";
  if (/socket hang up|UND_ERR_SOCKET|HPE_/i.test(`${code} ${text}`))
    return "it closed the connection; perhaps it speaks https";
  return `start it with ${cliCommand("serve")}, or correct --server or ${serverVariable}`;
}

function errorOfProblem(problem: Problem): Error {
  const { code, detail } = problem;
  if (code === "unauthorized") {
    const hint = `set ${tokenVariable} to a token of this server; create one there with: ${cliCommand("token create NAME")}`;
    return new UsageError(`the server refused the token: ${detail}`, hint);
  }
  if (code === "not_found" || code === "bad_request") return new UsageError(detail);
  return new FailureError(detail, failureOf(problem));
}

/** The failure that a problem reports. */
export function failureOf(problem: Problem): Failure {
  const { code, detail, reason, issues, retry = "never", approval_id: approvalId } = problem;
  return {
    code: failureCodeOf(code),
    message: detail,
    forModel: detail,
    retry,
    ...(reason !== undefined && { reason }),
    ...(issues !== undefined && { issues }),
    ...(approvalId !== undefined && { approvalId }),
  };
}

const apiCodes: Readonly<Partial<Record<Problem["code"], FailureCode>>> = {
  forbidden: "permission_denied",
  too_large: "validation_error",
  idempotency_mismatch: "validation_error",
  too_many_requests: "rejected",
  internal_error: "execution_error",
};

function failureCodeOf(code: Problem["code"]): FailureCode {
  if (Object.hasOwn(failureKinds, code)) return code as FailureCode;
  return apiCodes[code] ?? "not_available";
}
