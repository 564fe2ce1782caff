import { type FailureError, isFailureError } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { localFailure } from "./local-failure.ts";
import { type McpReason, mcpFailure } from "./mcp-reasons.ts";

/** What a server says is shown as far as this. */
const mostCharacters = 1_000;

/** Reasons of the network's door under which nothing has been sent yet. */
const unsent: ReadonlySet<string | undefined> = new Set(["dns_failed", "connect_failed", "tls_failed", "timeout"]);

/** Reasons under which it is not known what has arrived. */
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

/** Whatever was thrown on the way to a server and back, as a failure that says whether to try again. */
export function explainError(error: unknown, server: string): FailureError {
  const local = localFailure(error);
  if (local !== undefined) return local;
  if (isFailureError(error)) return ofDoor(error, server);
  const cause = error instanceof Error ? error.cause : undefined;
  if (isFailureError(cause)) return ofDoor(cause, server);
  if (!(error instanceof Error)) return told("protocol_error", server, error);
  // What was asked first is wrapped once more.
  if (cause instanceof Error && "code" in error && error.code === "ERA_NEGOTIATION_FAILED") {
    return explainError(cause, server);
  }
  return ofStatus(error, server) ?? ofCode(error, server);
}

/** The HTTP status that an error carries. */
export function statusOf(error: unknown): number | undefined {
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : undefined;
}

function ofDoor(failure: FailureError, server: string): FailureError {
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
  if (error.name === "InsufficientScopeError" || status === 403) return told("forbidden", server, error);
  if (status === undefined) return undefined;
  if (status === 429 || status === 503) return told("busy", server, error);
  return mcpFailure("http_error", `the MCP server "${server}" answered with HTTP ${status}: ${messageOf(error)}`, {
    retry: status < 500 ? "never" : "unsafe",
    cause: error,
  });
}

function ofCode(error: Error, server: string): FailureError {
  const code = "code" in error ? error.code : undefined;
  if (code === -32_602) return told("refused_call", server, error);
  if (typeof code === "number") return told("protocol_error", server, error);
  if (isOAuthError(error)) return loginNeeded(server, error);
  if (error.message === "Not connected") return told("not_sent", server, error);
  if (error instanceof SyntaxError || error.name === "ZodError") return told("bad_answer", server, error);
  return told(clientErrors[String(code)] ?? "protocol_error", server, error);
}

/** Errors of the login are many, and all of them are mended by logging in, or by whoever runs the server. */
function isOAuthError(error: Error): boolean {
  return /OAuth|Issuer|AuthorizationServer|TokenEndpoint|Registration/.test(error.name);
}

/** Somebody has to log in. */
export function loginNeeded(server: string, cause?: Error): FailureError {
  const why = cause === undefined || /^Unauthorized$/i.test(cause.message) ? "" : ` (${messageOf(cause)})`;
  return mcpFailure(
    "unauthorized",
    `the MCP server "${server}" wants somebody to log in${why}: run \`windlass mcp login ${server}\`, ` +
      "or give it a key under headers",
    { cause, forModel: `the MCP server "${server}" cannot be used until a person has logged in` },
  );
}

function told(reason: McpReason, server: string, error: unknown): FailureError {
  return mcpFailure(reason, `the MCP server "${server}": ${messageOf(error)}`, { cause: error });
}

function messageOf(error: unknown): string {
  const text = stripUnsafe(error instanceof Error ? error.message : String(error)).trim();
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
