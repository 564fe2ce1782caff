import { type ReasonFailure, failuresFor } from "../../../base/index.ts";

/** Every reason for which an MCP server cannot be used, or a call of one fails. The reference is generated from it. */
export const mcpReasons = {
  start_failed: { code: "not_available", means: "The server's program cannot be started.", retry: "never" },
  exited: { code: "not_available", means: "The server's program ended before it had shaken hands." },
  no_handshake: { code: "not_available", means: "The server does not answer the handshake in time." },
  handshake_failed: {
    code: "not_available",
    means: "The server refuses the handshake, or speaks no version of the protocol that is spoken here.",
    retry: "never",
  },
  unreachable: { code: "not_available", means: "The server cannot be reached; nothing was sent." },
  connection_lost: {
    code: "not_available",
    means: "The connection broke while the call was under way; the tool may have run.",
    retry: "unsafe",
  },
  not_sent: {
    code: "not_available",
    means:
      "The connection was over before the call was sent, or the server had forgotten the session: nothing was done.",
  },
  unauthorized: {
    code: "not_available",
    means: "The server wants somebody to log in (`windlass mcp login NAME`), or does not accept the key.",
    retry: "never",
  },
  forbidden: { code: "permission_denied", means: "The server does not allow this to whoever is logged in." },
  busy: { code: "not_available", means: "The server has too much to do and wants to be asked later." },
  http_error: { code: "not_available", means: "The server, or something before it, answered with an HTTP error." },
  refused_call: { code: "validation_error", means: "The server knows no such tool, or does not take the arguments." },
  protocol_error: {
    code: "execution_error",
    means: "The server answered with an error of the protocol instead of a result.",
    retry: "never",
  },
  bad_answer: { code: "output_invalid", means: "The server's answer is not what the protocol asks for." },
  too_large: {
    code: "output_invalid",
    means: "The server's answer is larger than a message may be.",
    retry: "never",
  },
  endless_list: {
    code: "output_invalid",
    means: "A list of the server has too many pages, entries or bytes, or does not come to an end.",
    retry: "never",
  },
  too_many_questions: {
    code: "execution_error",
    means: "The server asks again and again before it gives a result.",
    retry: "never",
  },
  unanswerable: {
    code: "not_available",
    means: "The server asks for something that is not offered to servers, such as a model.",
    retry: "never",
  },
  aborted: { code: "cancelled", means: "The caller cancelled." },
} as const;

/** The name of one reason in {@link mcpReasons}. */
export type McpReason = keyof typeof mcpReasons;

/** A failure of an MCP server for this reason. */
export const mcpFailure: ReasonFailure<McpReason> = failuresFor(mcpReasons);
