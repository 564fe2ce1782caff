import { FailureError, isFailureError, errorMessage } from "../../base/index.ts";
import { retryAfterMs } from "../../net/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { modelLabel } from "./retry-with-backoff.ts";
import type { Model } from "../port/model.ts";
import { type ModelReason, isModelMissing, modelFailure } from "../port/model-reasons.ts";

/** The failure of a model request, and whether a later retry may succeed. */
export interface ModelErrorInfo {
  readonly failure: FailureError;
  readonly isTransient: boolean;
  /** The server does not support the requested JSON format. */
  readonly formRefused?: boolean;
  /** The wait that the server requires. */
  readonly waitMs?: number;
}

/**
 * Error that AI SDK providers throw if a server responds with an error. Read by shape: there may be several copies of
 * its class.
 */
interface ApiError {
  readonly message: string;
  readonly statusCode: number;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Undefined if it could not be read. */
  readonly responseBody?: string | undefined;
}

/** HTTP client failures after which a retry may help. Sending a model request twice is safe. */
const passingReasons: ReadonlySet<string> = new Set(["connect_failed", "dns_failed", "reset", "bad_response"]);

/** The model that received the request. */
type RequestedModel = Pick<Model, "modelId" | "keyHint" | "keySource">;

/** The error that ended a stream early. A retry may help unless the error says otherwise. */
export class BrokenStream extends Error {
  constructor(cause: unknown) {
    super("the stream broke off", { cause });
  }
}

/** Classifies any error thrown by a model; `now` is the current time, for dates in headers. */
export function classifyModelError(error: unknown, model: RequestedModel, now: number): ModelErrorInfo {
  const label = modelLabel(model);
  const known = inChain(error, isFailureError);
  if (known !== undefined) return explainFailure(known, label, error instanceof BrokenStream);
  const none = inChain(error, (value) => value instanceof EmptyModelResponse);
  if (none !== undefined) return passing(none.message, error);
  const api = inChain(error, isApiError);
  if (api !== undefined) {
    if (isBrokenOff(api)) return explainBroken(api.cause ?? api, label);
    return api.statusCode === 401 || api.statusCode === 403 ? unauthorized(api, model) : explainStatus(api, label, now);
  }
  if (error instanceof BrokenStream) return explainBroken(error.cause, label);
  const unreached = inChain(error, isUnreached);
  if (unreached !== undefined) return passing(`${label} cannot be reached: ${short(unreached.message)}`, error);
  const failure = modelFailure("provider_error", `${label} failed: ${short(errorMessage(error))}`, { cause: error });
  return { failure, isTransient: false };
}

/** Servers report an error in the middle of a stream as an object of their own format. */
function explainBroken(cause: unknown, label: string): ModelErrorInfo {
  const reported: Record<string, unknown> = typeof cause === "object" && cause !== null ? { ...cause } : {};
  const message = cause instanceof Error ? cause.message : reported["message"];
  const content = short(typeof message === "string" && message !== "" ? message : "no message");
  const kind = `${asWord(reported["type"])} ${asWord(reported["code"])} ${asWord(reported["statusCode"])}`;
  if (tooLong.test(`${kind} ${content}`))
    return lasting("too_long", `the request is too long for ${label} (${content})`, cause);
  if (/rate_limit|overloaded|RESOURCE_EXHAUSTED|\b(?:429|529)\b/i.test(kind)) {
    const text = `${label} accepts no more requests for now (${content}); retry later`;
    return { failure: modelFailure("rate_limited", text, { cause }), isTransient: true };
  }
  const text = `${label} stopped in the middle of its response (${content})`;
  if (refusal.test(kind)) return lasting("provider_error", text, cause);
  return passing(text, cause);
}

const refusal = /invalid_request|authentication|permission|not_found|quota|billing|\b4(?!08|09|25)\d\d\b/i;

