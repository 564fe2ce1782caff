import { type PositionedSentence, type Ranking, rankSentences } from "./rank-sentences.ts";
import type { Piece } from "./read-content.ts";
import { isHan, splitSentences } from "./split-sentences.ts";
import type { SummaryStyle } from "./summary-style.ts";
import { cutText } from "../../../text/index.ts";

/** Options of {@link extractSummary}. */
export interface ExtractOptions {
  readonly style: SummaryStyle;
  /** Maximum number of characters of the summary. */
  readonly maxLength: number;
  /** Interest of the reader, as a query or a topic. */
  readonly focus?: string | undefined;
}

/** Result of {@link extractSummary}. */
interface ExtractedSummary {
  readonly text: string;
  /** Indices of the texts that it has sentences of. */
  readonly from: ReadonlySet<number>;
}

/** More sentences are not compared with each other: the work grows with their square. */
const maxSentences = 240;
/** Maximum number of sentences that are read before some of them are chosen. */
const maxRead = 2_000;

const maxPicked: Readonly<Record<SummaryStyle, number>> = {
  "one-line": 1,
  paragraph: 5,
  "bullet-points": 7,
  structured: 9,
};

/**
 * Summarizes texts with their own sentences: the most central ones, with more weight on the beginnings of the texts,
 * without near-duplicates, in order. Nothing is rephrased, so nothing is made up.
 *
 * @example
 * ```ts
 * const { text } = extractSummary([{ text: article }], { style: "bullet-points", maxLength: 500 });
 * ```
 */
export function extractSummary(pieces: readonly Piece[], options: ExtractOptions): ExtractedSummary {
  const sentences = gather(pieces);
  if (sentences.length === 0) {
    return { text: cutSummary(bareText(pieces), options.maxLength), from: new Set(pieces.keys()) };
  }
  const titles = pieces.map(({ title }) => title);
  const ranking = rankSentences(sentences, titles, options.focus);
  const picked = pick(sentences, ranking, { ...options, titles });
  const best = picked.length === 0 ? [indexOfBest(ranking.scores)] : picked;
  const chosen = best.toSorted((a, b) => a - b).flatMap((at) => sentences[at] ?? []);
  return {
    text: cutSummary(write(chosen, pieces, options.style), options.maxLength),
    from: new Set(chosen.map(({ piece }) => piece)),
  };
}

/** Returns the sentences with content. */
function gather(pieces: readonly Piece[]): PositionedSentence[] {
  const room = Math.max(20, Math.ceil(maxRead / Math.max(1, pieces.length)));
  const all = pieces.flatMap(({ text }, piece) =>
    splitSentences(text, room).map((text, position) => ({ text: text.replaceAll(/\s+/g, " "), piece, position })),
  );
  const reporting = all.filter(({ text }) => isInformativeSentence(text));
  const usable = reporting.length > 0 ? reporting : all.filter(({ text }) => /\p{L}/u.test(text));
  const seen = new Set<string>();
  return thin(usable.filter(({ text }) => !seen.has(text) && seen.add(text)));
}

/** Returns the first half of the maximum, and the rest spread evenly over what follows. */
function thin(sentences: readonly PositionedSentence[]): PositionedSentence[] {
  if (sentences.length <= maxSentences) return [...sentences];
  const rising = sentences.toSorted((a, b) => a.position - b.position);
  const half = maxSentences / 2;
  const rest = rising.slice(half);
  const step = rest.length / half;
  const spread = Array.from({ length: half }, (_, at) => rest[Math.floor(at * step)]);
  return [...rising.slice(0, half), ...spread.filter((sentence) => sentence !== undefined)].toSorted(
    (a, b) => a.piece - b.piece || a.position - b.position,
  );
}

/** Phrases of web pages about themselves, such as cookie notices. */
const pageBoilerplate =
  /\bcookies?\b|\bsubscribe\b|\bsign (?:in|up)\b|\blog ?in\b|all rights reserved|©|\bcopyright\b|click here|privacy policy|terms of (?:use|service)|版权所有|登录|注册|订阅|隐私政策|点击这里|转载请注明|last (?:edited|updated)|最后(?:编辑|更新)/i;

