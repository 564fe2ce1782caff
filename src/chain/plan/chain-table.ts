// oxlint-disable typescript/no-unnecessary-type-assertion -- isolatedDeclarations needs the types of other tables stated
import type { OptionsOf } from "../../schema/index.ts";

/** Settings of `chains: targets:` in `windlass.yaml`. */
export const chainTargetTable = {
  durationMs: { type: "seconds", default: 30, about: "Duration that 95 % of the runs stay below." },
  parallelSpeedup: {
    type: "number",
    above: 0,
    default: 2,
    about: "Average speed-up above which parallel runs meet the target.",
  },
  // Below 1: a share is never more than 1, so that nothing would reach such a target.
  recoveryRate: {
    type: "number",
    min: 0,
    below: 1,
    default: 0.8,
    about: "Share of failed steps that recover, above which runs meet the target.",
  },
  cpuUtilisation: {
    type: "number",
    above: 0,
    default: 0.6,
    about: "Average processor use above which runs meet the target; 1 is one core.",
  },
  memoryUtilisation: {
    type: "number",
    min: 0,
    below: 1,
    default: 0.6,
    about: "Average share of the memory above which runs meet the target.",
  },
} as const;

/** Targets for the metrics of chains. */
export interface ChainTargets extends OptionsOf<typeof chainTargetTable> {}

/** Settings of `chains:` in `windlass.yaml`. */
export const chainTable = {
  directory: {
    type: "text",
    format: "folder",
    contents: { name: "chains", use: "loaded" },
    default: "chains",
    about: "Folder that chains are loaded from.",
  },
  durable: { type: "flag", default: true, about: "Make runs durable, unless the chain sets `durable`." },
  maxParallel: { type: "count", default: 5, about: "Maximum concurrent steps of one run, unless the chain sets it." },
  taint: {
    type: "text",
    choices: ["show", "strict"],
    default: "show",
    about:
      "strict: reject chains in which untrusted content reaches a destructive tool without an approval; a chain cannot relax it.",
  },
  trustedTools: {
    type: "list",
    tools: { use: "trust", globs: false },
    needsTrust: true,
    default: [],
    about: "Tools whose results are trusted if their arguments are.",
  },
  targets: {
    type: "section",
    settings: chainTargetTable as typeof chainTargetTable,
    about: "Targets that `windlass stats --chains` compares the metrics of runs with.",
  },
} as const;
