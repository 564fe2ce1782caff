import type { CommandGroup, CommandSpec } from "../../program/command-spec.ts";
import { events, json, runId } from "../../program/shared-options.ts";

const runs: CommandSpec = {
  name: "runs",
  summary: "list runs of chains, agents and durable calls, newest first",
  options: [
    { flags: "--kind KIND", about: "only runs of this kind", choices: ["chain", "agent", "call"] },
    { flags: "--chain NAME", about: "only runs of this chain", completes: "chain" },
    { flags: "--runner NAME", about: "only runs of agents with this runner" },
    { flags: "--tool NAME", about: "only durable calls of this tool", completes: "tool" },
    {
      flags: "--status STATUS",
      about: "only runs with this status",
      choices: ["running", "interrupted", "waiting", "success", "failed", "cancelled"],
    },
    { flags: "--limit N", about: "maximum number of runs, up to 1000 (default: 20)", min: 1, whole: true },
    json,
  ],
  examples: ["windlass runs --status failed", "windlass runs --status interrupted"],
  load: async () => (await import("../runs/run.ts")).showRuns,
};

const show: CommandSpec = {
  name: "show",
  summary: "show a run: its steps, their inputs and outputs; also while it is running",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass show last", "windlass show k3j9x0q2ab5z-1"],
  load: async () => (await import("../show/run.ts")).showRun,
};

const explain: CommandSpec = {
  name: "explain",
  summary: "explain why a step ran, failed or was skipped; without STEP, all steps of the run",
  args: [
    runId,
    {
      name: "STEP",
      about: "id of the step; research/search in a sub-chain, each[2] for one item; for agents, the number or the tool",
      optional: true,
      completes: "step",
    },
  ],
  options: [json],
  examples: ["windlass explain last", "windlass explain k3j9x0q2ab5z-1 summarize"],
  load: async () => (await import("../show/run.ts")).explainRun,
};

const resume: CommandSpec = {
  name: "resume",
  summary: "resume an interrupted run; without RUN, all runs whose process has died",
  args: [{ ...runId, optional: true }],
  options: [{ ...json, about: "print the execution log" }, events],
  examples: ["windlass resume", "windlass resume k3j9x0q2ab5z-1"],
  load: async () => (await import("../resume/run.ts")).resumeRuns,
};

const rerun: CommandSpec = {
  name: "rerun",
  summary: "run the chain of an earlier run again, with the same input and the current chain",
  details:
    "With --from, steps that do not depend on STEP, succeeded and are unchanged are reused. Other steps that will run " +
    "again are listed first; if one of them has effect `once`, it must be confirmed. For a run of an agent or a durable " +
    "call, the command that repeats it is printed.",
  args: [runId],
  options: [
    { flags: "--from STEP", about: "reuse the results of steps that do not depend on this one", completes: "step" },
    { flags: "--yes", about: "also run steps with effect once again that do not depend on STEP" },
    { ...json, about: "print the execution log" },
    events,
  ],
  examples: ["windlass rerun k3j9x0q2ab5z-1 --from summarize"],
  load: async () => (await import("../rerun/run.ts")).rerunChain,
};

const cancel: CommandSpec = {
  name: "cancel",
  summary: "cancel a run in any process, and run its compensations",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass cancel k3j9x0q2ab5z-1"],
  load: async () => (await import("../cancel/run.ts")).cancel,
};

/** The group "Runs" of the help. */
export const runsGroup: CommandGroup = { title: "Runs", commands: [runs, show, explain, resume, rerun, cancel] };
