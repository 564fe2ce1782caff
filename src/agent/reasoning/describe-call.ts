import { isRecord, ownValue } from "../../schema/index.ts";
import { type Language, cutText, stripUnsafe } from "../../text/index.ts";
import type { ShownTool } from "../events/agent-event.ts";
import { type AgentTextTable, subjectParameters } from "../texts/agent-text-table.ts";
import { agentTexts } from "../texts/agent-texts.ts";

/** Longer values are cut. */
const maxSubjectLength = 120;

/** Other names of these tools, which conversations of earlier versions contain. */
const otherNames: Readonly<Record<string, string>> = {
  localSearch: "local_search",
  fetch_page: "web_fetch",
  parallel_fetch: "web_fetch",
  crawl_batch: "web_fetch",
  getFileTree: "get_file_tree",
  get_time: "get_current_time",
  getCurrentTime: "get_current_time",
  getTimeRangeMs: "get_time_range_ms",
  youtubeTranscription: "youtube_transcription",
};

/**
 * Describes a call as text: `Searching the notes for "piano", "practice"`, or `Calling Tide table {"port":"Rye"}` with
 * the display name of the tool.
 */
export function describeCall(
  { tool, displayName = tool }: Pick<ShownTool, "tool" | "displayName">,
  args: unknown,
  language: Language,
): string {
  const texts = agentTexts[language];
  const name = Object.hasOwn(otherNames, tool) ? (otherNames[tool] ?? tool) : tool;
  const subject = has(subjectParameters, name) ? subjectOf(subjectParameters[name], args, texts) : undefined;
  if (subject !== undefined && has(texts.calls, name)) return texts.calls[name](subject);
  if (has(texts.bareCalls, name)) return texts.bareCalls[name];
  const input = isRecord(args) && Object.keys(args).length > 0 ? ` ${shortValue(args, maxSubjectLength)}` : "";
  return texts.otherCall(shortLine(displayName, maxSubjectLength), input);
}

/** Any tool may have any name. */
function has<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}

function subjectOf(names: readonly string[], args: unknown, texts: AgentTextTable): string | undefined {
  for (const name of names) {
    const value = ownValue(args, name);
    const parts = (Array.isArray(value) ? value : [value]).filter((part) => typeof part === "string" && part !== "");
    const shown = parts.slice(0, 5).map((part) => texts.quoted(shortLine(part, maxSubjectLength)));
    if (shown.length > 0) return shown.join(texts.comma);
  }
  return undefined;
}

/** Converts text of any origin to one line of at most `maxLength` characters. */
export function shortLine(text: string, maxLength: number): string {
  // Text far beyond the end is not processed.
  const line = stripUnsafe(text.slice(0, maxLength * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(line, maxLength, { at: "character" }).text;
}

/** Any value on one line. */
export function shortValue(value: unknown, maxLength: number): string {
  if (typeof value === "string") return shortLine(value, maxLength);
  try {
    return shortLine(JSON.stringify(value) ?? String(value), maxLength);
  } catch {
    return shortLine(String(value), maxLength);
  }
}
