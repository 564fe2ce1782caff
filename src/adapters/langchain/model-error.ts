import { APICallError } from "@ai-sdk/provider";
import { FailureError, isFailureError, orElse, errorMessage } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";

/** Codes of connections that failed or broke. */
const connectionCodes = /^(?:ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR_)/;

/**
 * Converts an error of a chat model to the form that Windlass reads: with the status and headers of the service's
 * response, so that a busy service is retried after the right delay.
 */
export function toModelError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (isFailureError(error) || APICallError.isInstance(error)) return error;
  const statusCode = statusOf(error);
  const message = errorMessage(error);
  if (statusCode !== undefined) {
    return new APICallError({
      message,
      url: "",
      requestBodyValues: undefined,
      statusCode,
      responseHeaders: headersOf(error),
      responseBody: orElse(() => JSON.stringify(isRecord(error) ? error["error"] : undefined), undefined) ?? message,
      cause: error,
    });
  }
  if (!isConnection(error)) return error;
  return new FailureError(message, { code: "not_available", reason: "connect_failed", retry: "safe", cause: error });
}

function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const response = isRecord(error["response"]) ? error["response"] : {};
  return [error["status"], error["statusCode"], response["status"]].find(
    (value): value is number => typeof value === "number" && value >= 400 && value < 600,
  );
}

function headersOf(error: unknown): Record<string, string> {
  const { headers, response } = isRecord(error) ? error : {};
  const found = headers ?? (isRecord(response) ? response["headers"] : undefined);
  if (found instanceof Headers) return Object.fromEntries(found);
  if (!isRecord(found)) return {};
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : [])),
  );
}

function isConnection(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    if (at.name === "APIConnectionError") return true;
    if ("code" in at && typeof at.code === "string" && connectionCodes.test(at.code)) return true;
    at = at.cause;
  }
  return false;
}
