import { type ReasonFailure, createReasonFailures } from "../base/index.ts";

/** Reasons for which a choice among tools itself fails. */
export const chooseReasons = {
  all_failed: {
    code: "execution_error",
    meaning: "Every tool that could do the work failed; the message has the failure of each.",
  },
  no_matching_tool: {
    code: "not_available",
    meaning: "Tools have the capability, but none can serve its contract without a mapping.",
    retry: "never",
  },
  broken_contract: {
    code: "not_available",
    meaning: "The file that describes the capability cannot be used; no tool is called without its mappings.",
    retry: "never",
  },
  contract: {
    code: "output_invalid",
    meaning: "The output of the tool does not match the contract of the capability.",
  },
} as const;

/** The name of one reason in {@link chooseReasons}. */
export type ChooseReason = keyof typeof chooseReasons;

/** A failure of a choice for this reason. */
export const choiceFailure: ReasonFailure<ChooseReason> = createReasonFailures(chooseReasons);

/** Reasons for which a part of a stored result cannot be read. */
export const resultStoreReasons = {
  bad_handle: { code: "validation_error", meaning: "This is not a handle of a result." },
  unknown_result: {
    code: "not_available",
    meaning: "No result is stored under this handle for this caller and conversation.",
    retry: "never",
  },
  result_expired: { code: "not_available", meaning: "The stored result has expired.", retry: "never" },
  bad_path: { code: "validation_error", meaning: "The JSONPath cannot be read, or takes too much work." },
  not_json: { code: "validation_error", meaning: "The result is text: a JSONPath leads nowhere in it." },
  out_of_bounds: { code: "validation_error", meaning: "The path, the offset or the lines lead beyond the result." },
  bad_lines: {
    code: "validation_error",
    meaning: "The lines are not written as `10-20`, or cannot be combined with the other arguments.",
  },
} as const;

/** The name of one reason in {@link resultStoreReasons}. */
export type ResultStoreReason = keyof typeof resultStoreReasons;

/** A failure to read a stored result, for this reason. */
export const resultStoreFailure: ReasonFailure<ResultStoreReason> = createReasonFailures(resultStoreReasons);

/** Reasons for which a skill cannot be used, in addition to those of the file access. */
export const skillReasons = {
  unknown_skill: { code: "validation_error", meaning: "There is no skill of this name." },
  broken_skill: {
    code: "file_invalid",
    meaning: "The file of the skill was changed and is not a valid skill any more.",
  },
  hidden_text: {
    code: "file_invalid",
    meaning: "The text contains characters that are invisible to people but not to a model.",
  },
} as const;

/** The name of one reason in {@link skillReasons}. */
export type SkillReason = keyof typeof skillReasons;

/** A failure of a skill for this reason. */
export const skillFailure: ReasonFailure<SkillReason> = createReasonFailures(skillReasons);

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
