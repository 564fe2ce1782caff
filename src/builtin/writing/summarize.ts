import type { WriterContext } from "./ask-writer.ts";
import { emptyContent } from "./empty-content.ts";
import { cutSummary } from "./summary/cut-summary.ts";
import { extractSummary } from "./summary/extract-summary.ts";
import { type Piece, readContent } from "./summary/read-content.ts";
import { type UsedSources, citedSources, showSources, toSources, withSources } from "./summary/summary-sources.ts";
import { type SummaryStyle, summaryStyles } from "./summary/summary-style.ts";
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
  /** Those that it is made of; of a model's summary those that it names, or all that it was given. */
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
  if (pieces.length === 0) throw emptyContent("content", content);
  const asked = { ...options, style, maxLength };
  const written = method === "model" ? await askFor(pieces, asked, { services, context }) : extracted(pieces, asked);
  const text = cutSummary(written.text, maxLength);
  const used = written.used(text);
  return {
    text: style === "one-line" ? text : withSources(text, used),
    method,
    sources: used.sources.flatMap(({ url, title }) => (url === undefined ? [] : [{ url, ...(title && { title }) }])),
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
  /** What the summary is made of, as far as it is kept. */
  readonly used: (kept: string) => UsedSources;
}

function extracted(pieces: readonly Piece[], { style, maxLength, focus }: Asked): Written {
  const { text, from } = extractSummary(pieces, { style, maxLength, focus });
  const sources = toSources(pieces.filter((_, at) => from.has(at)));
  return { text, isCut: false, used: () => ({ sources, byNumber: false }) };
}

async function askFor(
  pieces: readonly Piece[],
  options: Asked,
  { services, context }: Required<Desk>,
): Promise<Written> {
  const { style, maxLength, focus, language, timeoutMs = 120_000 } = options;
  const { askForText } = await import("./ask-writer.ts");
  const sources = toSources(pieces);
  const values = { content: showSources(sources), style: summaryStyles[style], max_length: maxLength, focus, language };
  const answer = await askForText(
    { tool: "llm_summarize", values, needs: ["content"], timeoutMs, mayBeCut: true },
    services,
    context,
  );
  const text = answer.isCut ? `${answer.text}…` : answer.text;
  return { text, isCut: answer.isCut, used: (kept) => citedSources(kept, sources) };
}
