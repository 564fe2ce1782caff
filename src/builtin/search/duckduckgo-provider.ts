import type { HttpClient } from "../../net/index.ts";
import { fetchProvider, blockedFailure, readBaseUrl } from "./fetch-provider.ts";
import type { SearchProvider, SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** Options of {@link duckduckgoProvider}. */
export interface DuckduckgoOptions {
  readonly http: HttpClient;
  /** Must be enabled explicitly: DuckDuckGo has no API and may block programs at any time. */
  readonly enabled: boolean;
  readonly baseUrl?: string | undefined;
  /** Names of the settings to set, for messages. */
  readonly missing?: readonly string[];
}

/** Searches the HTML version of DuckDuckGo. Opt-in. */
export function duckduckgoProvider({
  http,
  enabled,
  baseUrl = "https://html.duckduckgo.com",
  missing = ["enabled"],
}: DuckduckgoOptions): SearchProvider {
  const name = "duckduckgo";
  return {
    name,
    perMinute: 10,
    configured: () => enabled || { missing },
    async search({ query, signal }) {
      const url = readBaseUrl(name, baseUrl, "html/");
      url.searchParams.set("q", query);
      const html = await fetchProvider({ http, name, url, signal, explain });
      if (/anomaly-modal|challenge-form|g-recaptcha/.test(html)) throw captcha();
      const results = await readResults(html);
      if (results.length > 0 || /class="[^"]*\bno-results\b/.test(html)) return results;
      throw searchFailure("bad_answer", "the page of DuckDuckGo has neither results nor a message that there are none");
    },
  };

  /** Status 202 comes with a CAPTCHA page. */
  function explain(status: number): Error | undefined {
    return status === 202 ? captcha() : undefined;
  }

  function captcha(): Error {
    return blockedFailure(name, "it requires a captcha; wait, or set up another provider");
  }
}

type Part = "title" | "snippet";

async function readResults(html: string): Promise<SearchResult[]> {
  const { Parser } = await import("htmlparser2");
  const results: { title: string; url: string; snippet: string }[] = [];
  let inside: { readonly part: Part; depth: number } | undefined;
  const parser = new Parser({
    onopentag(_name, { class: classes = "", href = "" }) {
      if (inside !== undefined) {
        inside.depth++;
        return;
      }
      const names = classes.split(/\s+/);
      if (names.includes("result__a")) {
        results.push({ title: "", url: targetOf(href), snippet: "" });
        inside = { part: "title", depth: 0 };
      } else if (names.includes("result__snippet") && results.length > 0) inside = { part: "snippet", depth: 0 };
    },
    ontext(text) {
      const last = results.at(-1);
      if (inside !== undefined && last !== undefined && last[inside.part].length < 5000) last[inside.part] += text;
    },
    onclosetag() {
      if (inside !== undefined && inside.depth-- === 0) inside = undefined;
    },
  });
  parser.end(html);
  return results.filter(({ url }) => url !== "");
}

/** Links go through a redirect page that counts clicks; advertisements use another one, and are omitted. */
function targetOf(href: string): string {
  const url = URL.parse(href, "https://duckduckgo.com");
  if (url === null || url.pathname === "/y.js") return "";
  return url.pathname === "/l/" ? (url.searchParams.get("uddg") ?? "") : url.href;
}
