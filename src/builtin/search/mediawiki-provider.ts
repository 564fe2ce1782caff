import type { Door } from "../../net/index.ts";
import { askForJson, blocked, listAt, memberOf, quoted, textAt } from "./ask-provider.ts";
import { readBaseUrl } from "./read-base-url.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** How a {@link mediawikiProvider} is reached. */
export interface MediawikiOptions {
  readonly door: Door;
  /** The wiki's API, such as `https://en.wikipedia.org/w/api.php`; without it the provider is not configured. */
  readonly apiUrl?: string | undefined;
  /** Large wikis want to know whom to write to, such as `windlass (mail@example.com)`. */
  readonly userAgent?: string | undefined;
  /** What to set, for messages. */
  readonly missing?: readonly string[];
}

/** Any wiki that runs MediaWiki, such as Wikipedia. */
export function mediawikiProvider({ door, apiUrl, userAgent, missing = ["apiUrl"] }: MediawikiOptions): SearchProvider {
  const name = "mediawiki";
  return {
    name,
    configured: () => apiUrl !== undefined || { missing },
    async search({ query, count, signal }) {
      const url = readBaseUrl(name, apiUrl, "");
      const asked = {
        action: "query",
        list: "search",
        srsearch: query.slice(0, 300),
        srlimit: String(Math.min(50, Math.max(1, count))),
        srprop: "snippet",
        // Tells where the wiki's pages are.
        meta: "siteinfo",
        siprop: "general",
        format: "json",
        formatversion: "2",
      };
      for (const [key, value] of Object.entries(asked)) url.searchParams.set(key, value);
      const headers = userAgent === undefined ? {} : { "user-agent": userAgent };
      const answer = await askForJson({ door, name, url, headers, signal });
      checkError(memberOf(answer, "error"));
      const found = listAt(answer, "query", "search");
      if (found === undefined) throw searchFailure("bad_answer", `the answer of ${name} has no list of results`);
      const address = addresses(memberOf(memberOf(answer, "query"), "general"), url);
      const results = found.flatMap((item) => {
        const title = textAt(item, "title");
        return title === "" ? [] : [{ title, url: address(title), snippet: textAt(item, "snippet") }];
      });
      if (results.length === 0 && found.length > 0) {
        throw searchFailure("bad_answer", `the results of ${name} have no titles`);
      }
      return results;
    },
  };

  function checkError(error: unknown): void {
    if (error === undefined) return;
    const code = quoted(textAt(error, "code"), 60);
    const info = quoted(textAt(error, "info"), 300);
    if (/ratelimit|blocked|maxlag/i.test(code)) throw blocked(name, `${code}: ${info}`);
    throw searchFailure("provider_error", `${name} answered ${code}: ${info}`, { retry: "never" });
  }
}

/** Where the pages of a wiki are, as it says itself; else by the script that every wiki has. */
function addresses(general: unknown, api: URL): (title: string) => string {
  const path = textAt(general, "articlepath");
  const base = URL.parse(textAt(general, "server"), api.href);
  const script = new URL(api);
  script.pathname = api.pathname.replace(/api\.php$/, "index.php");
  return (title) => {
    // A colon and a slash are part of a title and need no escape.
    const name = encodeURIComponent(title.replaceAll(" ", "_")).replaceAll("%3A", ":").replaceAll("%2F", "/");
    if (base === null || !path.includes("$1")) return `${script.origin}${script.pathname}?title=${name}`;
    return new URL(
      path.replace("$1", () => name),
      base,
    ).href;
  };
}
