import { type Failure, type RetryVerdict, failure } from "../../base/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { Choice } from "./candidate.ts";
import type { SkippedCandidate } from "./select-runnable.ts";
import type { CandidateAttempt } from "./judge-result.ts";

/** Maximum length of the reason of one candidate. */
const maxReasonLength = 200;
/**
 * Maximum number of listed candidates; of the others only the number is given: the message goes into prompts, records
 * and logs.
 */
const maxListed = 5;

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
  const more = each.length > maxListed ? [`and ${each.length - maxListed} more`] : [];
  const reported = [...each.slice(0, maxListed), ...more].join("; ");
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
export function briefly(message: string): string {
  return cutText(stripUnsafe(message).replaceAll(/\s+/g, " "), maxReasonLength).text;
}
