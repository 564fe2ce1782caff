import type { HttpClient } from "../../net/index.ts";
import {
  fetchProviderJson,
  blockedMs,
  nestedList,
  quoteProviderText,
  readItems,
  readBaseUrl,
} from "./fetch-provider.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** Options of {@link searxngProvider}. */
export interface SearxngOptions {
  readonly http: HttpClient;
  /** Address of the instance, such as `http://127.0.0.1:8888`; without it the provider is not configured. */
  readonly baseUrl?: string | undefined;
  /** A language such as `en` or `zh-CN`. Default: that of the instance. */
  readonly language?: string | undefined;
  /** Names of the settings to set, for messages. */
  readonly missing?: readonly string[];
}

/** Messages of an instance whose engine blocks it. */
const refusal = /captcha|suspended|too many|denied|forbidden|blocked|\b(?:403|429)\b/i;

/** A SearXNG instance; its settings must allow the format `json`. */
export function searxngProvider({ http, baseUrl, language, missing = ["baseUrl"] }: SearxngOptions): SearchProvider {
  const name = "searxng";
  return {
    name,
    configured: () => baseUrl !== undefined || { missing },
    async search({ query, signal }) {
      const url = readBaseUrl(name, baseUrl, "search");
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      if (language !== undefined) url.searchParams.set("language", language);
      const answer = await fetchProviderJson({ http, name, url, signal, explain });
      const results = readItems(name, nestedList(answer, "results"), {
        title: "title",
        url: "url",
        snippet: "content",
      });
      if (results.length === 0) checkEngines(nestedList(answer, "unresponsive_engines"));
      return results;
    },
  };

  function explain(status: number): Error | undefined {
    if (status !== 403) return undefined;
    return searchFailure("provider_error", 'SearXNG answered 403: add "json" to search.formats in its settings.yml', {
      retry: "never",
    });
  }

  /**
   * An empty list while engines of the instance were blocked or failed is a failure: they might have found something.
   */
  function checkEngines(engines: readonly unknown[] | undefined): void {
    if (engines === undefined || engines.length === 0) return;
    const text = engines.slice(0, 5).map((engine) =>
      [engine]
        .flat()
        .map((word) => quoteProviderText(word, 60))
        .join(": "),
    );
    const more = engines.length > text.length ? `; ${engines.length - text.length} more` : "";
    const message = `${name} found nothing, but some of its engines did not answer (${text.join("; ")}${more})`;
    const isRefused = text.some((words) => refusal.test(words));
    throw searchFailure(
      isRefused ? "blocked" : "provider_error",
      message,
      isRefused ? { retryAfterMs: blockedMs } : {},
    );
  }
}
