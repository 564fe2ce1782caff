import { type Failure } from "../../base/index.ts";
import { noPage } from "./no-page.ts";
import type { Pages } from "./pages.ts";
import { type ReadAllOptions, type ReadPage, type BatchItem } from "./page.ts";
import { type FormatChoice, formatOf, formatSchema } from "./page-facts.ts";
import { callTimeMs } from "./page-limits.ts";

/** What the tools for many pages take. */
export interface BatchInput extends FormatChoice {
  readonly urls: readonly string[];
  readonly max_length?: number;
  readonly timeout?: number;
}

/** What the tools for many pages work with. */
export interface BatchServices {
  readonly pages: Pages;
  /** Addresses of one call; 50 where absent. */
  readonly maxUrls?: number | undefined;
}

/** Why one page is not there. */
export interface BatchError {
  readonly code: string;
  readonly reason?: string;
  readonly message: string;
  /** May it be asked for again? */
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

const defaultUrls = 50;
const defaultLength = 20_000;
const longestSeconds = 300;
/** All texts of one call together: an output must stay within what a call may give. */
const mostCharacters = 2_000_000;

/** The input schema of the tools for many pages. */
export function batchInputSchema({ pages, maxUrls = defaultUrls }: BatchServices): Record<string, unknown> {
  return {
    type: "object",
    properties: {
      urls: {
        type: "array",
        // An address that is none, even an empty one, is one page's error and not the whole call's.
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
          `The most characters of each page; the rest is cut off. All pages together give at most ${mostCharacters}, ` +
          "so many pages may give less each.",
      },
      timeout: {
        type: "number",
        minimum: 1,
        maximum: longestSeconds,
        default: Math.min(longestSeconds, pages.limits.deadlineMs / 1000),
        description: "Seconds for all pages; what is not there by then is told as an error.",
      },
    },
    required: ["urls"],
    additionalProperties: false,
    examples: [{ urls: ["http://example.com/", "http://example.com/about"], max_length: 5000, timeout: 20 }],
  };
}

/** Time for the call: the pages end by themselves at their own deadline. */
export function batchDeadlineMs(args: BatchInput, pages: Pages): number {
  return callTimeMs(timeoutOf(args, pages));
}

function timeoutOf({ timeout }: BatchInput, { limits }: Pages): number {
  return timeout === undefined ? limits.deadlineMs : timeout * 1000;
}

/** Reads all pages of a call; one at least, or it fails. */
export async function readBatch(
  args: BatchInput,
  pages: Pages,
  options: Pick<ReadAllOptions, "signal" | "onSettled">,
): Promise<readonly BatchItem<ReadPage>[]> {
  const { urls, max_length = defaultLength } = args;
  const share = Math.floor(mostCharacters / Math.max(1, urls.length));
  const items = await pages.readAll(urls, {
    ...options,
    as: formatOf(args),
    maxChars: Math.min(max_length, share),
    deadlineMs: timeoutOf(args, pages),
  });
  if (items.length > 0 && items.every(({ page }) => page === undefined)) {
    throw noPage(items, batchDeadlineMs(args, pages));
  }
  return items;
}

/** A failure as these tools tell it, in words for whoever reads the output. */
export function toBatchError({ code, reason, forModel, retry, retryAfterMs }: Failure): BatchError {
  return {
    code,
    ...(reason !== undefined && { reason }),
    message: forModel,
    retry,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
