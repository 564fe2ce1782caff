import type { OptionSpec } from "./command-spec.ts";

/** Option of most commands. */
export const json: OptionSpec = { flags: "--json", about: "print JSON" };

/** The runners of src/agent, which is not loaded for the help. */
export const runnerChoices: readonly string[] = ["autonomous", "planned", "vault", "project", "crew", "llm"];

/** Options of the commands that run an agent. */
export const agentOptions: readonly OptionSpec[] = [
  {
    flags: "--runner NAME",
    about: "runner of the agent (default: from windlass.yaml, or autonomous)",
    choices: runnerChoices,
  },
  { flags: "--model NAME", about: 'a name under models: in windlass.yaml (default: "default")' },
  { flags: "--max-rounds N", about: "maximum number of rounds of tool calls", min: 0, whole: true },
];

/** Option that prints events. */
export const events: OptionSpec = { flags: "--events", about: "print all events as JSON, one per line" };

/** Argument that names a run. */
export const runId = {
  name: "RUN",
  about: "id of the run, as listed by `windlass runs`; last for the newest",
  completes: "run",
} as const;
