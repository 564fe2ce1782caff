import { FailureError, isFailureError } from "../base/index.ts";
import { retryAfterMs } from "../net/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { nameOf } from "./ask-again.ts";
import type { Model } from "./model.ts";
import { type ModelReason, isUnasked, modelFailure } from "./model-reasons.ts";
import { NoAnswer } from "./wire/no-answer.ts";

/** Why a request to a model failed, and whether the same request may do better in a while. */
export interface Explained {
  readonly failure: FailureError;
  readonly passing: boolean;
  /** The server does not know the form in which JSON was asked for. */
  readonly formRefused?: boolean;
  /** How long the server asks to wait. */
  readonly waitMs?: number;
}

/** What providers of the AI SDK throw when a server answers with an error, read by shape: there may be many copies of it. */
interface ApiError {
  readonly message: string;
  readonly statusCode: number;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Absent where it could not be read. */
  readonly responseBody?: string | undefined;
}

/** Door failures after which asking again may help. A model that is asked twice does no harm. */
const passingReasons: ReadonlySet<string> = new Set(["connect_failed", "dns_failed", "reset", "bad_response"]);

/** The model that was asked. */
type Asked = Pick<Model, "modelId" | "keyHint" | "keySource">;

/** What ended a stream in its middle; whatever it was, asking again may help, unless it says otherwise. */
export class BrokenStream extends Error {
  constructor(cause: unknown) {
    super("the stream broke off", { cause });
  }
}

/** Explains whatever a model threw; `now` is the time, for dates in headers. */
export function explainError(error: unknown, model: Asked, now: number): Explained {
  const who = nameOf(model);
  const known = inChain(error, isFailureError);
  if (known !== undefined) return explainFailure(known, who, error instanceof BrokenStream);
  const none = inChain(error, isNoAnswer);
  if (none !== undefined) return passing(none.message, error);
  const api = inChain(error, isApiError);
  if (api !== undefined) {
    if (isBrokenOff(api)) return explainBroken(api.cause ?? api, who);
    return api.statusCode === 401 || api.statusCode === 403 ? unauthorized(api, model) : explainStatus(api, who, now);
  }
  if (error instanceof BrokenStream) return explainBroken(error.cause, who);
  const unreached = inChain(error, isUnreached);
  if (unreached !== undefined) return passing(`${who} cannot be reached: ${short(unreached.message)}`, error);
  const why = error instanceof Error ? error.message : String(error);
  const failure = modelFailure("provider_error", `${who} failed: ${short(why)}`, { cause: error });
  return { failure, passing: false };
}

/** Servers tell of an error in the middle of a stream by an object of their own. */
function explainBroken(cause: unknown, who: string): Explained {
  const told: Record<string, unknown> = typeof cause === "object" && cause !== null ? { ...cause } : {};
  const message = cause instanceof Error ? cause.message : told["message"];
  const said = short(typeof message === "string" && message !== "" ? message : "no message");
  const kind = `${asWord(told["type"])} ${asWord(told["code"])} ${asWord(told["statusCode"])}`;
  if (tooLong.test(`${kind} ${said}`))
    return lasting("too_long", `the question is too long for ${who} (${said})`, cause);
  if (/rate_limit|overloaded|RESOURCE_EXHAUSTED|\b(?:429|529)\b/i.test(kind)) {
    const text = `${who} takes no more requests for now (${said}); ask again later`;
    return { failure: modelFailure("rate_limited", text, { cause }), passing: true };
  }
  const text = `${who} broke off in the middle of its answer (${said})`;
  if (refusal.test(kind)) return lasting("provider_error", text, cause);
  return passing(text, cause);
}

const refusal = /invalid_request|authentication|permission|not_found|quota|billing|\b4(?!08|09|25)\d\d\b/i;

