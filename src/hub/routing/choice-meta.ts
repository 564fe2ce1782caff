import { type OmittedTool, type ToolResult, readSourceReport } from "../../tool/index.ts";
import type { CombinedOutput } from "./combine.ts";
import type { RunnableCandidate, SkippedCandidate } from "./select-runnable.ts";
import type { CandidateAttempt } from "./judge-result.ts";
import { type Failure, type RetryVerdict, failure } from "../../base/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { Choice } from "./candidate.ts";

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
  return [{ tool: entrant.candidate.label, code: verdict.failure.code, message: briefly(verdict.failure.message) }];
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

/** Maximum length of the reason of one candidate. */
const maxReasonLength = 200;
/**
 * Maximum number of listed candidates; of the others only the number is given: the message goes into prompts, records
 * and logs.
 */
const maxListedFailures = 5;

/** The failure of a choice of which no candidate succeeded: how each of them failed, briefly. */
export function allFailed(
  { name }: Choice,
  tried: readonly CandidateAttempt[],
  passed: readonly SkippedCandidate[],
): Failure {
  const failures = tried.flatMap(({ verdict }) => (verdict.kind === "failed" ? [verdict.failure] : []));
  const [first] = failures;
  if (first !== undefined && failures.length === 1 && passed.length === 0) return first;
  const each = [
    ...tried.flatMap(({ entrant: { candidate }, verdict }) =>
      verdict.kind === "failed" ? [`${candidate.label}: ${briefly(verdict.failure.message)}`] : [],
    ),
    ...passed.map(({ candidate, why }) => `${candidate.label}: not called, ${briefly(why)}`),
  ];
  const more = each.length > maxListedFailures ? [`and ${each.length - maxListedFailures} more`] : [];
  const reported = [...each.slice(0, maxListedFailures), ...more].join("; ");
  const isSame = first !== undefined && failures.every(({ code }) => code === first.code);
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return failure(isSame ? first.code : "execution_error", `none of the tools for ${name} succeeded: ${reported}`, {
    reason: "all_failed",
    retry: verdictOf(failures),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    forModel: `${name} failed with every tool that could do it (${reported}). Change the arguments, or continue without it.`,
  });
}

/** `unsafe` if one of the failures is, else `safe` if one of them is. */
function verdictOf(failures: readonly Failure[]): RetryVerdict {
  const text = new Set(failures.map(({ retry }) => retry));
  if (text.has("unsafe")) return "unsafe";
  return text.has("safe") ? "safe" : "never";
}

/** Shortens a message that is one of several. */
function briefly(message: string): string {
  return cutText(stripUnsafe(message).replaceAll(/\s+/g, " "), maxReasonLength).text;
}
