import { type OptionsOf, type Setting, type SettingsTable, optionRule, ownValue } from "../../../schema/index.ts";
import type { OptionType } from "../../events/agent-notice.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { agentTable } from "../../run/agent-spec.ts";

/** Name of a built-in runner. */
export type RunnerName = (typeof agentTable.runner.choices)[number];

/** Options of the planned runner. */
export const plannedTable = {
  commands: {
    type: "map",
    title: "a map of names to tools",
    hint: "write commands: { NAME: { tool: …, params: { … } } }",
    about: "Commands that call a tool.",
  },
} as const;

/** Options of the vault runner. */
export const vaultTable = { limit: { type: "count", about: "Number of notes to read." } } as const;

/** Options of the project runner. */
export const projectTable = {
  instructions: { type: "text", about: "Instructions of the project." },
  folder: { type: "text", default: ".", about: "Folder of the project, relative to the workspace." },
  files: {
    type: "list",
    default: [],
    about: "Patterns of the files to show to the model, relative to the folder; one that begins with ! excludes files.",
  },
  tools: {
    type: "list",
    defaultText: "those of the agent",
    about: "Names of the tools that the model may use; * is a wildcard.",
  },
  mode: {
    type: "text",
    choices: ["planned", "autonomous"],
    default: "planned",
    about: "Whether the tool calls are planned at once or follow from each other.",
  },
  budget: {
    type: "number",
    title: "a number of tokens",
    min: 0,
    defaultText: "a quarter of a whole request",
    about: "Approximate maximum tokens of the files.",
  },
} as const;

/** Options of the crew runner. */
export const crewTable = {
  maxSteps: { type: "count", default: 12, about: "Maximum steps of a plan, up to 50; longer plans are shortened." },
  answer: {
    type: "text",
    choices: ["auto", "model", "last"],
    default: "auto",
    about:
      "Author of the answer: the model, from all results; last, the last result itself; auto, the model unless the only step was done by reasoning.",
  },
} as const;

/** `options` of an agent with the crew runner. */
export interface CrewOptions extends OptionsOf<typeof crewTable> {}

/** The `options` of each built-in runner. They are checked without loading the runners, so this module imports none. */
export const runnerTables: Readonly<Record<RunnerName, SettingsTable>> = {
  autonomous: {},
  planned: plannedTable,
  vault: vaultTable,
  project: projectTable,
  crew: crewTable,
  llm: {},
};

/** The names of the built-in runners. */
export const runnerNames: readonly string[] = agentTable.runner.choices;

/** Reads an option; undefined if it is invalid. One text counts as a list of one. */
export function readRunnerOption(setting: Setting, provided: unknown): unknown {
  const value = setting.type === "list" && !Array.isArray(provided) ? [provided] : provided;
  return optionRule(setting).fits(value) ? value : undefined;
}

/** The type of an option, for the texts of all languages. */
function optionTypeOf({ type, choices, min }: Setting): OptionType {
  if (choices !== undefined) return choices.map(String);
  if (type === "list") return "texts";
  if (type === "map") return "commands";
  if (type === "count") return "count";
  return type === "number" && min === 0 ? "tokens" : "text";
}

/** Reads the `options` of an agent for its runner; an invalid one adds a notice, and counts as omitted. */
export function readRunnerOptions<T extends SettingsTable>(run: AgentRun, table: T): OptionsOf<T> {
  const read = Object.entries(table).flatMap(([name, setting]) => {
    const provided = ownValue(run.spec.options, name);
    const value = provided === undefined ? undefined : readRunnerOption(setting, provided);
    if (provided !== undefined && value === undefined) {
      run.notice({ code: "option_unusable", params: { option: name, expects: optionTypeOf(setting) } });
    }
    return [[name, value ?? setting.default]];
  });
  // The table decides names and types.
  return Object.fromEntries(read) as OptionsOf<T>;
}
