import { sentenceEnds } from "../../../text/index.ts";
import { CodeFences } from "../notes/prose-mask.ts";
import type { Passage } from "./passage.ts";

/** A sentence of a note. */
export interface Sentence {
  readonly text: string;
  /** The line on which it begins, counted from 0. */
  readonly index: number;
}

/** Finds the sentences of a passage, also those that go on in the next line. */
export function sentencesIn(passage: Pick<Passage, "text" | "firstLine" | "fence">): Sentence[] {
  return paragraphsIn(linesOf(passage)).flatMap((paragraph) => sentencesOf(paragraph));
}

interface Line {
  readonly index: number;
  /** Without the marks of quotes and lists; empty where nothing is said. */
  readonly text: string;
  /** It begins an item of a list. */
  readonly isItem: boolean;
}

const frontMatter = /^---\n[\s\S]*?\n---(?:\n|$)/u;
const noProse = /^\s*(?:#{1,6}\s|<!--.*-->\s*$|[-*_=|:\s]{3,}$)/u;
const quoteMark = /^\s*(?:>\s?)+/u;
const listMark = /^\s*(?:[-*+]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?/u;

/** The lines of a passage. Front matter, headings, code, rules and comments say nothing. */
function linesOf({ text, firstLine = 1, fence }: Pick<Passage, "text" | "firstLine" | "fence">): Line[] {
  const fences = new CodeFences(fence);
  const front = firstLine === 1 ? (frontMatter.exec(text)?.[0].split("\n").length ?? 1) - 1 : 0;
  return text.split("\n").map((line, index) => {
    const said = line.replace(quoteMark, "");
    // Within a list a fence may stand farther in.
    const isProse = index >= front && !fences.isCode(said.trimStart()) && !noProse.test(said);
    return { index, text: isProse ? said.replace(listMark, "").trim() : "", isItem: listMark.test(said) };
  });
}

function paragraphsIn(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [];
  let before: Line | undefined;
  for (const line of lines) {
    const isNext = before !== undefined && before.text !== "" && !line.isItem && goesOn(before.text, line.text);
    if (isNext && line.text !== "") paragraphs.at(-1)?.push(line);
    else if (line.text !== "") paragraphs.push([line]);
    before = line;
  }
  return paragraphs;
}

/** A line that is so wide was wrapped; a shorter one, as of a poem or a log, is for itself. */
const wrapWidth = 50;
const sentenceEnd = /[.!?:。！？：…]["'”’)\]」』）]*$/u;

function goesOn(line: string, next: string): boolean {
  if (line.startsWith("|") || next.startsWith("|") || sentenceEnd.test(line)) return false;
  return /^\p{Ll}/u.test(next) || widthOf(line) >= wrapWidth;
}

/** Characters of scripts without blanks are twice as wide. */
function widthOf(line: string): number {
  return line.length + (line.match(wide)?.length ?? 0);
}

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const isWide = new RegExp(wide.source, "u");

function sentencesOf(paragraph: readonly Line[]): Sentence[] {
  const starts: (readonly [at: number, index: number])[] = [];
  let text = "";
  for (const line of paragraph) {
    const glue = text === "" || (isWide.test(text.at(-1) ?? "") && isWide.test(line.text[0] ?? "")) ? "" : " ";
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
