import { definedOnly } from "../../base/index.ts";
import type { ExtractForm } from "../extract/index.ts";
import type { ReadPage } from "./page.ts";

/** Properties of every output about a page. */
export interface PageFacts {
  /** The requested address. */
  readonly url: string;
  /** Final address, if redirects led to another one. */
  readonly final_url?: string;
  readonly title: string;
  /** Something was omitted because it is too long. */
  readonly truncated?: boolean;
}

/** The properties of {@link PageFacts}, for output schemas. */
export const pageFactsSchema = {
  url: { type: "string" },
  final_url: { type: "string" },
  title: { type: "string" },
  truncated: { type: "boolean" },
} as const;

/** Format of a page, under either of its names. */
export interface FormatChoice {
  readonly format?: ExtractForm;
  readonly extract_type?: ExtractForm;
}

/** The properties of {@link FormatChoice}. */
export const formatSchema = {
  format: { type: "string", enum: ["markdown", "text"], description: "Format of the text. Default: markdown." },
  extract_type: { type: "string", enum: ["markdown", "text"], description: "Another name for format." },
} as const;

/** The text of a page in the requested format. */
export function pageContent(page: ReadPage, choice: FormatChoice): string {
  return requestedFormat(choice) === "markdown" ? page.markdown : page.text;
}

/** The requested format. */
export function requestedFormat({ format, extract_type = "markdown" }: FormatChoice): ExtractForm {
  return format ?? extract_type;
}

/** A link of a page, in outputs. */
interface PageAnchor {
  readonly text: string;
  readonly href: string;
}

/** The links and the outline of a page. */
export interface PageParts {
  readonly links?: readonly PageAnchor[];
  readonly headings?: readonly { readonly level: number; readonly text: string }[];
  readonly language?: string;
  readonly published?: string;
  readonly truncated?: boolean;
}

/** The properties of {@link PageParts}. */
export const pagePartsSchema: Readonly<Record<string, unknown>> = {
  links: listOf({ text: { type: "string" }, href: { type: "string" } }),
  headings: listOf({ level: { type: "integer" }, text: { type: "string" } }),
  language: { type: "string" },
  published: { type: "string" },
};

function listOf(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: "array", items: { type: "object", properties, required: Object.keys(properties) } };
}

/** Maximum number of links returned per page. */
const maxLinks = 500;
/** Maximum number of links in the structured format. */
const maxStructuredLinks = 20;
const maxHeadings = 100;

/** The parts of a page besides its text that belong to a format. */
export function pageParts(page: ReadPage, format: ExtractForm): PageParts {
  if (format === "links") return { links: linksOf(page, maxLinks), ...(page.links.length > maxLinks && cut) };
  if (format !== "structured") return {};
  return {
    links: linksOf(page, maxStructuredLinks),
    headings: page.headings.slice(0, maxHeadings),
    ...definedOnly({ language: page.language, published: page.published }),
  };
}

const cut = { truncated: true };

function linksOf({ links }: ReadPage, max: number): readonly PageAnchor[] {
  return links.slice(0, max).map(({ text, url }) => ({ text, href: url }));
}

/** Properties of a page other than its content. */
export function pageFacts({ url, finalUrl, title, truncated }: ReadPage): PageFacts {
  return {
    url,
    ...(isElsewhere(url, finalUrl) && { final_url: finalUrl }),
    title,
    ...(truncated && { truncated }),
  };
}

function isElsewhere(url: string, finalUrl: string): boolean {
  const request = URL.parse(url);
  if (request === null) return false;
  request.hash = "";
  return request.href !== finalUrl && url !== finalUrl;
}
