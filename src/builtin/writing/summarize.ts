import type { PromptContext, ToolPrompt } from "../../tool/index.ts";
import { emptyContent } from "./empty-content.ts";
import { cutSummary, extractSummary } from "./summary/extract-summary.ts";
import { type Piece, readContent } from "./summary/read-content.ts";
import { type SummaryStyle, summaryStyles } from "./summary/summary-style.ts";
import { createPromptSender, type WritingServices } from "./prompt-sender.ts";
import { readWritingFile } from "./read-writing-file.ts";
import { isHan } from "./summary/split-sentences.ts";

/** Options of {@link summarize}. */
export interface SummarizeOptions {
  readonly style?: SummaryStyle;
  /** Maximum number of characters of the summary, not counting its list of sources. */
  readonly maxLength?: number;
  /** Interest of the reader, as a query or a topic. */
  readonly focus?: string | undefined;
  /** Language of the summary. Default: that of the content. Only a model can translate. */
  readonly language?: string | undefined;
  readonly timeoutMs?: number;
}

/** Source of a part of a summary. */
export interface SummarySource {
  readonly url: string;
  readonly title?: string;
}

/** Result of {@link summarize}. */
export interface Summary {
  /** The summary, and the list of its sources if the content names any. */
  readonly text: string;
  /** `model` if a model wrote it, `extractive` if it consists of sentences of the content. */
  readonly method: "model" | "extractive";
  /** Its sources; for a summary of a model those that it cites, or all that it was given. */
  readonly sources: readonly SummarySource[];
  /** True if not everything could be read, or the summary had to be cut. */
  readonly truncated: boolean;
}

/** Dependencies of a summary; without a model it is extractive. */
export interface SummarizeDeps {
  readonly services?: WritingServices;
  /** The call that requests it; without one it cannot be cancelled. */
  readonly context?: PromptContext;
}

const alone: PromptContext = { signal: new AbortController().signal, report: () => {}, attempt: 1 };
/** Maximum number of characters that are read. */
const maxCount = { extractive: 120_000, model: 90_000 } as const;

/**
 * Summarizes content of any shape: a text, a page, a list of pages. A model writes the summary if there is one; otherwise
 * it consists of the content's own sentences, and is marked as such.
 *
 * @example
 * ```ts
 * const { text, method } = await summarize(article, { style: "bullet-points", maxLength: 500 }, { services: { model } });
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export async function summarize(
  content: unknown,
  options: SummarizeOptions,
  { services = {}, context = alone }: SummarizeDeps = {},
): Promise<Summary> {
  const { style = "paragraph", maxLength = 1_500 } = options;
  const method = services.model === undefined ? "extractive" : "model";
  const { pieces, truncated } = readContent(content, maxCount[method]);
  if (pieces.length === 0) throw emptyContent("content", content);
  const request = { ...options, style, maxLength };
  const written =
    method === "model" ? await requestSummary(pieces, request, { services, context }) : extracted(pieces, request);
  const text = cutSummary(written.text, maxLength);
  const used = written.used(text);
  return {
    text: style === "one-line" ? text : withSources(text, used),
    method,
    sources: used.sources.flatMap(({ url, title }) => (url === undefined ? [] : [{ url, ...(title && { title }) }])),
    truncated: truncated || written.isCut || text !== written.text,
  };
}

interface SummarizeRequest extends SummarizeOptions {
  readonly style: SummaryStyle;
  readonly maxLength: number;
}

interface Written {
  readonly text: string;
  readonly isCut: boolean;
  /** Returns the sources of the retained part of the summary. */
  readonly used: (retained: string) => UsedSources;
}

function extracted(pieces: readonly Piece[], { style, maxLength, focus }: SummarizeRequest): Written {
  const { text, from } = extractSummary(pieces, { style, maxLength, focus });
  const sources = toSources(pieces.filter((_, at) => from.has(at)));
  return { text, isCut: false, used: () => ({ sources, byNumber: false }) };
}

let summaryPrompt: ToolPrompt | undefined;

async function requestSummary(
  pieces: readonly Piece[],
  { style, maxLength, focus, language, timeoutMs = 120_000 }: SummarizeRequest,
  { services, context }: Required<SummarizeDeps>,
): Promise<Written> {
  const { requestText } = await import("./request-answer.ts");
  const sources = toSources(pieces);
  const args = { content: showSources(sources), style: summaryStyles[style], max_length: maxLength, focus, language };
  summaryPrompt ??= readWritingFile("llm_summarize", createPromptSender({})).prompt;
  const answer = await requestText({ prompt: { ...summaryPrompt, timeoutMs }, args, services, context }, true);
  const text = answer.isCut ? `${answer.text}…` : answer.text;
  return { text, isCut: answer.isCut, used: (retained) => citedSources(retained, sources) };
}

/** The texts of one address, or one text without an address, and its number for the model. */
interface Source {
  readonly number: number;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly texts: readonly string[];
}

/** The sources of a summary. */
interface UsedSources {
  readonly sources: readonly Source[];
  /** True if the summary cites them by number. */
  readonly byNumber: boolean;
}

/** Returns the sources of texts, in the order in which they first occur. */
function toSources(pieces: readonly Piece[]): Source[] {
  const groups = Map.groupBy(pieces, (piece) => piece.url ?? piece);
  return [...groups.values()].map((group, at) => ({
    number: at + 1,
    url: group[0]?.url,
    title: group[0]?.title,
    texts: group.map(({ text }) => text),
  }));
}

/** Formats sources for a model. */
function showSources(sources: readonly Source[]): string {
  const [first] = sources;
  if (sources.length === 1 && first?.url === undefined) return first?.texts.join("\n\n") ?? "";
  return sources
    .map(({ number, title, url, texts }) => {
      const head = [title, url].filter((part) => part !== undefined).join(", ");
      return [`[${number}]${head === "" ? "" : ` ${head}`}`, ...texts].join("\n");
    })
    .join("\n\n");
}

const mark = /[[【]\s*(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\s*[\]】]/g;

/** Returns the sources that a model's summary cites by number; all that it read if it cites none. */
function citedSources(summary: string, sources: readonly Source[]): UsedSources {
  const numbers = new Set([...summary.matchAll(mark)].flatMap(([, list = ""]) => list.split(/\D+/).map(Number)));
  const cited = sources.filter(({ number }) => numbers.has(number));
  return cited.length === 0 ? { sources, byNumber: false } : { sources: cited, byNumber: true };
}

const maxListed = 10;

/** Appends the addresses of the sources to a summary, if there are any. */
function withSources(summary: string, { sources, byNumber }: UsedSources): string {
  const named = sources.filter(({ url }) => url !== undefined);
  if (named.length === 0) return summary;
  const listed = named
    .slice(0, maxListed)
    .map(({ number, url, title }) =>
      ["-", byNumber && `[${number}]`, title !== undefined && `${title}:`, url]
        .filter((part) => part !== false)
        .join(" "),
    );
  const more = named.length > maxListed ? [`- … (${named.length - maxListed})`] : [];
  return [summary, "", isHan(summary) ? "来源：" : "Sources:", ...listed, ...more].join("\n");
}
