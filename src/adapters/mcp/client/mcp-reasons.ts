import {
  type ReasonFailure,
  type ReasonTable,
  createReasonTable,
  createReasonFailures,
  type FailureError,
} from "../../../base/index.ts";
import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";

const mcpGroups = {
  "not_available, never": {
    start_failed: "The server's program cannot be started.",
    handshake_failed: "The server refuses the handshake, or supports none of our protocol versions.",
    unauthorized: "The server requires a login (`windlass mcp login NAME`), or does not accept the key.",
    unsupported_request: "The server requests something that is not offered to servers, such as a model.",
  },
  not_available: {
    exited: "The server's program exited before it completed the handshake.",
    no_handshake: "The server does not answer the handshake in time.",
    unreachable: "The server cannot be reached; nothing was sent.",
    not_sent:
      "The connection had ended before the call was sent, or the server had forgotten the session: nothing was executed.",
    busy: "The server is overloaded; retry later.",
    http_error: "The server, or a proxy in front of it, answered with an HTTP error.",
  },
  "not_available, unsafe": { connection_lost: "The connection broke during the call; the tool may have run." },
  permission_denied: { forbidden: "The server does not allow this for the logged-in user." },
  validation_error: { refused_call: "The server does not know the tool, or rejects the arguments." },
  "execution_error, never": {
    protocol_error: "The server answered with a protocol error instead of a result.",
    too_many_elicitations: "The server keeps sending elicitations instead of a result.",
  },
  output_invalid: { bad_answer: "The server's response violates the protocol." },
  "output_invalid, never": {
    too_large: "The server's response exceeds the maximum message size.",
    list_too_long: "A list of the server has too many pages, entries or bytes, or does not end.",
  },
  cancelled: { aborted: "The caller cancelled." },
} as const;

/** Every reason for which an MCP server cannot be used, or a call of one fails. The reference is generated from it. */
export const mcpReasons: ReasonTable<typeof mcpGroups> = createReasonTable(mcpGroups);

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
