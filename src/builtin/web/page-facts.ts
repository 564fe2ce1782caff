import type { Pages } from "./pages.ts";
import type { ReadPage } from "./page.ts";
import { callTimeMs } from "./page-limits.ts";

/** What every output about a page has. */
export interface PageFacts {
  /** As it was asked for. */
  readonly url: string;
  /** Where it came from, where redirects led elsewhere. */
  readonly final_url?: string;
  readonly title: string;
  /** Something was left out because it is too long. */
  readonly truncated?: boolean;
}

/** The properties of {@link PageFacts}, for output schemas. */
export const pageFactsSchema = {
  url: { type: "string" },
  final_url: { type: "string" },
  title: { type: "string" },
  truncated: { type: "boolean" },
} as const;

/** The parameter `url`. */
export const urlSchema = {
  type: "string",
  minLength: 1,
  description: "The full address of the page, such as https://example.com/article.",
} as const;

/** The parameter `max_length`. */
export const lengthSchema = {
  type: "integer",
  minimum: 100,
  maximum: 500_000,
  default: 50_000,
  description: "The most characters of text to give; the rest is cut off and truncated is true.",
} as const;

/** How to give a page, by whichever of its names. */
export interface FormatChoice {
  readonly format?: "markdown" | "text";
  readonly extract_type?: "markdown" | "text";
}

/** The properties of {@link FormatChoice}. */
export const formatSchema = {
  format: { type: "string", enum: ["markdown", "text"], description: "How to give the text; markdown where absent." },
  extract_type: { type: "string", enum: ["markdown", "text"], description: "Another name for format." },
} as const;

/** The text of a page in the format that was asked for. */
export function contentOf(page: ReadPage, choice: FormatChoice): string {
  return formatOf(choice) === "text" ? page.text : page.markdown;
}

/** The format that was asked for. */
export function formatOf({ format, extract_type = "markdown" }: FormatChoice): "markdown" | "text" {
  return format ?? extract_type;
}

/** What there is to say about a page besides its content. */
export function pageFacts({ url, finalUrl, title, truncated }: ReadPage): PageFacts {
  return {
    url,
    ...(isElsewhere(url, finalUrl) && { final_url: finalUrl }),
    title,
    ...(truncated && { truncated }),
  };
}

function isElsewhere(url: string, finalUrl: string): boolean {
  const asked = URL.parse(url);
  if (asked === null) return false;
  asked.hash = "";
  return asked.href !== finalUrl && url !== finalUrl;
}

/** Time for one page, the reading of it included. */
export function pageDeadlineMs({ limits }: Pages): number {
  return callTimeMs(limits.timeoutMs);
}
