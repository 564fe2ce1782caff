import type { Coded, NoParams } from "../../text/index.ts";

/** The notices of agent runs: their codes with their parameters. `message` quotes a failure. */
export interface AgentNoticeParams {
  /** A notice of a custom runner. */
  readonly custom_notice: { readonly text: string };

  // --- the model
  readonly answer_cut_off: NoParams;
  readonly answer_filtered: NoParams;
  /** The model wrote a tool call as text. */
  readonly answer_has_call: NoParams;
  readonly model_replaced: { readonly model: string; readonly replacement: string; readonly message: string };
  readonly images_removed: NoParams;
  readonly results_cleared: NoParams;
  readonly history_summarized: NoParams;
  readonly tools_not_allowed: NoParams;
  readonly rounds_used_up: { readonly rounds: number };
  readonly no_progress: NoParams;
  readonly budget_nearly_used_up: NoParams;
  /** `text` is the model's own. */
  readonly results_within_budget: {
    readonly results: readonly { readonly tool: string; readonly summary: string }[];
    readonly text?: string;
  };
  readonly other_prompts_answered: { readonly count: number };

  // --- options and commands
  readonly option_unusable: { readonly option: string; readonly expects: OptionType };
  readonly custom_command_unusable: { readonly command: string; readonly reason: "name" | "tool" | "params" };
  readonly custom_commands_limited: { readonly max: number; readonly omitted: number };
  readonly command_unknown: { readonly command: string; readonly suggestion: string };
  readonly command_not_executed: {
    readonly command: string;
    readonly reason: "no_tool" | "no_content" | "no_query";
    readonly tool?: string;
  };
  readonly commands_limited: { readonly max: number; readonly omitted: number };
  readonly commands_ignored: {
    readonly commands: readonly string[];
    readonly reason: "pasted" | "not_leading" | "other_runner" | "untrusted_prompt";
  };

  // --- plans
  readonly loop_failed: { readonly message: string };
  readonly plan_succeeded: NoParams;
  readonly plan_failed: { readonly message: string };
  readonly plan_as_text: NoParams;
  readonly plan_unusable: { readonly issues: readonly string[]; readonly instead: "no_tools" | "one_step" };
  readonly gathered_results_cut: NoParams;
  readonly plan_shortened: { readonly steps: number; readonly max: number };
  readonly dependency_dropped: {
    readonly step: string;
    readonly dependency: string;
    readonly reason: "itself" | "unknown" | "cycle";
  };
  readonly plan_made: { readonly steps: readonly PlannedStep[] };
  readonly step_cut_off: { readonly step: string };
  /** Without a message the planned tool was not called. */
  readonly step_tool_replaced: {
    readonly step: string;
    readonly tool: string;
    readonly replacement?: string;
    readonly message?: string;
  };
  /** Without a step the answer. */
  readonly result_unverified: { readonly step?: string; readonly issues: readonly string[] };
  readonly answer_not_written: { readonly message: string };

  // --- notes and projects
  readonly model_without_answer: { readonly message: string; readonly quotesNotes: boolean };
  readonly time_without_notes: { readonly time: string };
  readonly time_not_understood: { readonly time: string };
  readonly citations_missing: NoParams;
  readonly citations_unknown: { readonly citations: readonly string[] };
  readonly project_not_listed: { readonly message: string };
  readonly project_limited: { readonly max: number };
  readonly pattern_unusable: { readonly pattern: string };
  readonly files_cut: ListedFiles;
  readonly files_omitted: ListedFiles & { readonly reason: OmissionReason };
}

/** A notice of an agent run as data. */
export type AgentNotice = Coded<AgentNoticeParams>;

/** The values that an option of a runner accepts; a list names them. */
export type OptionType = "text" | "texts" | "count" | "tokens" | "commands" | readonly string[];

/** Why a file of a project is not shown to the model; `message` if it could not be read. */
export type OmissionReason = "too_many" | "budget" | "not_text" | { readonly message: string };

/** The first files of a list, and the number of the others. */
interface ListedFiles {
  readonly files: readonly string[];
  readonly more: number;
}

/** A step of a plan, as users see it. */
export interface PlannedStep {
  readonly id: string;
  readonly description: string;
  readonly tool: string;
  readonly dependencies: readonly string[];
}
