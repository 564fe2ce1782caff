import { isRecord } from "../../schema/index.ts";
import { type CutText, cutText, stripUnsafe } from "../../text/index.ts";

interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Less room than this says nothing. */
const leastSnippet = 24;

/**
 * The first results of a search, each with its title, its address and the beginning of what it says. The room is shared,
 * and what one does not need the next ones have; addresses are whole or left out. Undefined where the output is no list
 * of results.
 */
export function formatSearch(output: unknown, mostResults: number, most: number): CutText | undefined {
  const list = Array.isArray(output) ? output : isRecord(output) ? output["results"] : undefined;
  if (!Array.isArray(list)) return undefined;
  // What is not shown is not read: there may be any number.
  const shown = list
    .slice(0, mostResults)
    .map(readFound)
    .filter((item) => item !== undefined);
  if (shown.length < Math.min(list.length, mostResults)) return undefined;
  if (shown.length === 0) return { text: cutText("Nothing was found.", most).text, cut: false };
  const lines: string[] = [];
  let cut = list.length > shown.length;
  let left = most;
  for (const [at, item] of shown.entries()) {
    const room = Math.floor(left / (shown.length - at)) - 1;
    const entry = entryOf(item, at + 1, room);
    cut ||= entry.cut;
    if (entry.text === "") continue;
    lines.push(entry.text);
    left -= entry.text.length + 1;
  }
  return { text: lines.join("\n"), cut };
}

function readFound(item: unknown): Found | undefined {
  if (!isRecord(item)) return undefined;
  const text = (...keys: string[]): string => {
    const key = keys.find((name) => typeof item[name] === "string");
    return key === undefined ? "" : stripUnsafe(String(item[key])).replaceAll(/\s+/g, " ").trim();
  };
  const found = {
    title: text("title", "name"),
    url: text("url", "link", "href", "path"),
    snippet: text("snippet", "content", "description", "text", "summary"),
  };
  return found.title === "" && found.url === "" && found.snippet === "" ? undefined : found;
}

function entryOf({ title, url, snippet }: Found, number: number, room: number): CutText {
  const start = `${number}. `;
  const address = url !== "" && url.length + start.length + 3 <= room ? ` (${url})` : "";
  const heading = cutText(title, room - start.length - address.length, { at: "word" });
  const line = `${start}${heading.text}${address}`.trimEnd();
  const left = room - line.length - 2;
  const isShort = snippet.length <= left;
  const cut = heading.cut || (url !== "" && address === "") || !isShort;
  if (line.length > room) return { text: "", cut: true };
  if (snippet === "" || (!isShort && left < leastSnippet)) return { text: line, cut };
  return { text: `${line}: ${cutText(snippet, left).text}`, cut };
}
