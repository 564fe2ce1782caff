import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a tool of an MCP server is refused here, in addition to connection failures. */
export const mcpSourceReasons = {
  unpinned: {
    code: "not_available",
    meaning: "The tool is new on a server that was known without it; it is not approved yet.",
    retry: "never",
  },
  pin_mismatch: {
    code: "not_available",
    meaning: "The definition of the tool has changed since it was approved.",
    retry: "never",
  },
  hidden_text: {
    code: "not_available",
    meaning: "The definition of the tool contains characters that are invisible to people but not to a model.",
    retry: "never",
  },
  tool_too_large: {
    code: "not_available",
    meaning: "The definition of the tool, or its description, is too large.",
    retry: "never",
  },
  too_many_tools: { code: "not_available", meaning: "The server has more tools than the maximum.", retry: "never" },
  bad_tool_name: {
    code: "not_available",
    meaning: "The tool cannot be registered under its name, or another tool of the server has it.",
    retry: "never",
  },
  bad_schema: { code: "not_available", meaning: "A schema of the tool cannot be used.", retry: "never" },
  server_changed: {
    code: "not_available",
    meaning: "The command line or the address of the server changed since it was approved.",
    retry: "never",
  },
  server_down: {
    code: "not_available",
    meaning: "The server failed repeatedly and is cooling down.",
    retry: "safe",
  },
  tool_gone: { code: "not_available", meaning: "The server does not offer the tool any more.", retry: "never" },
  unknown_server: {
    code: "validation_error",
    meaning: "The workspace has no MCP server of this name.",
    retry: "never",
  },
  tool_failed: { code: "execution_error", meaning: "The tool ran on its server and failed; the message is its own." },
  source_closed: { code: "not_available", meaning: "The workspace is being closed.", retry: "safe" },
} as const;

/** The name of one reason in {@link mcpSourceReasons}. */
export type McpSourceReason = keyof typeof mcpSourceReasons;

/** A failure for this reason. */
export const mcpSourceFailure: ReasonFailure<McpSourceReason> = createReasonFailures(mcpSourceReasons);
