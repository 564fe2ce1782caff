import type { CommandSpec, OptionSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";

const events: OptionSpec = { flags: "--events", about: "print everything that happens as JSON, one line each" };
const runId = { name: "RUN", about: "the run, as `windlass runs` shows it", completes: "run" } as const;

/** Runs a chain. */
export const run: CommandSpec = {
  name: "run",
  summary: "run a chain and print its output",
  details:
    "Shows on stderr what goes on. A value is read as JSON where the input wants something other than text and the " +
    "value is JSON; else it is text. A run is kept: when its process ends half-way, `windlass resume` goes on where it " +
    "was. When a person has to decide, it ends with code 3 and goes on with `windlass approve`.",
  args: [
    { name: "CHAIN", about: "the chain's name, or the path of its file", completes: "chain" },
    { name: "key=value", about: "input", optional: true, several: true },
  ],
  options: [
    { flags: "-i KEY=VALUE", about: "input; the same as without -i", several: true },
    { flags: "--input JSON", about: "input as a JSON object, @FILE to read it, - for stdin" },
    { flags: "--context KEY=VALUE", about: "a value for ${context.KEY}; JSON where it is JSON", several: true },
    { flags: "--run-id ID", about: "the run's id; the same id, chain, input and context again join that run" },
    { flags: "--dry-run", about: "call only tools that change nothing, and show what else would be called" },
    { ...json, about: "print the execution log" },
    events,
  ],
  examples: [
    'windlass run research-chain query="tide mills"',
    "windlass run chains/report.yaml -i depth=3 --json",
    "windlass run send-mail --input @mail.json --dry-run",
  ],
  load: async () => (await import("./commands/run.ts")).runCommand,
};

/** Runs a chain against a recorded run. */
export const test: CommandSpec = {
  name: "test",
  summary: "run a chain offline against a recorded run, and show the first difference",
  details: "Every call is answered as it was in that run. Ends with 0 when all is the same, else with 1.",
  args: [{ name: "CHAIN", about: "the chain's name, or the path of its file", completes: "chain" }],
  options: [{ flags: "--replay RUN", about: "the recorded run", completes: "run" }, json],
  examples: ["windlass test chains/report.yaml --replay k3j9x0q2ab5z-1"],
  load: async () => (await import("./commands/test.ts")).testChain,
};

/** Lists runs. */
export const runs: CommandSpec = {
  name: "runs",
  summary: "list runs of chains and agents, newest first",
  options: [
    { flags: "--chain NAME", about: "of this chain; agent:RUNNER for those of agents", completes: "chain" },
    {
      flags: "--status STATUS",
      about: "where they stand",
      choices: ["running", "waiting", "success", "failed", "cancelled"],
    },
    { flags: "--limit N", about: "at most so many, up to 1000; 20 where absent", atLeast: 1, whole: true },
    json,
  ],
  examples: ["windlass runs --status failed"],
  load: async () => (await import("./commands/runs.ts")).showRuns,
};

/** Shows a run. */
export const show: CommandSpec = {
  name: "show",
  summary: "show a run: its steps, what they got and gave, also while it goes on",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass show k3j9x0q2ab5z-1"],
  load: async () => (await import("./commands/show.ts")).showRun,
};

/** Tells about a step of a run. */
export const explain: CommandSpec = {
  name: "explain",
  summary: "tell why a step of a run went as it did",
  args: [
    runId,
    {
      name: "STEP",
      about:
        "the step's id; research/search inside of a sub-chain, each[2] for one item; of an agent its number or tool",
      optional: true,
    },
  ],
  options: [json],
  examples: ["windlass explain k3j9x0q2ab5z-1 summarize"],
  load: async () => (await import("./commands/explain.ts")).explainRun,
};

/** Goes on with runs. */
export const resume: CommandSpec = {
  name: "resume",
  summary: "go on with a run that was left; without RUN with all whose process is gone",
  args: [{ ...runId, optional: true }],
  options: [{ ...json, about: "print the execution log" }, events],
  examples: ["windlass resume", "windlass resume k3j9x0q2ab5z-1"],
  load: async () => (await import("./commands/resume.ts")).resumeRuns,
};

/** Runs a chain once more. */
export const rerun: CommandSpec = {
  name: "rerun",
  summary: "run the chain of a run again, with its input, as the chain is now",
  details:
    "With --from, results are taken over of steps that do not depend on STEP, ended well and are written as they were. " +
    "What runs again besides is told first; where a step among it must run once only, it has to be confirmed.",
  args: [runId],
  options: [
    { flags: "--from STEP", about: "take over what does not depend on this step" },
    { flags: "--yes", about: "also run again steps with the effect once that do not depend on STEP" },
    { ...json, about: "print the execution log" },
    events,
  ],
  examples: ["windlass rerun k3j9x0q2ab5z-1 --from summarize"],
  load: async () => (await import("./commands/rerun.ts")).rerunChain,
};

/** Stops a run. */
export const cancel: CommandSpec = {
  name: "cancel",
  summary: "stop a run, whoever executes it, and undo what can be undone",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass cancel k3j9x0q2ab5z-1"],
  load: async () => (await import("./commands/cancel.ts")).cancelRun,
};
