import type { WriterContext } from "./ask-writer.ts";
import { cutText } from "./summary/cut-text.ts";
import { extractSummary } from "./summary/extract-summary.ts";
import { type Piece, readContent } from "./summary/read-content.ts";
import { isHan } from "./summary/split-sentences.ts";
import { type SummaryStyle, summaryStyles } from "./summary/summary-style.ts";
import { emptyContent } from "./writing-reasons.ts";
import type { WritingServices } from "./writing-services.ts";

/** What {@link summarize} takes besides the content. */
export interface SummarizeOptions {
  readonly style?: SummaryStyle;
  /** The most characters of the summary, its list of sources not counted. */
  readonly maxLength?: number;
  /** What the reader wants to know. */
  readonly focus?: string | undefined;
  /** The language to write in; that of the content where absent. Only a model can translate. */
  readonly language?: string | undefined;
  readonly timeoutMs?: number;
}

/** Where something in a summary is from. */
export interface SummarySource {
  readonly url: string;
  readonly title?: string;
}

/** What {@link summarize} gives. */
export interface Summary {
  /** The summary, and the list of its sources where the content names any. */
  readonly text: string;
  /** `model` where a model wrote it, `extractive` where it is made of sentences of the content. */
  readonly method: "model" | "extractive";
  readonly sources: readonly SummarySource[];
  /** Not everything could be read, or the summary had to be cut. */
  readonly truncated: boolean;
}

/** What a summary is written with; without a model it is extractive. */
export interface Desk {
  readonly services?: WritingServices;
  /** The call that asks for it; nobody can cancel where there is none. */
  readonly context?: WriterContext;
}

const alone: WriterContext = { signal: new AbortController().signal, report: () => {}, attempt: 1 };
/** How many characters are read. */
const most = { extractive: 120_000, model: 90_000 } as const;
const mostSources = 10;

/**
 * Sums up a content of any shape: a text, a page, a list of pages. A model writes the summary where there is one;
 * otherwise it is made of the content's own sentences, and says so.
 *
 * @example
 * ```ts
 * const { text, method } = await summarize(article, { style: "bullet-points", maxLength: 500 }, { services: { model } });
 * ```
 */
export async function summarize(
  content: unknown,
  options: SummarizeOptions,
  { services = {}, context = alone }: Desk = {},
): Promise<Summary> {
  const { style = "paragraph", maxLength = 1_500 } = options;
  const method = services.model === undefined ? "extractive" : "model";
  const { pieces, truncated } = readContent(content, most[method]);
  if (pieces.length === 0) throw emptyContent("content");
  const asked = { ...options, style, maxLength };
  const written = method === "model" ? await askFor(pieces, asked, { services, context }) : extracted(pieces, asked);
  const text = cutText(written.text, maxLength);
  const sources = sourcesOf(pieces);
  return {
    text: style === "one-line" ? text : withSources(text, sources),
    method,
    sources,
    truncated: truncated || written.isCut || text !== written.text,
  };
}

interface Asked extends SummarizeOptions {
  readonly style: SummaryStyle;
  readonly maxLength: number;
}

interface Written {
  readonly text: string;
  readonly isCut: boolean;
}

function extracted(pieces: readonly Piece[], { style, maxLength, focus }: Asked): Written {
  return { text: extractSummary(pieces, { style, maxLength, focus }), isCut: false };
}

async function askFor(
  pieces: readonly Piece[],
  options: Asked,
  { services, context }: Required<Desk>,
): Promise<Written> {
  const { style, maxLength, focus, language, timeoutMs = 120_000 } = options;
  const { askForText } = await import("./ask-writer.ts");
  const values = {
    content: pieces.length === 1 && pieces[0]?.url === undefined ? pieces[0]?.text : pieces.map(numbered).join("\n\n"),
    style: summaryStyles[style],
    max_length: maxLength,
    focus,
    language,
  };
  return askForText(
    { tool: "llm_summarize", values, needs: ["content"], timeoutMs, mayBeCut: true },
    services,
    context,
  );
}

function numbered({ text, title, url }: Piece, at: number): string {
  const head = [title, url].filter((part) => part !== undefined).join(", ");
  return `[${at + 1}]${head === "" ? "" : ` ${head}`}\n${text}`;
}

function sourcesOf(pieces: readonly Piece[]): SummarySource[] {
  const byUrl = new Map<string, SummarySource>();
  for (const { url, title } of pieces) {
    if (url !== undefined && !byUrl.has(url)) byUrl.set(url, { url, ...(title !== undefined && { title }) });
  }
  return [...byUrl.values()];
}

function withSources(text: string, sources: readonly SummarySource[]): string {
  if (sources.length === 0) return text;
  const listed = sources
    .slice(0, mostSources)
    .map(({ url, title }) => `- ${title === undefined ? "" : `${title}: `}${url}`);
  const more = sources.length > mostSources ? [`- … (${sources.length - mostSources})`] : [];
  return [text, "", isHan(text) ? "来源：" : "Sources:", ...listed, ...more].join("\n");
}