function asWord(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function explainFailure(failure: FailureError, label: string, inStream: boolean): ModelErrorInfo {
  const { reason, code } = failure;
  const passing = reason !== undefined && passingReasons.has(reason);
  if (code === "timeout") {
    const message = `${label} did not respond in time: ${failure.message}; request less, or raise its timeout (under models: in windlass.yaml)`;
    return {
      failure: new FailureError(message, { code, ...(reason && { reason }), cause: failure }),
      isTransient: passing,
    };
  }
  if (code !== "not_available" && code !== "permission_denied" && reason !== "bad_response")
    return { failure, isTransient: passing };
  if (isModelMissing(failure) || reason === "unauthorized" || reason === "wrong_address")
    return { failure, isTransient: false };
  const reported = new FailureError(
    `${label} ${howFailed(failure, inStream)}: ${failure.message}${nextStep(failure)}`,
    {
      code,
      ...(reason !== undefined && { reason }),
      retry: failure.toFailure().retry,
      cause: failure,
    },
  );
  return { failure: reported, isTransient: passing };
}

function howFailed({ reason }: FailureError, inStream: boolean): string {
  if (reason !== "reset") return "cannot be reached";
  return inStream ? "stopped in the middle of its response" : "returned no complete response";
}

/** The suggested fix if the connection to a server fails. */
function nextStep({ reason, message }: FailureError): string {
  switch (reason) {
    case "connect_failed":
      return "; check that the server is running, and check the base URL";
    case "dns_failed":
      return "; check the name in the base URL";
    case "tls_failed":
      return /WRONG_VERSION/.test(message)
        ? "; the server does not speak https there: start the base URL with http://, or check its port"
        : "; check the base URL and the server's certificate";
    case "reset":
      return "; retry, and check the server's log if it happens again";
    case "bad_response":
      return "; check the base URL, its port, and whether it begins with https://";
    default:
      return "";
  }
}

function unauthorized(error: ApiError, model: RequestedModel): ModelErrorInfo {
  const content = `${error.statusCode}: ${short(messageOf(error))}`;
  const { keyHint, keySource } = model;
  if (keyHint !== undefined) {
    const wants = error.statusCode === 401 ? "requires a key, and none was sent" : "refused, and no key was sent";
    return lasting("unauthorized", `${modelLabel(model)} ${wants} (${content}); ${keyHint}`, error);
  }
  const [from, todo] = keySource === undefined ? ["", "provide another one"] : [` of ${keySource}`, "correct it there"];
  return lasting("unauthorized", `${modelLabel(model)} does not accept the key${from} (${content}); ${todo}`, error);
}

function explainStatus(error: ApiError, label: string, now: number): ModelErrorInfo {
  const { statusCode, responseBody = "" } = error;
  const content = short(messageOf(error));
  if (statusCode === 429 || statusCode === 529) return rateLimited(error, label, now);
  if (statusCode === 413 || (statusCode === 400 && tooLong.test(responseBody))) {
    return lasting("too_long", `the request is too long for ${label} (${content}); send less`, error);
  }
  const reported = `${label} answered ${statusCode}: ${content}${hints[statusCode] ?? ""}`;
  // The server is busy or failing; the request itself is valid.
  if (statusCode === 408 || statusCode === 425 || (statusCode >= 500 && statusCode !== 501)) {
    return { ...passing(reported, error), ...waitOf(error, now) };
  }
  return { ...lasting("provider_error", reported, error), formRefused: isResponseFormatRejected(error) };
}

/** True if a server reports that it does not support the requested JSON format. */
export function isResponseFormatRejected(error: unknown): boolean {
  const { statusCode = 0, responseBody = "" } = inChain(error, isApiError) ?? {};
  return (statusCode === 400 || statusCode === 422) && aboutForm.test(responseBody);
}

const aboutForm = /response[_ ]?format|json[_ ]?(?:schema|object|mode)|grammar|structured[_ ]output/i;

/** A failure of the server or of the connection to it. Sending a model request twice is safe. */
function passing(message: string, cause: unknown): ModelErrorInfo {
  return { failure: modelFailure("provider_error", message, { retry: "safe", cause }), isTransient: true };
}

/** A failure that a retry would not fix. */
function lasting(reason: ModelReason, message: string, cause: unknown): ModelErrorInfo {
  return { failure: modelFailure(reason, message, { retry: "never", cause }), isTransient: false };
}

const hints: Readonly<Record<number, string>> = {
  // The body was not a model response.
  200: "; check the base URL",
  404: "; check the model's name, and that the base URL ends where the protocol's path begins (/chat/completions, /messages, /models)",
  405: "; check the base URL",
};

const tooLong =
  /context_length_exceeded|context (?:length|window|size)|maximum context|too many tokens|prompt is too long/i;

function rateLimited(error: ApiError, label: string, now: number): ModelErrorInfo {
  const content = short(messageOf(error));
  if (/insufficient_quota|billing/i.test(error.responseBody ?? "")) {
    return lasting("rate_limited", `the quota at ${label} is used up (${content})`, error);
  }
  const wait = waitOf(error, now);
  const later = wait.waitMs === undefined ? "later" : `in ${Math.ceil(wait.waitMs / 1000)} s`;
  const failure = modelFailure(
    "rate_limited",
    `${label} accepts no more requests for now (${content}); retry ${later}`,
    {
      ...(wait.waitMs !== undefined && { retryAfterMs: wait.waitMs }),
      cause: error,
    },
  );
  return { failure, isTransient: true, ...wait };
}

function waitOf({ responseHeaders = {} }: ApiError, now: number): { waitMs?: number } {
  const exact = Number(responseHeaders["retry-after-ms"] ?? "x");
  const waitMs = exact >= 0 ? exact : retryAfterMs(responseHeaders["retry-after"], now);
  return waitMs === undefined ? {} : { waitMs };
}

/** The server's own message, or a substitute. */
function messageOf({ message, responseBody = "" }: ApiError): string {
  if (message.trim() !== "") return message;
  return responseBody.trim() === "" ? "no message" : responseBody;
}

/** One line of the server's message, which may contain anything. */
function short(text: string): string {
  const line = stripUnsafe(text).replaceAll(/\s+/g, " ").trim();
  if (line.length <= 300) return line;
  // A truncated key no longer looks like a key and would not be redacted.
  return `${line.slice(0, 300).replace(keyAtEnd, "").trimEnd().toWellFormed()}…`;
}

const keyAtEnd = /[\w.~+/=-]+$/;

function isApiError(value: unknown): value is ApiError & Error {
  if (!(value instanceof Error) || !("statusCode" in value) || typeof value.statusCode !== "number") return false;
  return "responseBody" in value && "responseHeaders" in value;
}

/** The server began a successful response, which could not be read to the end. */
function isBrokenOff({ statusCode, responseBody }: ApiError): boolean {
  return statusCode >= 200 && statusCode < 300 && responseBody === undefined;
}

/** Error that AI SDK clients throw if no server responds at all. */
function isUnreached(value: unknown): value is Error {
  return value instanceof Error && "isRetryable" in value && value.isRetryable === true;
}

/** The first error of this kind among an error and its causes. */
function inChain<T>(error: unknown, isKind: (value: unknown) => value is T): T | undefined {
  let at = error;
  for (let depth = 0; depth < 8 && at !== undefined && at !== null; depth++) {
    if (isKind(at)) return at;
    at = at instanceof Error ? at.cause : undefined;
  }
  return undefined;
}

/** A successful response without a model response in it; a retry may help. */
export class EmptyModelResponse extends Error {}
