import { basicReferences, canonicalUrl, decodeReferences, stripUnsafe, withoutTracking } from "../../text/index.ts";
import type { SearchResult } from "./search-provider.ts";

const maxLength = { title: 300, snippet: 1000, url: 2048 } as const;
/** More of a text than this is not cleaned. */
const maxRaw = 20_000;

/**
 * Results as they can be shown: only addresses that can be fetched, each page once, texts without tags, entities and
 * unseen characters, on one line and not too long.
 */
export function cleanResults(
  raw: readonly SearchResult[],
  { count, schemes = [] }: { readonly count: number; readonly schemes?: readonly string[] | undefined },
): SearchResult[] {
  const found = new Map<string, SearchResult>();
  for (const { title, url, snippet } of raw) {
    if (found.size >= count) break;
    const address = addressOf(url, schemes);
    if (address === undefined) continue;
    const key = canonicalUrl(address);
    if (found.has(key)) continue;
    const name = cleanText(title, maxLength.title);
    found.set(key, {
      title: name === "" ? address : name,
      url: address,
      snippet: cleanText(snippet, maxLength.snippet),
    });
  }
  return [...found.values()];
}

/** A web address in full, or one of the provider's own. */
function addressOf(url: string, schemes: readonly string[]): string | undefined {
  const text = url.trim();
  if (text.length > maxLength.url || stripUnsafe(text) !== text) return undefined;
  const parsed = URL.parse(text);
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return undefined;
  if (parsed.protocol === "http:" || parsed.protocol === "https:") return withoutTracking(parsed.href);
  return schemes.includes(parsed.protocol.slice(0, -1)) ? text : undefined;
}

/** A text of unknown origin on one line, without markup. */
export function cleanText(text: string, max: number): string {
  const bare = text.slice(0, maxRaw).replaceAll(/<\/?[a-z!][^<>]{0,2000}>/gi, tagSpace);
  const line = stripUnsafe(decodeReferences(bare, named))
    .replaceAll(/[\s\u00a0]+/g, " ")
    .trim();
  return line.length <= max
    ? line
    : `${line
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\ufffd$/, "")
        .trimEnd()}…`;
}

/** Emphasis tags occur inside words, other tags between them. */
function tagSpace(tag: string): string {
  return /^<\/?(?:b|strong|em|i|mark|span|u)\b/i.test(tag) ? "" : " ";
}

const named: Readonly<Record<string, string>> = {
  ...basicReferences,
  hellip: "…",
  ndash: "–",
  mdash: "—",
  middot: "·",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  times: "×",
};
