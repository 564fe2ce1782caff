import {
  type CommandGroup,
  type CommandSpec,
  type OptionSpec,
  events,
  json,
  runId,
  agentOptions,
} from "../../program/command-spec.ts";

const runs: CommandSpec = {
  name: "runs",
  remote: true,
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
  remote: true,
  summary: "show a run: its steps, their inputs and outputs; also while it is running",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass show last", "windlass show k3j9x0q2ab5z-1"],
  load: async () => (await import("../runs/one-run.ts")).showRun,
};

const explain: CommandSpec = {
  name: "explain",
  remote: true,
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
  load: async () => (await import("../runs/one-run.ts")).explain,
};

const resume: CommandSpec = {
  name: "resume",
  remote: true,
  summary: "resume an interrupted run; without RUN, all runs whose process has died",
  args: [{ ...runId, optional: true }],
  options: [{ ...json, about: "print the execution log" }, events],
  examples: ["windlass resume", "windlass resume k3j9x0q2ab5z-1"],
  load: async () => (await import("../runs/one-run.ts")).resumeRuns,
};

const rerun: CommandSpec = {
  name: "rerun",
  remote: true,
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
  remote: true,
  summary: "cancel a run in any process, and run its compensations",
  args: [runId],
  options: [{ ...json, about: "print the execution log" }],
  examples: ["windlass cancel k3j9x0q2ab5z-1"],
  load: async () => (await import("../runs/one-run.ts")).cancel,
};

const event: CommandSpec = {
  name: "event",
  remote: true,
  summary: "deliver an event to a run with a step that waits for it",
  details:
    "An event that comes before the step waits for it is stored. If the event wakes the run and no other process holds it, " +
    "the run resumes in this process and its exit code is returned.",
  args: [
    runId,
    { name: "NAME", about: "name of the event, as in wait: { event: NAME }" },
    {
      name: "DATA",
      about: "JSON: the output of the step (default: null); @FILE reads a file, - reads stdin",
      optional: true,
    },
  ],
  options: [
    { flags: "--id ID", about: "id of the event: repeated with the same name and id, it is delivered once" },
    { flags: "--no-resume", about: "only deliver the event; do not resume the run" },
    { ...json, about: "print the delivery, and do not resume the run" },
  ],
  examples: [`windlass event k3j9x0q2ab5z-1 payment '{ "amount": 20 }' --id invoice-7`, "windlass event last delivery"],
  load: async () => (await import("../event/run.ts")).sendEvent,
};

/** The group "Runs" of the help. */
export const runsGroup: CommandGroup = {
  title: "Runs",
  commands: [runs, show, explain, resume, rerun, cancel, event],
};

const approvals: CommandSpec = {
  name: "approvals",
  remote: true,
  summary: "list pending approvals",
  args: [{ name: "ID", about: "show one approval with its full arguments", optional: true, completes: "approval" }],
  options: [{ flags: "--all", about: "include approved, rejected, used and expired ones" }, json],
  examples: ["windlass approvals", "windlass approvals k3j9x0q2ab5z-1 --json"],
  load: async () => (await import("../approvals/run.ts")).showApprovals,
};

/** Argument that names the approval. */
const decisionArgs = [
  {
    name: "ID",
    about:
      "id of the approval, as listed by `windlass approvals`, or of a run that waits for only one (last: the newest run)",
    completes: "approval",
    namesRun: true,
  },
] as const;

/** Options of `approve` and `reject`. */
const decisionOptions: readonly OptionSpec[] = [
  { flags: "--note TEXT", about: "why" },
  {
    flags: "--by NAME",
    about:
      "name recorded as the approver (default: the current user; only the current user counts as a named approver)",
  },
  { flags: "--no-resume", about: "only record the decision; do not resume the run" },
  json,
];

const approve: CommandSpec = {
  name: "approve",
  remote: true,
  summary: "approve a pending call, once, for exactly these arguments",
  details: "If no other process holds the run, it resumes in this process and its exit code is returned.",
  args: decisionArgs,
  options: [
    { flags: "--done", about: "the call had completed when its process ended; do not run it again" },
    {
      flags: "--output JSON",
      about: "with --done, the output of the step (default: null); @FILE reads a file, - reads stdin",
    },
    ...decisionOptions,
  ],
  examples: [
    'windlass approve k3j9x0q2ab5z-1 --note "checked with ops"',
    `windlass approve k3j9x0q2ab5z-1 --done --output '{ "id": 7 }'`,
  ],
  load: async () => (await import("../approve/run.ts")).approve,
};

const reject: CommandSpec = {
  name: "reject",
  remote: true,
  summary: "reject a pending call",
  details:
    "If no other process holds the run, it continues in this process until it ends. The exit code is 0 once the call is " +
    "rejected, regardless of how the run ends.",
  args: decisionArgs,
  options: decisionOptions,
  examples: ['windlass reject k3j9x0q2ab5z-1 --note "wrong account"'],
  load: async () => (await import("../approve/run.ts")).reject,
};

/** The group "Approvals" of the help. */
export const approvalsGroup: CommandGroup = { title: "Approvals", commands: [approvals, approve, reject] };

const ask: CommandSpec = {
  name: "ask",
  remote: true,
  summary: "send a prompt to an agent and print its answer",
  details:
    "Progress goes to stderr. Destructive calls need approval: at a terminal you are prompted; otherwise the command exits " +
    "with code 3 and `windlass approve` resumes the run. Without a model, --runner vault answers from your notes. Text " +
    "piped to stdin is appended to the prompt and treated as untrusted.",
  args: [{ name: "PROMPT", about: "the prompt; - reads it from stdin", several: true }],
  options: [
    ...agentOptions,
    {
      flags: "--image FILE",
      about: "attach an image, if the model accepts images",
      several: true,
      completes: "file",
    },
    { flags: "--conversation ID", about: "continue this conversation, or start it" },
    { ...json, about: "print the whole result" },
    events,
  ],
  examples: [
    'windlass ask "What did I write about tide mills last week?"',
    'windlass ask "上周我写了哪些关于机器学习的笔记？" --runner vault',
    'windlass ask "What is in the picture?" --image photo.jpg --json',
    'git diff | windlass ask "What does this change?"',
  ],
  load: async () => (await import("../ask/run.ts")).askAgent,
};

const chat: CommandSpec = {
  name: "chat",
  summary: "chat with an agent",
  details:
    "Each prompt sees the conversation history. /help lists the commands. Ctrl-C stops the current answer; pressed twice " +
    "on an empty line, it exits. Without a terminal, each line of stdin is one prompt.",
  options: [...agentOptions, { flags: "--conversation ID", about: "continue this conversation, or start it" }],
  examples: ["windlass chat", "windlass chat --runner crew", "windlass chat --conversation trip < prompts.txt"],
  load: async () => (await import("../chat/run.ts")).chatWithAgent,
};

/** The group "Agents" of the help. */
export const agentsGroup: CommandGroup = { title: "Agents", commands: [ask, chat] };
