import { type ReasonFailure, createReasonFailures, type FailureError } from "../../../base/index.ts";
import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";

/** Every reason for which an MCP server cannot be used, or a call of one fails. The reference is generated from it. */
export const mcpReasons = {
  start_failed: { code: "not_available", meaning: "The server's program cannot be started.", retry: "never" },
  exited: { code: "not_available", meaning: "The server's program exited before it completed the handshake." },
  no_handshake: { code: "not_available", meaning: "The server does not answer the handshake in time." },
  handshake_failed: {
    code: "not_available",
    meaning: "The server refuses the handshake, or supports none of our protocol versions.",
    retry: "never",
  },
  unreachable: { code: "not_available", meaning: "The server cannot be reached; nothing was sent." },
  connection_lost: {
    code: "not_available",
    meaning: "The connection broke during the call; the tool may have run.",
    retry: "unsafe",
  },
  not_sent: {
    code: "not_available",
    meaning:
      "The connection had ended before the call was sent, or the server had forgotten the session: nothing was executed.",
  },
  unauthorized: {
    code: "not_available",
    meaning: "The server requires a login (`windlass mcp login NAME`), or does not accept the key.",
    retry: "never",
  },
  forbidden: { code: "permission_denied", meaning: "The server does not allow this for the logged-in user." },
  busy: { code: "not_available", meaning: "The server is overloaded; retry later." },
  http_error: { code: "not_available", meaning: "The server, or a proxy in front of it, answered with an HTTP error." },
  refused_call: { code: "validation_error", meaning: "The server does not know the tool, or rejects the arguments." },
  protocol_error: {
    code: "execution_error",
    meaning: "The server answered with a protocol error instead of a result.",
    retry: "never",
  },
  bad_answer: { code: "output_invalid", meaning: "The server's response violates the protocol." },
  too_large: {
    code: "output_invalid",
    meaning: "The server's response exceeds the maximum message size.",
    retry: "never",
  },
  list_too_long: {
    code: "output_invalid",
    meaning: "A list of the server has too many pages, entries or bytes, or does not end.",
    retry: "never",
  },
  too_many_elicitations: {
    code: "execution_error",
    meaning: "The server keeps sending elicitations instead of a result.",
    retry: "never",
  },
  unsupported_request: {
    code: "not_available",
    meaning: "The server requests something that is not offered to servers, such as a model.",
    retry: "never",
  },
  aborted: { code: "cancelled", meaning: "The caller cancelled." },
} as const;

/** The name of one reason in {@link mcpReasons}. */
export type McpReason = keyof typeof mcpReasons;

/** A failure of an MCP server for this reason. */
export const mcpFailure: ReasonFailure<McpReason> = createReasonFailures(mcpReasons);

/**
 * The failure of a message on a connection that has ended. Requests in flight may have been executed; this one was not.
 *
 * @param lost The reason of the end, if it was not requested.
 */
export function notSent(server: string, lost?: FailureError): FailureError {
  // An action that the user has to take is more useful to know.
  if (lost?.reason === "unauthorized" || lost?.reason === "forbidden") return lost;
  const reported = lost?.message ?? `the connection to the MCP server "${server}" is closed`;
  return mcpFailure("not_sent", reported, {
    cause: lost,
    forModel: `the connection to the MCP server "${server}" is closed`,
  });
}

/** Carried in the `data` of an error response created here; a server cannot create one. */
class LocalFailure {
  readonly failure: FailureError;

  constructor(failure: FailureError) {
    this.failure = failure;
  }
}

/** A response that the transport creates itself, since the server's own will not arrive. */
export function failedResponse(id: string | number, failure: FailureError): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: failure.message, data: new LocalFailure(failure) } };
}

/** The failure within the error that such a response became. */
export function localFailure(error: unknown): FailureError | undefined {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  return data instanceof LocalFailure ? data.failure : undefined;
}
