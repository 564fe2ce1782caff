import type { HttpClient } from "../../net/index.ts";
import {
  fetchProviderJson,
  blockedFailure,
  nestedList,
  memberOf,
  quoteProviderText,
  textMember,
  readBaseUrl,
} from "./fetch-provider.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** Options of {@link mediawikiProvider}. */
export interface MediawikiOptions {
  readonly http: HttpClient;
  /** The wiki's API, such as `https://en.wikipedia.org/w/api.php`; without it the provider is not configured. */
  readonly apiUrl?: string | undefined;
  /** Large wikis require a contact, such as `windlass (mail@example.com)`. */
  readonly userAgent?: string | undefined;
  /** Names of the settings to set, for messages. */
  readonly missing?: readonly string[];
}

/** Any wiki that runs MediaWiki, such as Wikipedia. */
export function mediawikiProvider({ http, apiUrl, userAgent, missing = ["apiUrl"] }: MediawikiOptions): SearchProvider {
  const name = "mediawiki";
  return {
    name,
    configured: () => apiUrl !== undefined || { missing },
    async search({ query, count, signal }) {
      const url = readBaseUrl(name, apiUrl, "");
      const request = {
        action: "query",
        list: "search",
        srsearch: query.slice(0, 300),
        srlimit: String(Math.min(50, Math.max(1, count))),
        srprop: "snippet",
        // Returns the base address of the wiki's pages.
        meta: "siteinfo",
        siprop: "general",
        format: "json",
        formatversion: "2",
      };
      for (const [key, value] of Object.entries(request)) url.searchParams.set(key, value);
      const headers = userAgent === undefined ? {} : { "user-agent": userAgent };
      const answer = await fetchProviderJson({ http, name, url, headers, signal });
      checkError(memberOf(answer, "error"));
      const found = nestedList(answer, "query", "search");
      if (found === undefined) throw searchFailure("bad_answer", `the answer of ${name} has no list of results`);
      const address = addresses(memberOf(memberOf(answer, "query"), "general"), url);
      const results = found.flatMap((item) => {
        const title = textMember(item, "title");
        return title === "" ? [] : [{ title, url: address(title), snippet: textMember(item, "snippet") }];
      });
      if (results.length === 0 && found.length > 0) {
        throw searchFailure("bad_answer", `the results of ${name} have no titles`);
      }
      return results;
    },
  };

  function checkError(error: unknown): void {
    if (error === undefined) return;
    const code = quoteProviderText(textMember(error, "code"), 60);
    const info = quoteProviderText(textMember(error, "info"), 300);
    if (/ratelimit|blocked|maxlag/i.test(code)) throw blockedFailure(name, `${code}: ${info}`);
    throw searchFailure("provider_error", `${name} answered ${code}: ${info}`, { retry: "never" });
  }
}

/** Builds the addresses of pages from the site information of the wiki, or from the script path that every wiki has. */
function addresses(general: unknown, api: URL): (title: string) => string {
  const path = textMember(general, "articlepath");
  const base = URL.parse(textMember(general, "server"), api.href);
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
