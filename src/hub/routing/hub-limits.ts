// oxlint-disable typescript/no-unnecessary-type-assertion -- isolatedDeclarations needs the types stated
import { defaultBreakerLimits } from "../../base/index.ts";
import { type OptionsOf, toOptions } from "../../schema/index.ts";

/** Settings of `hub:` in `windlass.yaml`. */
export const hubTable = {
  maxParallel: { type: "count", default: 3, about: "Maximum candidates tried concurrently." },
  toolTimeoutMs: { type: "timeout", default: 30, about: "Timeout of candidates that do not set their own." },
  recencyMs: {
    type: "timeout",
    default: 300,
    about: "Time for which a success or a failure affects the order of candidates.",
  },
  failureThreshold: {
    type: "count",
    default: defaultBreakerLimits.failureThreshold as number,
    about: "Consecutive failures after which a candidate is skipped.",
  },
  coolDownMs: {
    type: "timeout",
    default: (defaultBreakerLimits.coolDownMs / 1000) as number,
    about: "Initial cool-down.",
  },
  maxCoolDownMs: {
    type: "timeout",
    default: (defaultBreakerLimits.maxCoolDownMs / 1000) as number,
    about: "Maximum cool-down.",
  },
  synthesisChars: {
    type: "count",
    default: 2_000,
    about: "Maximum characters of results for synthesis by a model; longer ones are merged without it.",
  },
  synthesisResults: {
    type: "count",
    default: 3,
    about: "Maximum number of results for synthesis by a model; more are merged without it.",
  },
  synthesisTimeoutMs: { type: "timeout", default: 10, about: "Timeout of the synthesis." },
  calculateChars: { type: "count", default: 100, about: "Maximum characters of a calculation in the synthesis." },
  searchChars: { type: "count", default: 200, about: "Maximum characters of each search result in the synthesis." },
  searchFewChars: {
    type: "count",
    default: 300,
    about: "Maximum characters of each search result if there are at most two.",
  },
  extractChars: { type: "count", default: 300, about: "Maximum characters of an extract in the synthesis." },
  otherChars: { type: "count", default: 250, about: "Maximum characters of any other result in the synthesis." },
  mergeChars: { type: "count", default: 300, about: "Maximum characters of each result merged without a model." },
  answerChars: { type: "count", default: 4_000, about: "Maximum characters of the synthesized answer." },
} as const;

/** Limits on concurrency, time and the size of results. */
export interface HubLimits extends OptionsOf<typeof hubTable> {}

/** Default limits. */
export const defaultHubLimits: HubLimits = toOptions(hubTable);
