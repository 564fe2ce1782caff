import type { Door } from "../../net/index.ts";
import { askProvider, blocked } from "./ask-provider.ts";
import { readBaseUrl } from "./read-base-url.ts";
import type { SearchProvider, SearchResult } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** How a {@link duckduckgoProvider} is reached. */
export interface DuckduckgoOptions {
  readonly door: Door;
  /** It has no interface for programs and may refuse them at any time: somebody has to want it. */
  readonly enabled: boolean;
  readonly baseUrl?: string | undefined;
  /** What to set, for messages. */
  readonly missing?: readonly string[];
}

/** DuckDuckGo's page without scripts, for whoever asks for it. */
export function duckduckgoProvider({
  door,
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
      const html = await askProvider({ door, name, url, signal, explain });
      if (/anomaly-modal|challenge-form|g-recaptcha/.test(html)) throw captcha();
      const results = await readResults(html);
      if (results.length > 0 || /class="[^"]*\bno-results\b/.test(html)) return results;
      throw searchFailure("bad_answer", "the page of DuckDuckGo has neither results nor a word that there are none");
    },
  };

  /** 202 comes with the page that asks to prove that one is human. */
  function explain(status: number): Error | undefined {
    return status === 202 ? captcha() : undefined;
  }

  function captcha(): Error {
    return blocked(name, "it wants a captcha solved; wait, or set up another provider");
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

/** Links lead over a page that counts them; advertisements lead over another, and are left out. */
function targetOf(href: string): string {
  const url = URL.parse(href, "https://duckduckgo.com");
  if (url === null || url.pathname === "/y.js") return "";
  return url.pathname === "/l/" ? (url.searchParams.get("uddg") ?? "") : url.href;
}
