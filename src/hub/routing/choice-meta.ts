import { type OmittedTool, type ToolResult, readSourceReport } from "../../tool/index.ts";
import { briefly } from "./all-failed.ts";
import type { CombinedOutput } from "./combine.ts";
import type { RunnableCandidate, SkippedCandidate } from "./select-runnable.ts";
import type { CandidateAttempt } from "./judge-result.ts";

/** Outcome of a choice. */
export interface ChoiceOutcome {
  readonly combined: CombinedOutput;
  /** Everything that was called. */
  readonly tried: readonly CandidateAttempt[];
  /** Candidates that were still running at the deadline. */
  readonly late: readonly RunnableCandidate[];
  readonly skipped: readonly SkippedCandidate[];
}

/** Maximum number of listed candidates that failed, or were not called. */
const maxListed = 5;

/** Metadata of a result: the tools that it came from, and those that failed or were not called. */
export function choiceMeta({ combined, tried, late, skipped }: ChoiceOutcome): Readonly<Record<string, unknown>> {
  const { synthesized, by, used } = combined;
  const sources = new Set(used.map(({ entrant }) => entrant.candidate.registration.source));
  const failed = [...tried.flatMap(failureOf), ...late.map(tooLate)];
  return {
    source: sources.size === 1 ? [...sources].join("") : "hub",
    synthesized,
    sourceCount: used.length,
    sources: used.map(({ entrant }) => entrant.candidate.label),
    ...(by !== undefined && { synthesis: by }),
    ...(failed.length > 0 && { failed: failed.slice(0, maxListed), failedCount: failed.length }),
    ...(skipped.length > 0 && {
      skipped: skipped.slice(0, maxListed).map(toOmittedTool),
      skippedCount: skipped.length,
    }),
  };
}

/** A candidate that was aborted because another was first did not fail. */
function failureOf({ entrant, verdict }: CandidateAttempt): OmittedTool[] {
  if (verdict.kind !== "failed" || verdict.failure.code === "cancelled") return [];
  const { code, message } = verdict.failure;
  return [{ tool: entrant.candidate.label, code, message: briefly(message) }];
}

function tooLate({ candidate }: RunnableCandidate): OmittedTool {
  return { tool: candidate.label, code: "timeout", message: "it had not answered when the time was over" };
}

function toOmittedTool({ candidate, why }: SkippedCandidate): OmittedTool {
  return { tool: candidate.label, message: briefly(why) };
}

/** Source of a result, in the serialized form. */
export interface SourceMeta {
  readonly source: string;
  readonly synthesized: boolean;
  readonly source_count: number;
  readonly sources: readonly string[];
  /** Other tools that were called, and failed. */
  readonly failed?: readonly OmittedTool[];
}

/**
 * The source of a result, of a choice or a single tool: the `_meta` of a serialized result.
 *
 * @example
 * ```ts
 * const { source, sources } = toSourceMeta(await engine.call("capability:search", { query: "tide mills" }));
 * ```
 */
export function toSourceMeta({ tool, success, meta }: ToolResult): SourceMeta {
  const reported = readSourceReport(meta);
  const sources = reported?.sources ?? (success ? [tool] : []);
  const failed = reported?.failed ?? [];
  return {
    source: meta.source,
    synthesized: reported?.synthesized ?? false,
    source_count: sources.length,
    sources,
    ...(failed.length > 0 && { failed }),
  };
}
