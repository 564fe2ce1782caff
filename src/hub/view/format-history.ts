import { isRecord } from "../../schema/index.ts";
import { type CutText, cutText, stripUnsafe } from "../../text/index.ts";

/** Of one thing that was said or done. */
const mostOfEntry = 200;

/**
 * What happened in a conversation as lines, the latest of them where not all fit, in their order. Undefined where the
 * output is no history.
 */
export function formatHistory(output: unknown, most: number): CutText | undefined {
  const list = Array.isArray(output)
    ? output
    : isRecord(output)
      ? (output["history"] ?? output["messages"])
      : undefined;
  if (!Array.isArray(list)) return undefined;
  const shown: string[] = [];
  let left = most;
  let cut = false;
  // What is not shown is not read: there may be any number.
  for (let at = list.length - 1; at >= 0; at--) {
    const line = lineOf(list[at]);
    if (line === undefined) return undefined;
    const { text, cut: isCut } = cutText(line, Math.min(mostOfEntry, most));
    if (text.length + 1 > left && text.length > left) break;
    shown.unshift(text);
    left -= text.length + 1;
    cut ||= isCut;
  }
  return { text: shown.join("\n"), cut: cut || shown.length < list.length };
}

function lineOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return undefined;
  const { role, content, tool, arguments: given, result } = entry;
  const told = (value: unknown): string =>
    stripUnsafe(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
      .replaceAll(/\s+/g, " ")
      .trim();
  if (typeof role === "string") return `${told(role)}: ${told(content)}`;
  return typeof tool === "string" ? `${told(tool)}(${told(given)}): ${told(result)}` : undefined;
}
