import { sentenceEnds, stripUnsafe, findCutPoint } from "../../../text/index.ts";

const han = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
/** Longer runs without a full stop are lists, logs or noise; they are split. */
const maxSentenceLength = 400;

/** True if a text is mostly Chinese or Japanese. */
export function isHan(text: string): boolean {
  const sample = text.slice(0, 4_000);
  const dense = sample.match(/[\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0;
  const letters = sample.match(/[A-Za-z]+/g)?.length ?? 0;
  return dense > 0 && dense >= letters * 2;
}

/**
 * Splits a text, English, Chinese or mixed, into sentences. Markdown is interpreted: headings, tables and code are
 * omitted, links keep their words, list items are separate, and lines wrapped in the middle of a sentence are joined.
 *
 * @example
 * ```ts
 * splitSentences("Dr. Wu came. 他走了。"); // ["Dr. Wu came.", "他走了。"]
 * ```
 */
export function splitSentences(text: string, max: number = Infinity): string[] {
  const found: string[] = [];
  for (const paragraph of paragraphs(plain(text))) {
    for (const sentence of sentencesOf(paragraph)) {
      found.push(...(sentence.length > maxSentenceLength ? breakText(sentence, maxSentenceLength) : [sentence]));
      if (found.length >= max) return found.slice(0, max);
    }
  }
  return found;
}

/** Every class excludes the beginning of the next match, so that each pattern stays linear. */
function plain(text: string): string {
  return withoutFences(stripUnsafe(text))
    .replaceAll(/<\/?[A-Za-z][^<>]{0,300}>/g, " ")
    .replaceAll(/!\[[^[\]]{0,300}\]\([^()]{0,2000}\)/g, "")
    .replaceAll(/\[([^[\]]{0,300})\]\([^()]{0,2000}\)/g, "$1")
    .replaceAll(/\*\*|__|`/g, "");
}

function withoutFences(text: string): string {
  const retained: string[] = [];
  let inCode = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line);
    if (isFence) {
      inCode = !inCode;
      retained.push("");
    } else if (!inCode) retained.push(line);
  }
  return retained.join("\n");
}

const listItem = /^\s{0,12}(?:(?:[-*+•·]|\d{1,3}[.)])\s+|\d{1,3}、\s*)/;
/** Headings, tables, rules: they announce content, but are not prose. */
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

/** Joins lines of running text; between Chinese characters a line end is not a space. */
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

/** Splits into parts of at most `max` units each, where a reader would pause if possible. */
function breakText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    // A single character longer than the limit cannot occur in real text.
    const end = findCutPoint(rest, max, { at: "word" }) || max;
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end);
  }
  return [...parts, rest.trim()].filter((part) => part !== "");
}
