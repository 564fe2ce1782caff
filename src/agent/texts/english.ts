import { quoteText } from "../../text/index.ts";
import type { AgentNoticeParams, OmissionReason, OptionType } from "../events/agent-notice.ts";
import type { AgentTextTable } from "./agent-text-table.ts";

const hadToAnswer = "so the model had to answer with what it had";

const optionTypes = {
  text: "a text",
  texts: "a list of texts",
  count: "a whole number, 1 or more",
  tokens: "a number of tokens",
  commands: "a map of names to tools",
} as const;

const optionType = (type: OptionType): string =>
  typeof type === "string" ? optionTypes[type] : type.map((word) => JSON.stringify(word)).join(" or ");

const omissions = {
  too_many: "there are too many",
  budget: "it did not fit into the budget",
  not_text: "it holds no text",
} as const;

const omission = (reason: OmissionReason): string => (typeof reason === "string" ? omissions[reason] : reason.message);

const ignored: Readonly<Record<AgentNoticeParams["commands_ignored"]["reason"], string>> = {
  pasted: "it is inside what looks like a pasted mail or chat; put it before that, or in a separate prompt",
  not_leading:
    'it changes something, and so counts only at the beginning of a line, and not below one such as "Summarize:"',
  other_runner: "only the planned runner executes commands",
  untrusted_prompt: "the prompt itself is untrusted",
};

const unusableCommand: Readonly<Record<AgentNoticeParams["custom_command_unusable"]["reason"], string>> = {
  name: "its name is not a valid word",
  tool: "it names no tool",
  params: "its params are not a map",
};

const listed = (files: readonly string[], more: number): string =>
  more > 0 ? `${files.join(", ")} and ${more} more` : files.join(", ");

