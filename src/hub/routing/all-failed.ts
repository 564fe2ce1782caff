import { type Failure, type RetryVerdict, failure } from "../../base/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { Choice } from "./candidate.ts";
import type { PassedOver } from "./entrants.ts";
import type { Tried } from "./judge-result.ts";

/** What is told of one candidate. */
const longestReason = 200;
/** Of more candidates than this only the number is told: the message goes into prompts, records and logs. */
const mostTold = 5;

/** The failure of a choice of which no candidate succeeded: how each of them failed, briefly. */
export function allFailed({ name }: Choice, tried: readonly Tried[], passed: readonly PassedOver[]): Failure {
  const failures = tried.flatMap(({ verdict }) => (verdict.kind === "failed" ? [verdict.failure] : []));
  const [first] = failures;
  if (first !== undefined && failures.length === 1 && passed.length === 0) return first;
  const each = [
    ...tried.flatMap(({ entrant: { candidate }, verdict }) =>
      verdict.kind === "failed" ? [`${candidate.label}: ${briefly(verdict.failure.message)}`] : [],
    ),
    ...passed.map(({ candidate, why }) => `${candidate.label}: not called, ${briefly(why)}`),
  ];
  const more = each.length > mostTold ? [`and ${each.length - mostTold} more`] : [];
  const told = [...each.slice(0, mostTold), ...more].join("; ");
  const isSame = first !== undefined && failures.every(({ code }) => code === first.code);
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return failure(isSame ? first.code : "execution_error", `none of the tools for ${name} succeeded: ${told}`, {
    reason: "all_failed",
    retry: verdictOf(failures),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    forModel: `${name} failed with every tool that could do it (${told}). Change the arguments, or go on without it.`,
  });
}

/** As harmful as the most harmful of them; worth a try where one of them is. */
function verdictOf(failures: readonly Failure[]): RetryVerdict {
  const said = new Set(failures.map(({ retry }) => retry));
  if (said.has("unsafe")) return "unsafe";
  return said.has("safe") ? "safe" : "never";
}

/** As much of a message as is told of one candidate among several. */
export function briefly(message: string): string {
  return cutText(stripUnsafe(message).replaceAll(/\s+/g, " "), longestReason).text;
}
