import { displayWidth } from "../../text/index.ts";

/** Wraps a text at spaces, and between characters of scripts without spaces. */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(20, width)));
}

/** A run without spaces or wide characters, or one wide character, each with the space before it. */
const pieces = /\s*(?:[\u1100-\uffdc]|[^\s\u1100-\uffdc]+)/gu;

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const [piece] of line.matchAll(pieces)) {
    if (current === "" || displayWidth(current + piece) <= width) {
      current += piece;
    } else {
      lines.push(current);
      current = piece.trimStart();
    }
  }
  return [...lines, current];
}
