import { CodeFences, findFrontMatter, sentenceEnds } from "../../../text/index.ts";
import type { Passage } from "./passage.ts";

/** A sentence of a note. */
export interface Sentence {
  readonly text: string;
  /** The line on which it begins, counted from 0. */
  readonly index: number;
}

/** Finds the sentences of a passage, also those that continue in the next line. */
export function sentencesIn(passage: Pick<Passage, "text" | "firstLine" | "fence">): Sentence[] {
  return paragraphsIn(linesOf(passage)).flatMap((paragraph) => sentencesOf(paragraph));
}

interface Line {
  readonly index: number;
  /** Without the marks of quotes, lists and tables, and without images; empty if there is no text. */
  readonly text: string;
  readonly isBlank: boolean;
  /** It begins an item of a list. */
  readonly isItem: boolean;
  /** It is a row of a table. */
  readonly isRow: boolean;
}

const noProse = /^\s*(?:#{1,6}\s|<!--.*-->\s*$|[-*_=|:\s]{3,}$)/u;
/** A row of a table. */
const row = /^\s*\|/u;
const quoteMark = /^\s*(?:>\s?)+/u;
/** Also one that is a link, and one that is a note of its own: `[![…](…)](…)`, `![[…]]`. */
const image = /\[?!\[(?:\[[^\]\n]{0,500}\]\]|[^\]\n]{0,500}\]\([^)\n]{0,2000}\))(?:\]\([^)\n]{0,2000}\))?/gu;
const listMark = /^\s*(?:[-*+]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?/u;

/** The lines of a passage. Front matter, headings, code, rules and comments contain no sentences. */
function linesOf({ text, firstLine = 1, fence }: Pick<Passage, "text" | "firstLine" | "fence">): Line[] {
  const fences = new CodeFences(fence);
  const found = findFrontMatter(text, { dots: true });
  const front = firstLine === 1 && found.kind === "found" ? text.slice(0, found.end).split("\n").length - 1 : 0;
  return text.split("\n").map((line, index) => {
    const content = line.replace(quoteMark, "");
    // Within a list a fence may be indented further.
    const isProse = index >= front && !fences.isCode(content.trimStart()) && !noProse.test(content);
    return {
      index,
      text: isProse ? plainText(content) : "",
      isBlank: content.trim() === "",
      isItem: listMark.test(content),
      isRow: row.test(content),
    };
  });
}

function plainText(line: string): string {
  const content = line.replace(listMark, "").trim();
  const bare = row.test(content) ? content.replaceAll(/^\||\|$/gu, "") : content;
  return (bare.includes("![") ? bare.replaceAll(image, "").replaceAll(/ {2,}/gu, " ") : bare).trim();
}

function paragraphsIn(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [];
  let before: Line | undefined;
  /** The last one that is not blank. */
  let above: Line | undefined;
  for (const line of lines) {
    // A label belongs to the first item below it.
    const isNext = line.isItem ? label.test(above?.text ?? "") : before !== undefined && continuesLine(before, line);
    if (isNext && line.text !== "") paragraphs.at(-1)?.push(line);
    else if (line.text !== "") paragraphs.push([line]);
    before = line;
    if (!line.isBlank) above = line;
  }
  return paragraphs;
}

const label = /[:：]$/u;
/** A line of at least this width was wrapped; a shorter one, as in a poem or a log, stands alone. */
const wrapWidth = 50;
/** In scripts without spaces lines are shorter, and may end anywhere. */
const wrapWidthDense = 30;
const sentenceEnd = /[.!?:。！？：…]["'”’)\]」』）]*$/u;
/** No sentence ends like this, nor begins like this. */
const openEnd = /[，、；]$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][,;]$/u;
const closing = /^[，。、；：！？）」』》”]/u;

function continuesLine(before: Line, { text: next, isRow }: Line): boolean {
  const line = before.text;
  if (line === "" || before.isRow || isRow || sentenceEnd.test(line)) return false;
  if (openEnd.test(line) || closing.test(next) || /^\p{Ll}/u.test(next)) return true;
  return widthOf(line) >= (isDense(line.at(-1)) && /^\p{L}/u.test(next) ? wrapWidthDense : wrapWidth);
}

const dense = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uff60";
const denseOne = new RegExp(`[${dense}]`, "u");
const wide = new RegExp(`[${dense}\\p{Script=Hangul}]`, "gu");

/** True for scripts that are written without spaces, also between lines. */
function isDense(character = ""): boolean {
  return denseOne.test(character);
}

/** Characters of such scripts are twice as wide. */
function widthOf(line: string): number {
  return line.length + (line.match(wide)?.length ?? 0);
}

function sentencesOf(paragraph: readonly Line[]): Sentence[] {
  const starts: (readonly [at: number, index: number])[] = [];
  let text = "";
  for (const line of paragraph) {
    const glue = text === "" || (isDense(text.at(-1)) && isDense(line.text[0])) ? "" : " ";
    starts.push([text.length + glue.length, line.index]);
    text += glue + line.text;
  }
  const sentences: Sentence[] = [];
  let from = 0;
  for (const end of [...sentenceEnds(text), text.length]) {
    const sentence = text.slice(from, end);
    const begin = from + sentence.search(/\S|$/u);
    from = end;
    if (sentence.trim() === "") continue;
    sentences.push({ text: sentence.trim(), index: starts.findLast(([at]) => at <= begin)?.[1] ?? 0 });
  }
  return sentences;
}
