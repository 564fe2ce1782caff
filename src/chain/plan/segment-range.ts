import type { Reference } from "../../expr/index.ts";

/** Position of one segment of a reference: offset in the compiled text, and length. */
export function segmentRange(reference: Reference, index: number): readonly [offset: number, length: number] {
  const { text, at, length, root, path } = reference;
  let from = root.length;
  for (const [step, part] of path.entries()) {
    const end = text[from] === "." ? nameEnd(text, from + 1, part) : bracketEnd(text, from);
    // Written in an unusual way, with spaces between: the whole reference is used.
    if (end === undefined) break;
    if (step === index) return text[from] === "." ? [at + from + 1, end - from - 1] : [at + from, end - from];
    from = end;
  }
  return [at, length];
}

function nameEnd(text: string, from: number, name: unknown): number | undefined {
  return typeof name === "string" && text.startsWith(name, from) ? from + name.length : undefined;
}

/** Quoted strings, brackets, and the text between. */
const piece = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\]]|[^[\]"']+/sy;

/** The end of the `[…]` that starts at `from`, including nested brackets. */
function bracketEnd(text: string, from: number): number | undefined {
  let depth = 0;
  piece.lastIndex = from;
  for (let found = piece.exec(text)?.[0]; found !== undefined; found = piece.exec(text)?.[0]) {
    if (found === "[") depth++;
    else if (found === "]") depth--;
    if (depth === 0) return found === "]" ? piece.lastIndex : undefined;
  }
  return undefined;
}