function isInformativeSentence(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const enough = isHan(text) ? letters >= 6 : letters >= 20;
  return enough && letters / text.length > 0.6 && !pageBoilerplate.test(text);
}

interface PickOptions extends ExtractOptions {
  readonly titles: readonly (string | undefined)[];
}

/** Returns the length of a sentence, with its bullet, its line end and, if it is the first of its text, the title. */
function lengthOf(
  sentence: PositionedSentence | undefined,
  before: readonly (PositionedSentence | undefined)[],
  options: PickOptions,
): number {
  if (sentence === undefined) return Infinity;
  const isFirst = options.style === "structured" && before.every((other) => other?.piece !== sentence.piece);
  const around = options.style === "bullet-points" || options.style === "structured" ? 3 : 1;
  return sentence.text.length + around + (isFirst ? (options.titles[sentence.piece]?.length ?? 0) + 5 : 0);
}

/** Penalty for similarity to a chosen sentence. */
const sameness = 0.3;
/** A sentence worth less than this share of the best one is omitted. */
const minWorth = 0.35;

/** Chooses the best sentences that fit into the length, each judged by what it adds to those before. */
function pick(sentences: readonly PositionedSentence[], { scores, likeness }: Ranking, options: PickOptions): number[] {
  const picked: number[] = [];
  const open = new Set(scores.keys());
  const min = minWorth * (scores[indexOfBest(scores)] ?? 0);
  let room = options.maxLength;
  while (open.size > 0 && picked.length < maxPicked[options.style]) {
    let best = -1;
    let limit = -Infinity;
    for (const at of open) {
      const worth = (scores[at] ?? 0) - sameness * Math.max(0, ...picked.map((other) => likeness(at, other)));
      if (worth > limit) [best, limit] = [at, worth];
    }
    open.delete(best);
    const length = lengthOf(
      sentences[best],
      picked.map((at) => sentences[at]),
      options,
    );
    if (length > room || (scores[best] ?? 0) < min) continue;
    picked.push(best);
    room -= length;
  }
  return picked;
}

function indexOfBest(scores: Float64Array): number {
  return scores.reduce((best, score, at) => (score > (scores[best] ?? -Infinity) ? at : best), 0);
}

function write(chosen: readonly PositionedSentence[], pieces: readonly Piece[], style: SummaryStyle): string {
  switch (style) {
    case "one-line":
    case "paragraph":
      return chosen.reduce((text, sentence) => text + gap(text) + sentence.text, "");
    case "bullet-points":
      return chosen.map(({ text }) => `- ${text}`).join("\n");
    case "structured":
      return writeStructured(chosen, pieces);
    default:
      return style satisfies never;
  }
}

/** Returns nothing between Chinese sentences, a space between others. */
function gap(before: string): string {
  return before === "" || /[。！？…”」』）]$/.test(before) ? "" : " ";
}

/** Groups by text, each under its title; a text without one begins with its first sentence. */
function writeStructured(chosen: readonly PositionedSentence[], pieces: readonly Piece[]): string {
  const groups = Map.groupBy(chosen, ({ piece }) => piece);
  return [...groups]
    .map(([piece, group]) => {
      const title = pieces[piece]?.title;
      const [first, ...rest] = group.map(({ text }) => text);
      if (title !== undefined) return [`## ${title}`, ...group.map(({ text }) => `- ${text}`)].join("\n");
      return [first, ...rest.map((text) => `- ${text}`)].join("\n");
    })
    .join("\n\n");
}

/** Returns the texts as they are if there are no sentences, as in code or numbers. */
function bareText(pieces: readonly Piece[]): string {
  return pieces
    .map(({ text }) => text.replaceAll(/^\s*(?:```|~~~).*$/gm, "").trim())
    .join("\n\n")
    .trim();
}

/** Cuts a summary to `max` units, including a mark that it was cut: after a sentence or a line if one ends in time. */
export function cutSummary(text: string, max: number): string {
  return cutText(text, max, { at: "line", afterSentence: "…" }).text;
}
