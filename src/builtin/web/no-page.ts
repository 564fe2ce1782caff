import type { Failure, FailureError, Issue } from "../../base/index.ts";
import { withoutCredentials } from "../../net/index.ts";
import type { BatchItem } from "./page.ts";
import { webFailure } from "./web-reasons.ts";

const shownErrors = 5;
const longestAddress = 200;

/**
 * The failure of a batch of which nothing could be read. People are told the first reason and find the others in its
 * issues; a model is told the first few. `callMs` is the time of a call, within which whoever asks to be left alone is
 * not asked again.
 */
export function noPage(items: readonly BatchItem<unknown>[], callMs: number): FailureError {
  const failures = items.flatMap(({ failure }) => failure ?? []);
  const issues = items.flatMap(({ url, failure }, at) => (failure === undefined ? [] : [issueOf(url, failure, at)]));
  const what = issues.length === 1 ? "the page could not be read" : `none of the ${issues.length} pages could be read`;
  const shown = issues.slice(0, shownErrors).map(({ message }) => message);
  const more = issues.length > shown.length ? [`and ${issues.length - shown.length} more`] : [];
  return webFailure("no_page", `${what}: ${shown[0] ?? ""}${issues.length > 1 ? ", and so on" : ""}`, {
    forModel: `${what}:${[...shown, ...more].map((line) => `\n- ${line}`).join("")}`,
    issues,
    ...verdict(failures, callMs),
  });
}

function issueOf(url: string, { code, reason = code, forModel }: Failure, at: number): Issue {
  const address = withoutCredentials(url).slice(0, longestAddress);
  return { path: ["urls", at], code: reason, message: `${address}: ${forModel}` };
}

/** What failed at once may be tried at once; what made us wait, or asked us to, is left alone for longer than a call. */
function verdict(failures: readonly Failure[], callMs: number): Pick<Failure, "retry" | "retryAfterMs"> {
  const safe = failures.filter(({ retry }) => retry === "safe");
  if (safe.length === 0) return { retry: "never" };
  const waits = safe.flatMap(({ code, retryAfterMs }) => retryAfterMs ?? (code === "timeout" ? 0 : []));
  const late = safe.some(({ code }) => code === "timeout");
  if (!late && waits.length < safe.length) return { retry: "safe" };
  return { retry: "safe", retryAfterMs: Math.max(callMs, Math.min(...waits)) };
}