function asWord(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function explainFailure(failure: FailureError, who: string, inStream: boolean): Explained {
  const { reason, code } = failure;
  const passing = reason !== undefined && passingReasons.has(reason);
  if (code === "timeout") {
    const message = `${who} did not answer in time: ${failure.message}; ask for less, or raise its timeout (under models: in windlass.yaml)`;
    return { failure: new FailureError(message, { code, ...(reason && { reason }), cause: failure }), passing };
  }
  if (code !== "not_available" && code !== "permission_denied" && reason !== "bad_response")
    return { failure, passing };
  if (isUnasked(failure) || reason === "unauthorized" || reason === "wrong_address") return { failure, passing: false };
  const told = new FailureError(`${who} ${howFailed(failure, inStream)}: ${failure.message}${nextStep(failure)}`, {
    code,
    ...(reason !== undefined && { reason }),
    retry: failure.toFailure().retry,
    cause: failure,
  });
  return { failure: told, passing };
}

function howFailed({ reason }: FailureError, inStream: boolean): string {
  if (reason !== "reset") return "cannot be reached";
  return inStream ? "broke off in the middle of its answer" : "gave no complete answer";
}

/** What to do where the way to a server fails. */
function nextStep({ reason, message }: FailureError): string {
  switch (reason) {
    case "connect_failed":
      return "; see that the server runs, and check the base URL";
    case "dns_failed":
      return "; check the name in the base URL";
    case "tls_failed":
      return /WRONG_VERSION/.test(message)
        ? "; the server does not speak https there: begin the base URL with http://, or check its port"
        : "; check the base URL and the server's certificate";
    case "reset":
      return "; ask again, and see the server's log where it happens again";
    case "bad_response":
      return "; check the base URL, its port, and whether it begins with https://";
    default:
      return "";
  }
}

function unauthorized(error: ApiError, model: Asked): Explained {
  const said = `${error.statusCode}: ${short(messageOf(error))}`;
  const { keyHint, keySource } = model;
  if (keyHint !== undefined) {
    const wants = error.statusCode === 401 ? "wants a key, and none was sent" : "refused, and no key was sent";
    return lasting("unauthorized", `${nameOf(model)} ${wants} (${said}); ${keyHint}`, error);
  }
  const [from, todo] =
    keySource === undefined ? ["", "give it another"] : [` of ${keySource}`, "put the right one there"];
  return lasting("unauthorized", `${nameOf(model)} does not accept the key${from} (${said}); ${todo}`, error);
}

function explainStatus(error: ApiError, who: string, now: number): Explained {
  const { statusCode, responseBody = "" } = error;
  const said = short(messageOf(error));
  if (statusCode === 429 || statusCode === 529) return rateLimited(error, who, now);
  if (statusCode === 413 || (statusCode === 400 && tooLong.test(responseBody))) {
    return lasting("too_long", `the question is too long for ${who} (${said}); send less`, error);
  }
  const told = `${who} answered ${statusCode}: ${said}${hints[statusCode] ?? ""}`;
  if (isPassing(statusCode)) {
    return { ...passing(told, error), ...waitOf(error, now) };
  }
  return { ...lasting("provider_error", told, error), formRefused: refusesForm(error) };
}

/** Does a server say that it does not know the form in which JSON was asked for? */
export function refusesForm(error: unknown): boolean {
  const { statusCode = 0, responseBody = "" } = inChain(error, isApiError) ?? {};
  return (statusCode === 400 || statusCode === 422) && aboutForm.test(responseBody);
}

const aboutForm = /response[_ ]?format|json[_ ]?(?:schema|object|mode)|grammar|structured[_ ]output/i;

/** A failure of the server or of the way to it; a model that is asked twice does no harm. */
function passing(message: string, cause: unknown): Explained {
  return { failure: modelFailure("provider_error", message, { retry: "safe", cause }), passing: true };
}

/** A failure that another attempt would not mend. */
function lasting(reason: ModelReason, message: string, cause: unknown): Explained {
  return { failure: modelFailure(reason, message, { retry: "never", cause }), passing: false };
}

/** The server is busy or broken, not the request. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || (status >= 500 && status !== 501);
}

const hints: Readonly<Record<number, string>> = {
  // The answer was no answer of a model.
  200: "; check the base URL",
  404: "; check the model's name, and that the base URL ends where the protocol's path begins (/chat/completions, /messages, /models)",
  405: "; check the base URL",
};

const tooLong =
  /context_length_exceeded|context (?:length|window|size)|maximum context|too many tokens|prompt is too long/i;

function rateLimited(error: ApiError, who: string, now: number): Explained {
  const said = short(messageOf(error));
  if (/insufficient_quota|billing/i.test(error.responseBody ?? "")) {
    return lasting("rate_limited", `the quota at ${who} is used up (${said})`, error);
  }
  const wait = waitOf(error, now);
  const later = wait.waitMs === undefined ? "later" : `in ${Math.ceil(wait.waitMs / 1000)} s`;
  const failure = modelFailure("rate_limited", `${who} takes no more requests for now (${said}); ask again ${later}`, {
    ...(wait.waitMs !== undefined && { retryAfterMs: wait.waitMs }),
    cause: error,
  });
  return { failure, passing: true, ...wait };
}

function waitOf({ responseHeaders = {} }: ApiError, now: number): { waitMs?: number } {
  const exact = Number(responseHeaders["retry-after-ms"] ?? "x");
  const waitMs = exact >= 0 ? exact : retryAfterMs(responseHeaders["retry-after"], now);
  return waitMs === undefined ? {} : { waitMs };
}

/** The server's own words, or what stands for them. */
function messageOf({ message, responseBody = "" }: ApiError): string {
  if (message.trim() !== "") return message;
  return responseBody.trim() === "" ? "no message" : responseBody;
}

/** One line of the server's words: they may hold anything. */
function short(text: string): string {
  const line = stripUnsafe(text).replaceAll(/\s+/g, " ").trim();
  if (line.length <= 300) return line;
  // Half of a key does not look like one any more, and nobody would take it out.
  return `${line.slice(0, 300).replace(keyAtEnd, "").trimEnd().toWellFormed()}…`;
}

const keyAtEnd = /[\w.~+/=-]+$/;

function isApiError(value: unknown): value is ApiError & Error {
  if (!(value instanceof Error) || !("statusCode" in value) || typeof value.statusCode !== "number") return false;
  return "responseBody" in value && "responseHeaders" in value;
}

function isNoAnswer(value: unknown): value is NoAnswer {
  return value instanceof NoAnswer;
}

/** The server had begun to answer well, and its answer could not be read to the end. */
function isBrokenOff({ statusCode, responseBody }: ApiError): boolean {
  return statusCode >= 200 && statusCode < 300 && responseBody === undefined;
}

/** What clients of the AI SDK throw when no server answers at all. */
function isUnreached(value: unknown): value is Error {
  return value instanceof Error && "isRetryable" in value && value.isRetryable === true;
}

/** The first of its kind among an error and its causes. */
function inChain<T>(error: unknown, isKind: (value: unknown) => value is T): T | undefined {
  let at = error;
  for (let depth = 0; depth < 8 && at !== undefined && at !== null; depth++) {
    if (isKind(at)) return at;
    at = at instanceof Error ? at.cause : undefined;
  }
  return undefined;
}
