import type { Piece } from "./read-content.ts";
import { isHan } from "./split-sentences.ts";

/** The texts from one address, or one text from nowhere, and the number by which a model is told of them. */
export interface Source {
  readonly number: number;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly texts: readonly string[];
}

/** What a summary is made of. */
export interface UsedSources {
  readonly sources: readonly Source[];
  /** The summary names them by their numbers. */
  readonly byNumber: boolean;
}

/** The sources of texts, in the order in which they first come. */
export function toSources(pieces: readonly Piece[]): Source[] {
  const groups = Map.groupBy(pieces, (piece) => piece.url ?? piece);
  return [...groups.values()].map((group, at) => ({
    number: at + 1,
    url: group[0]?.url,
    title: group[0]?.title,
    texts: group.map(({ text }) => text),
  }));
}

/** Sources as a model reads them. */
export function showSources(sources: readonly Source[]): string {
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

/** The sources that a model's summary names by their numbers; all that it read where it names none. */
export function citedSources(summary: string, sources: readonly Source[]): UsedSources {
  const numbers = new Set([...summary.matchAll(mark)].flatMap(([, list = ""]) => list.split(/\D+/).map(Number)));
  const cited = sources.filter(({ number }) => numbers.has(number));
  return cited.length === 0 ? { sources, byNumber: false } : { sources: cited, byNumber: true };
}

const mostListed = 10;

/** A summary, and below it the addresses of what it is made of, where there are any. */
export function withSources(summary: string, { sources, byNumber }: UsedSources): string {
  const named = sources.filter(({ url }) => url !== undefined);
  if (named.length === 0) return summary;
  const listed = named
    .slice(0, mostListed)
    .map(({ number, url, title }) =>
      ["-", byNumber && `[${number}]`, title !== undefined && `${title}:`, url]
        .filter((part) => part !== false)
        .join(" "),
    );
  const more = named.length > mostListed ? [`- … (${named.length - mostListed})`] : [];
  return [summary, "", isHan(summary) ? "来源：" : "Sources:", ...listed, ...more].join("\n");
}
