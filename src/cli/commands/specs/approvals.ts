import type { CommandGroup, CommandSpec, OptionSpec } from "../../program/command-spec.ts";
import { json } from "../../program/shared-options.ts";

const approvals: CommandSpec = {
  name: "approvals",
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