/** The English texts of agents. */
export const english: AgentTextTable = {
  notices: {
    custom_notice: ({ text }) => text,
    answer_cut_off: () => "the answer was cut off by the model's limit of tokens",
    answer_filtered: () => "the answer was cut off by a content filter of the model's service",
    answer_has_call: () => "the answer contains a tool call that the model wrote as text; it was not made",
    model_replaced: ({ model, replacement, message }) =>
      `${model} gave no answer, and ${replacement} was used instead: ${message}`,
    images_removed: () => "images of tools were removed: the service rejected the request",
    results_cleared: () => "older tool results were cleared: the conversation was too long for the model",
    history_summarized: () => "the beginning of the conversation was summarized: it was too long for the model",
    tools_not_allowed: () => "the model wanted tools, and no tool may be called: max_rounds is 0",
    rounds_used_up: ({ rounds }) =>
      `${rounds === 1 ? "the one round of tool calls (max_rounds) was" : `all ${rounds} rounds of tool calls (max_rounds) were`} used up, ${hadToAnswer}`,
    no_progress: () => `the last calls brought nothing new, ${hadToAnswer}`,
    budget_nearly_used_up: () => `the budget was nearly used up, ${hadToAnswer}`,
    results_within_budget: ({ results, text }) => {
      const found = results.map(({ tool, summary }) => `${tool}: ${summary}`);
      return `found before the budget was used up: ${[...found, ...(text === undefined ? [] : [`the model: ${text}`])].join("; ")}`;
    },
    other_prompts_answered: ({ count }) =>
      `${count === 1 ? "another prompt was" : `${count} other prompts were`} answered in this conversation in the meantime; this answer does not take it into account, the next one will`,
    option_unusable: ({ option, expects }) => `options.${option} is not ${optionType(expects)}, and was not used`,
    custom_command_unusable: ({ command, reason }) =>
      `the command ${quoteText(command)} cannot be used: ${unusableCommand[reason]}`,
    custom_commands_limited: ({ max, omitted }) =>
      `only the first ${max} commands can be used: ${omitted} more were left out`,
    command_unknown: ({ command, suggestion }) => `there is no command @${command}; did you mean @${suggestion}?`,
    command_not_executed: ({ command, reason, tool }) => {
      const why = {
        no_tool: `there is no tool ${JSON.stringify(tool)} that this agent may use`,
        no_content: "it names nothing to remember",
        no_query: "it names nothing to search for",
      }[reason];
      return `@${command} was not carried out: ${why}`;
    },
    commands_limited: ({ max, omitted }) =>
      `only the first ${max} commands were carried out: ${omitted} more were left out`,
    commands_ignored: ({ commands, reason }) => {
      const names = commands.map((name) => `@${name}`).join(", ");
      return `${names} ${commands.length === 1 ? "was" : "were"} taken as text: ${ignored[reason]}`;
    },
    loop_failed: ({ message }) => `the loop broke (${message}); a plan is tried instead`,
    plan_succeeded: () => "the plan led to the answer",
    plan_failed: ({ message }) => `the plan failed as well (${message})`,
    plan_as_text: () =>
      "the model does not support tools: its plan was requested as text; the runner llm requests it once, without tools",
    plan_unusable: ({ issues, instead }) =>
      `there was no usable plan (${issues.join("; ")}): ${instead === "no_tools" ? "no tools were called by it" : "the prompt was answered in one step"}`,
    gathered_results_cut: () => "what the tools gave was too long for the model, and was cut",
    plan_shortened: ({ steps, max }) => `the plan had ${steps} steps; only the first ${max} were done`,
    dependency_dropped: ({ step, dependency, reason }) => {
      if (reason === "cycle")
        return `${step} does not wait for ${dependency}: the dependencies of the plan form a cycle`;
      const why = reason === "itself" ? "it cannot wait for itself" : `there is no step ${JSON.stringify(dependency)}`;
      return `${step} waits for fewer steps than planned: ${why}`;
    },
    plan_made: ({ steps }) => {
      const lines = steps.map(({ id, description, tool, dependencies }) => {
        const after = dependencies.length === 0 ? "" : `, after ${dependencies.join(" and ")}`;
        return `${id} (${tool}${after}): ${description}`;
      });
      return [`${steps.length === 1 ? "one step" : `${steps.length} steps`}:`, ...lines].join("\n");
    },
    step_cut_off: ({ step }) => `${step} was cut off by the model's limit of tokens`,
    step_tool_replaced: ({ step, tool, replacement, message = `${tool} was not called` }) =>
      `${step}: ${message}; ${replacement === undefined ? "answered without a tool" : `${replacement} was used instead`}`,
    result_unverified: ({ step = "the answer", issues }) => `${step} is not verified: ${issues.join("; ")}`,
    answer_not_written: ({ message }) =>
      `the model could not write the answer (${message}); the last result is returned unchanged`,
    model_without_answer: ({ message, quotesNotes }) =>
      `the model gave no answer (${message})${quotesNotes ? "; the notes are quoted instead" : ""}`,
    time_without_notes: ({ time }) => `no notes of the time "${time}" were found; notes of all times were searched`,
    time_not_understood: ({ time }) => `the time "${time}" was not understood; notes of all times were searched`,
    citations_missing: () => "the answer cites none of the notes",
    citations_unknown: ({ citations }) => `these citations match no note and stay unchanged: ${citations.join(" ")}`,
    project_not_listed: ({ message }) => `the files of the project could not be listed: ${message}`,
    project_limited: ({ max }) => `the folder of the project has more than ${max} entries; the rest was ignored`,
    pattern_unusable: ({ pattern }) => `the pattern ${JSON.stringify(pattern)} of the project cannot be used`,
    files_cut: ({ files, more }) => `only the beginning was shown of ${listed(files, more)}`,
    files_omitted: ({ files, more, reason }) => `left out (${omission(reason)}): ${listed(files, more)}`,
  },
  omission,
  thinking: "Thinking",
  parts: {
    answer: { doing: "Writing the answer", done: "Wrote the answer" },
    summary: { doing: "Summarizing the conversation", done: "Summarized the conversation" },
    plan: { doing: "Planning", done: "Made a plan" },
    check: { doing: "Checking", done: "Checked" },
    step: { doing: "Working on a step", done: "Worked on a step" },
  },
  waiting: (seconds, isLimited) =>
    `waiting ${seconds} s: the service ${isLimited ? "limits the request rate" : "failed or was not reached; retrying"}`,
  calls: {
    local_search: (subject) => `Searching the notes for ${subject}`,
    web_search: (subject) => `Searching the web for ${subject}`,
    search_files: (subject) => `Searching the files for ${subject}`,
    memory_recall: (subject) => `Remembering ${subject}`,
    memory_store: (subject) => `Storing in memory ${subject}`,
    find_tools: (subject) => `Finding a tool for ${subject}`,
    web_fetch: (subject) => `Reading ${subject}`,
    http_request: (subject) => `Requesting ${subject}`,
    read_file: (subject) => `Reading ${subject}`,
    read_note: (subject) => `Reading ${subject}`,
    write_file: (subject) => `Writing ${subject}`,
    edit_file: (subject) => `Changing ${subject}`,
    list_dir: (subject) => `Listing ${subject}`,
    calculator: (subject) => `Calculating ${subject}`,
    get_time_range_ms: (subject) => `Working out when ${subject} is`,
    get_weather: (subject) => `Getting the weather in ${subject}`,
    youtube_transcription: (subject) => `Reading the transcript of ${subject}`,
  },
  bareCalls: {
    local_search: "Searching the notes",
    list_dir: "Listing the folder",
    get_file_tree: "Listing the folders",
    get_current_time: "Checking the time",
    get_time_range_ms: "Working out a time range",
    read_result: "Reading more of a result",
    get_conversation_history: "Reading the conversation history",
  },
  otherCall: (name, input) => `Calling ${name}${input}`,
  duplicateCall: (name) => `${name}: the same call as before`,
  quoted: (text) => `"${text}"`,
  comma: ", ",
  found: (count, names) => {
    if (count === 0) return "nothing found";
    return `found ${count}${names.length === 0 ? "" : `: ${names.join(", ")}${count > names.length ? ", …" : ""}`}`;
  },
  indexing: (counted) => (counted === undefined ? "Indexing the notes" : `Indexing the notes: ${counted}`),
  notVerified: (issues) => `(Not verified: ${issues})`,
  moreTools: (count, finder) =>
    `There are ${count} more tools than you see: ${finder} finds them by what they do, and then they can be called.`,
  vault: {
    nothing: (terms) => `Nothing was found in the notes${terms === "" ? "" : ` for ${terms}`}.`,
    noTopic:
      "The prompt names nothing to search for in the notes. Name a topic or a time; quoted text is searched for exactly.",
    extracted:
      "No model wrote this answer: these are the sentences of the notes that match the prompt best, word for word.",
    listed: (time) =>
      `No model wrote this answer: these are the ${time === undefined ? "newest notes" : `notes of the time "${time}"`}, the newest first, each with its first sentence.`,
    more: "There are more of them.",
    otherTimes: (time, terms) =>
      `No note${terms === "" ? " is" : ` that fits ${terms} is`} of the time "${time}"; these are of other times.`,
  },
};
