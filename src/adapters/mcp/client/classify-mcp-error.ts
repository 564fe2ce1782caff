import { type FailureError, isFailureError, cliCommand, errorMessage } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { localFailure, type McpReason, mcpFailure } from "./mcp-reasons.ts";

/** Maximum number of characters of a server's message that is shown. */
const maxCharacters = 1_000;

/** Reasons of the HTTP client for failures before anything was sent. */
const unsent: ReadonlySet<string | undefined> = new Set(["dns_failed", "connect_failed", "tls_failed", "timeout"]);

/** Reasons for which it is unknown what has arrived. */
const broken: ReadonlySet<string | undefined> = new Set(["reset", "bad_response"]);

/** Codes of the client's own errors. */
const clientErrors: Readonly<Record<string, McpReason>> = {
  CONNECTION_CLOSED: "connection_lost",
  NOT_CONNECTED: "not_sent",
  INVALID_RESULT: "bad_answer",
  UNSUPPORTED_RESULT_TYPE: "bad_answer",
  CLIENT_HTTP_UNEXPECTED_CONTENT: "bad_answer",
  ERA_NEGOTIATION_FAILED: "handshake_failed",
  CAPABILITY_NOT_SUPPORTED: "protocol_error",
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: "protocol_error",
};

/** Converts any error of a request to a server to a failure that says whether to retry. */
export function classifyMcpError(error: unknown, server: string): FailureError {
  const local = localFailure(error);
  if (local !== undefined) return local;
  if (isFailureError(error)) return fromHttpClientFailure(error, server);
  const cause = error instanceof Error ? error.cause : undefined;
  if (isFailureError(cause)) return fromHttpClientFailure(cause, server);
  if (!(error instanceof Error)) return reportedFailure("protocol_error", server, error);
  // The error of the first request is wrapped once more.
  if (cause instanceof Error && "code" in error && error.code === "ERA_NEGOTIATION_FAILED") {
    return classifyMcpError(cause, server);
  }
  return ofStatus(error, server) ?? ofCode(error, server);
}

/** The HTTP status that an error carries. */
export function statusOf(error: unknown): number | undefined {
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : undefined;
}

function fromHttpClientFailure(failure: FailureError, server: string): FailureError {
  const { reason } = failure;
  if (unsent.has(reason)) {
    const { retry } = failure.toFailure("safe");
    return mcpFailure("unreachable", `the MCP server "${server}" cannot be reached: ${failure.message}`, {
      retry,
      cause: failure,
    });
  }
  if (broken.has(reason)) return mcpFailure("connection_lost", `${failure.message} (MCP server "${server}")`);
  return failure;
}

function ofStatus(error: Error, server: string): FailureError | undefined {
  const status = statusOf(error);
  if (error.name === "UnauthorizedError" || status === 401) return loginNeeded(server, error);
  if (error.name === "InsufficientScopeError" || status === 403) return reportedFailure("forbidden", server, error);
  if (status === undefined) return undefined;
  if (status === 429 || status === 503) return reportedFailure("busy", server, error);
  return mcpFailure("http_error", `the MCP server "${server}" answered with HTTP ${status}: ${messageOf(error)}`, {
    retry: status < 500 ? "never" : "unsafe",
    cause: error,
  });
}

function ofCode(error: Error, server: string): FailureError {
  const code = "code" in error ? error.code : undefined;
  if (code === -32_602) return reportedFailure("refused_call", server, error);
  if (typeof code === "number") return reportedFailure("protocol_error", server, error);
  // There are many login errors; all of them are fixed by logging in, or by the server's operator.
  if (/OAuth|Issuer|AuthorizationServer|TokenEndpoint|Registration/.test(error.name)) return loginNeeded(server, error);
  if (error.message === "Not connected") return reportedFailure("not_sent", server, error);
  // Their texts are for programmers: a list of issues as JSON, or a position in the response.
  if (error instanceof SyntaxError || error.name === "ZodError") {
    const message = `the MCP server "${server}" sent a response that is not a message of MCP; check that its address is that of an MCP server`;
    return mcpFailure("bad_answer", message, { cause: error });
  }
  return reportedFailure(clientErrors[String(code)] ?? "protocol_error", server, error);
}

/** The failure of a server that requires a login. */
export function loginNeeded(server: string, cause?: Error): FailureError {
  const why = cause === undefined || /^Unauthorized$/i.test(cause.message) ? "" : ` (${messageOf(cause)})`;
  return mcpFailure(
    "unauthorized",
    `the MCP server "${server}" requires a login${why}: run \`${cliCommand(`mcp login ${server}`)}\`, or set a key under headers`,
    { cause, forModel: `the MCP server "${server}" cannot be used until a user has logged in` },
  );
}

function reportedFailure(reason: McpReason, server: string, error: unknown): FailureError {
  return mcpFailure(reason, `the MCP server "${server}": ${messageOf(error)}`, { cause: error });
}

function messageOf(error: unknown): string {
  const text = stripUnsafe(errorMessage(error)).trim();
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
