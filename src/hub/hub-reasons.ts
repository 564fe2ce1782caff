import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../base/index.ts";

const chooseGroups = {
  execution_error: {
    all_failed: "Every tool that could do the work failed; the message has the failure of each.",
  },
  "not_available, never": {
    no_matching_tool: "Tools have the capability, but none can serve its contract without a mapping.",
    broken_contract: "The file that describes the capability cannot be used; no tool is called without its mappings.",
  },
  output_invalid: { contract: "The output of the tool does not match the contract of the capability." },
} as const;

/** Reasons for which a choice among tools itself fails. */
export const chooseReasons: ReasonTable<typeof chooseGroups> = createReasonTable(chooseGroups);

/** The name of one reason in {@link chooseReasons}. */
export type ChooseReason = keyof typeof chooseReasons;

/** A failure of a choice for this reason. */
export const choiceFailure: ReasonFailure<ChooseReason> = createReasonFailures(chooseReasons);

const resultStoreGroups = {
  validation_error: {
    bad_handle: "This is not a handle of a result.",
    bad_path: "The JSONPath cannot be read, or takes too much work.",
    not_json: "The result is text: a JSONPath leads nowhere in it.",
    out_of_bounds: "The path, the offset or the lines lead beyond the result.",
    bad_lines: "The lines are not written as `10-20`, or cannot be combined with the other arguments.",
  },
  "not_available, never": {
    unknown_result: "No result is stored under this handle for this caller and conversation.",
    result_expired: "The stored result has expired.",
  },
} as const;

/** Reasons for which a part of a stored result cannot be read. */
export const resultStoreReasons: ReasonTable<typeof resultStoreGroups> = createReasonTable(resultStoreGroups);

/** The name of one reason in {@link resultStoreReasons}. */
export type ResultStoreReason = keyof typeof resultStoreReasons;

/** A failure to read a stored result, for this reason. */
export const resultStoreFailure: ReasonFailure<ResultStoreReason> = createReasonFailures(resultStoreReasons);

const skillGroups = {
  validation_error: { unknown_skill: "There is no skill of this name." },
  file_invalid: {
    broken_skill: "The file of the skill was changed and is not a valid skill any more.",
    hidden_text: "The text contains characters that are invisible to people but not to a model.",
  },
} as const;

/** Reasons for which a skill cannot be used, in addition to those of the file access. */
export const skillReasons: ReasonTable<typeof skillGroups> = createReasonTable(skillGroups);

/** The name of one reason in {@link skillReasons}. */
export type SkillReason = keyof typeof skillReasons;

/** A failure of a skill for this reason. */
export const skillFailure: ReasonFailure<SkillReason> = createReasonFailures(skillReasons);

const mcpSourceGroups = {
  "not_available, never": {
    unpinned: "The tool is new on a server that was known without it; it is not approved yet.",
    pin_mismatch: "The definition of the tool has changed since it was approved.",
    hidden_text: "The definition of the tool contains characters that are invisible to people but not to a model.",
    tool_too_large: "The definition of the tool, or its description, is too large.",
    too_many_tools: "The server has more tools than the maximum.",
    bad_tool_name: "The tool cannot be registered under its name, or another tool of the server has it.",
    bad_schema: "A schema of the tool cannot be used.",
    server_changed: "The command line or the address of the server changed since it was approved.",
    tool_gone: "The server does not offer the tool any more.",
  },
  not_available: {
    server_down: "The server failed repeatedly and is cooling down.",
    source_closed: "The workspace is being closed.",
  },
  validation_error: { unknown_server: "The workspace has no MCP server of this name." },
  execution_error: { tool_failed: "The tool ran on its server and failed; the message is its own." },
} as const;

/** Reasons for which a tool of an MCP server is refused here, in addition to connection failures. */
export const mcpSourceReasons: ReasonTable<typeof mcpSourceGroups> = createReasonTable(mcpSourceGroups);

/** The name of one reason in {@link mcpSourceReasons}. */
export type McpSourceReason = keyof typeof mcpSourceReasons;

/** A failure for this reason. */
export const mcpSourceFailure: ReasonFailure<McpSourceReason> = createReasonFailures(mcpSourceReasons);
