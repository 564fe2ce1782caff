import { ExpressionError, type Span } from "./expression-error.ts";
import { type Frame, checkLength, spendText } from "./frame.ts";
import { limits } from "./limits.ts";
import { measure, tooDeep } from "./measure.ts";

/** The value that a JSON text holds. What comes in here goes on to tools: its size and depth have to be bearable. */
export function readJson(text: string, frame: Frame, span: Span): unknown {
  checkLength(text.length, span);
  spendText(frame, text.length, span);
  // Looked at before: building a million levels takes much longer than counting them.
  if (nestsDeeperThan(limits.valueDepth, text)) throw tooDeep(span);
  const value = parse(text, span);
  measure(value, frame, span);
  return value;
}

function parse(text: string, { at, end }: Span): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 120) : String(error);
    throw new ExpressionError("not_json", `parse_json() cannot read the text: ${why}`, { at, end });
  }
}

function nestsDeeperThan(deepest: number, text: string): boolean {
  let depth = 0;
  let inQuotes = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inQuotes && character === "\\") at++;
    else if (character === '"') inQuotes = !inQuotes;
    else if (inQuotes) continue;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > deepest) return true;
  }
  return false;
}
