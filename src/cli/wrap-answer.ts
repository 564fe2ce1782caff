import { displayWidth } from "../text/index.ts";
import { wrapText } from "./wrap-text.ts";

/** A line that opens or closes a block of code. */
const fence = /^\s*(?<mark>`{3,}|~{3,})/;

/** What is laid out by its own lines: a row of a table, code that is indented. */
const laidOut = /^(?:\s*\||(?: {4}|\t)(?!\s*(?:[-*+•]|\d{1,3}[.)])\s))/;

/** What stands before the words of a line of a list, or of a quotation. */
const lead = /^(?:\s|>|(?:[-*+•]|\d{1,3}[.)])(?=\s))*/;

/**
 * Lines of an answer that fit the terminal. Code and tables are left as they are, since a line end in them means
 * something; what continues a line of a list stands below its words.
 */
export function wrapAnswer(text: string, width: number): string[] {
  let open: string | undefined;
  return text.split("\n").flatMap((line) => {
    const mark = fence.exec(line)?.groups?.["mark"];
    if (open === undefined) open = mark;
    else {
      if (mark?.startsWith(open) === true) open = undefined;
      return [line];
    }
    return mark !== undefined || laidOut.test(line) ? [line] : wrapLine(line, width);
  });
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const head = lead.exec(line)?.[0] ?? "";
  const quoted = head.includes(">");
  const indent = quoted ? head : " ".repeat(displayWidth(head));
  const [first = "", ...rest] = wrapText(line.slice(head.length), width - displayWidth(head));
  return [head + first, ...rest.map((more) => indent + more)];
}
