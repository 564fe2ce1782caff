/** The part of a text between its first two lines of `---`, if it has one. */
export type FrontMatter =
  | {
      readonly kind: "found";
      /** The YAML, on the lines that it has in the text. */
      readonly yaml: string;
      /** Offset of the text after it. */
      readonly end: number;
    }
  /** The text does not start with `---`. */
  | { readonly kind: "none" }
  /** The second `---` is missing. */
  | { readonly kind: "open" };

const opening = /^---[ \t]*\r?\n/;

/** Finds the front matter of a text; if the text is incomplete, only what is certain. */
export function findFrontMatter(text: string, whole = true): FrontMatter {
  const first = opening.exec(text)?.[0].length;
  if (first === undefined) return { kind: "none" };
  const closing = whole ? /\n---[ \t]*(?:\r?\n|\r?$)/g : /\n---[ \t]*\r?\n/g;
  // From the end of the first line: the second may follow at once.
  closing.lastIndex = first - 1;
  const last = closing.exec(text);
  if (last === null) return { kind: "open" };
  return { kind: "found", yaml: `\n${text.slice(first, last.index + 1)}`, end: last.index + last[0].length };
}
