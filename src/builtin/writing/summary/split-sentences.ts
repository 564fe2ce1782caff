import { sentenceEnds, stripUnsafe } from "../../../text/index.ts";
import { breakText } from "./break-text.ts";

const han = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
/** Longer runs without a full stop are lists, logs or noise; they are broken up. */
const longestSentence = 400;

/** Is a text mostly Chinese or Japanese? */
export function isHan(text: string): boolean {
  const sample = text.slice(0, 4_000);
  const dense = sample.match(/[\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0;
  const letters = sample.match(/[A-Za-z]+/g)?.length ?? 0;
  return dense > 0 && dense >= letters * 2;
}

/**
 * The sentences of a text, English, Chinese or mixed. Markdown is read through: headings, tables and code are left out,
 * links keep their words, list items stand for themselves, lines wrapped in the middle of a sentence are joined.
 *
 * @example
 * ```ts
 * splitSentences("Dr. Wu came. 他走了。"); // ["Dr. Wu came.", "他走了。"]
 * ```
 */
export function splitSentences(text: string, most: number = Infinity): string[] {
  const found: string[] = [];
  for (const paragraph of paragraphs(plain(text))) {
    for (const sentence of sentencesOf(paragraph)) {
      found.push(...(sentence.length > longestSentence ? breakText(sentence, longestSentence) : [sentence]));
      if (found.length >= most) return found.slice(0, most);
    }
  }
  return found;
}

/** Every class excludes what opens the next match, so that each pattern stays linear. */
function plain(text: string): string {
  return withoutFences(stripUnsafe(text))
    .replaceAll(/<\/?[A-Za-z][^<>]{0,300}>/g, " ")
    .replaceAll(/!\[[^[\]]{0,300}\]\([^()]{0,2000}\)/g, "")
    .replaceAll(/\[([^[\]]{0,300})\]\([^()]{0,2000}\)/g, "$1")
    .replaceAll(/\*\*|__|`/g, "");
}

function withoutFences(text: string): string {
  const kept: string[] = [];
  let inCode = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line);
    if (isFence) {
      inCode = !inCode;
      kept.push("");
    } else if (!inCode) kept.push(line);
  }
  return kept.join("\n");
}

const listItem = /^\s{0,12}(?:(?:[-*+•·]|\d{1,3}[.)])\s+|\d{1,3}、\s*)/;
/** Headings, tables, rules: they say what follows, not what is. */
const notProse = /^\s{0,3}(?:#{1,6}\s|\||[-=*_]{3,}\s*$)/;

function paragraphs(text: string): string[] {
  const found: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) found.push(joinLines(open));
    open = [];
  };
  for (const line of text.split("\n")) {
    const words = line.replace(/^\s*(?:>\s?)+/, "");
    if (words.trim() === "" || notProse.test(words)) close();
    else if (listItem.test(words)) {
      close();
      open.push(words.replace(listItem, "").trim());
    } else open.push(words.trim());
  }
  close();
  return found;
}

/** Lines of running text; between Chinese characters a line end is no space. */
function joinLines(lines: readonly string[]): string {
  const parts = lines.map((line, at) => {
    const before = lines[at - 1]?.at(-1);
    return before === undefined || (han.test(before) && han.test(line[0] ?? "")) ? line : ` ${line}`;
  });
  return parts.join("");
}

function* sentencesOf(paragraph: string): Generator<string, void, undefined> {
  let start = 0;
  for (const end of [...sentenceEnds(paragraph), paragraph.length]) {
    const sentence = paragraph.slice(start, end).trim();
    start = end;
    if (sentence !== "") yield sentence;
  }
}
