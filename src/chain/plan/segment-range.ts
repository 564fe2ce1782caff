import type { Reference } from "../../expr/index.ts";

/** Where one segment of a reference stands: offset in the text that was compiled, and length. */
export function segmentSpan(reference: Reference, index: number): readonly [offset: number, length: number] {
  const { text, at, length, root, path } = reference;
  let from = root.length;
  for (const [step, part] of path.entries()) {
    const end = text[from] === "." ? nameEnd(text, from + 1, part) : bracketEnd(text, from);
    // Written in an unusual way, with spaces between: all of it is still right.
    if (end === undefined) break;
    if (step === index) return text[from] === "." ? [at + from + 1, end - from - 1] : [at + from, end - from];
    from = end;
  }
  return [at, length];
}

function nameEnd(text: string, from: number, name: unknown): number | undefined {
  return typeof name === "string" && text.startsWith(name, from) ? from + name.length : undefined;
}

/** Quoted texts, brackets, and what lies between. */
const piece = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\]]|[^[\]"']+/sy;

/** The end of the `[…]` that starts at `from`, with all that is nested in it. */
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
