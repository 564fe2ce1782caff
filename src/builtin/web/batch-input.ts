import { type Failure, type FailureError, type Issue } from "../../base/index.ts";
import type { PageReader } from "./page-reader.ts";
import { type ReadPagesOptions, type ReadPage, type PageBatchItem, callTimeMs } from "./page.ts";
import { type FormatChoice, requestedFormat, formatSchema } from "./page-output.ts";
import { withoutCredentials } from "../../net/index.ts";
import { webFailure } from "./web-reasons.ts";
import { webTable } from "./web-table.ts";

/** Input of the tools for many pages. */
export interface BatchInput extends FormatChoice {
  readonly urls: readonly string[];
  readonly max_length?: number;
  readonly timeout?: number;
}

/** Dependencies of the tools for many pages. */
export interface BatchServices {
  readonly pages: PageReader;
  /** Maximum number of addresses per call. Default: 50. */
  readonly maxUrls?: number | undefined;
}

/** The reason why a page could not be read. */
export interface BatchError {
  readonly code: string;
  readonly reason?: string;
  readonly message: string;
  /** Retry verdict of the failure. */
  readonly retry: "safe" | "unsafe" | "never";
  readonly retry_after_ms?: number;
}

/** The schema of {@link BatchError}. */
export const batchErrorProperties = {
  code: { type: "string" },
  reason: { type: "string" },
  message: { type: "string" },
  retry: { type: "string", enum: ["safe", "unsafe", "never"] },
  retry_after_ms: { type: "number" },
} as const;

const defaultLength = 20_000;
const maxSeconds = 300;
/** Maximum characters of all texts of one call: an output must stay within the limit of a call. */
const maxCharacters = 2_000_000;

/** The input schema of the tools for many pages. */
export function batchInputSchema({
  pages,
  maxUrls = webTable.maxUrls.default,
}: BatchServices): Record<string, unknown> {
  return {
    type: "object",
    properties: {
      urls: {
        type: "array",
        // An invalid address, even an empty one, is an error of that page and not of the whole call.
        items: { type: "string" },
        maxItems: maxUrls,
        description: `The full addresses, at most ${maxUrls}; one that is named twice is fetched once.`,
      },
      ...formatSchema,
      max_length: {
        type: "integer",
        minimum: 100,
        maximum: 500_000,
        default: defaultLength,
        description:
          `Maximum characters per page; the rest is cut off. All pages together return at most ${maxCharacters}, ` +
          "so that with many pages each may be shorter.",
      },
      timeout: {
        type: "number",
        minimum: 1,
        maximum: maxSeconds,
        default: Math.min(maxSeconds, pages.limits.deadlineMs / 1000),
        description: "Seconds for all pages together; pages not read by then are returned as errors.",
      },
    },
    required: ["urls"],
    additionalProperties: false,
    examples: [{ urls: ["http://example.com/", "http://example.com/about"], max_length: 5000, timeout: 20 }],
  };
}

/** Time for the call: the pages end by themselves at their own deadline. */
export function batchDeadlineMs(args: BatchInput, pages: PageReader): number {
  return callTimeMs(timeoutOf(args, pages));
}

function timeoutOf({ timeout }: BatchInput, { limits }: PageReader): number {
  return timeout === undefined ? limits.deadlineMs : timeout * 1000;
}

/** Reads all pages of a call; one at least, or it fails. */
export async function readBatch(
  args: BatchInput,
  pages: PageReader,
  options: Pick<ReadPagesOptions, "signal" | "onSettled">,
): Promise<readonly PageBatchItem<ReadPage>[]> {
  const { urls, max_length = defaultLength } = args;
  const share = Math.floor(maxCharacters / Math.max(1, urls.length));
  const items = await pages.readAll(urls, {
    ...options,
    as: requestedFormat(args),
    maxChars: Math.min(max_length, share),
    deadlineMs: timeoutOf(args, pages),
  });
  if (items.length > 0 && items.every(({ page }) => page === undefined)) {
    throw noPage(items, batchDeadlineMs(args, pages));
  }
  return items;
}

/** A failure in the format of these tools, with the message for the model. */
export function toBatchError({ code, reason, forModel, retry, retryAfterMs }: Failure): BatchError {
  return {
    code,
    ...(reason !== undefined && { reason }),
    message: forModel,
    retry,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}

const maxListedErrors = 5;
const maxAddressLength = 200;

/**
 * The failure of a batch of which no page could be read. People see the first reason and find the others in its issues;
 * a model sees the first few. `callMs` is the time of a call, within which a site that requested a delay is not
 * retried.
 */
function noPage(items: readonly PageBatchItem<unknown>[], callMs: number): FailureError {
  const failures = items.flatMap(({ failure }) => failure ?? []);
  const issues = items.flatMap(({ url, failure }, at) => (failure === undefined ? [] : [issueOf(url, failure, at)]));
  const summary =
    issues.length === 1 ? "the page could not be read" : `none of the ${issues.length} pages could be read`;
  const shown = issues.slice(0, maxListedErrors).map(({ message }) => message);
  const more = issues.length > shown.length ? [`and ${issues.length - shown.length} more`] : [];
  return webFailure("no_page", `${summary}: ${shown[0] ?? ""}${issues.length > 1 ? ", and so on" : ""}`, {
    forModel: `${summary}:${[...shown, ...more].map((line) => `\n- ${line}`).join("")}`,
    issues,
    ...verdict(failures, callMs),
  });
}

function issueOf(url: string, { code, reason = code, forModel }: Failure, at: number): Issue {
  const address = withoutCredentials(url).slice(0, maxAddressLength);
  return { path: ["urls", at], code: reason, message: `${address}: ${forModel}` };
}

/** Immediate failures may be retried at once; after a timeout or a requested delay, only after longer than a call. */
function verdict(failures: readonly Failure[], callMs: number): Pick<Failure, "retry" | "retryAfterMs"> {
  const safe = failures.filter(({ retry }) => retry === "safe");
  if (safe.length === 0) return { retry: "never" };
  const waits = safe.flatMap(({ code, retryAfterMs }) => retryAfterMs ?? (code === "timeout" ? 0 : []));
  const late = safe.some(({ code }) => code === "timeout");
  if (!late && waits.length < safe.length) return { retry: "safe" };
  return { retry: "safe", retryAfterMs: Math.max(callMs, Math.min(...waits)) };
}
