import type { Door } from "../../net/index.ts";
import { askForJson, blocked, listAt, readItems } from "./ask-provider.ts";
import { readBaseUrl } from "./read-base-url.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** How a {@link searxngProvider} is reached. */
export interface SearxngOptions {
  readonly door: Door;
  /** Where the instance is, such as `http://127.0.0.1:8888`; without it the provider is not configured. */
  readonly baseUrl?: string | undefined;
  /** A language such as `en` or `zh-CN`; the instance's own where absent. */
  readonly language?: string | undefined;
  /** What to set, for messages. */
  readonly missing?: readonly string[];
}

/** A SearXNG instance; its settings must allow the format `json`. */
export function searxngProvider({ door, baseUrl, language, missing = ["baseUrl"] }: SearxngOptions): SearchProvider {
  const name = "searxng";
  return {
    name,
    configured: () => baseUrl !== undefined || { missing },
    async search({ query, count, signal }) {
      const url = readBaseUrl(name, baseUrl, "search");
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      if (language !== undefined) url.searchParams.set("language", language);
      const answer = await askForJson({ door, name, url, signal, explain });
      const results = readItems(name, listAt(answer, "results"), { title: "title", url: "url", snippet: "content" });
      if (results.length === 0) checkEngines(listAt(answer, "unresponsive_engines"));
      return results.slice(0, count * 2);
    },
  };

  function explain(status: number): Error | undefined {
    if (status !== 403) return undefined;
    return searchFailure("provider_error", 'SearXNG answered 403: add "json" to search.formats in its settings.yml', {
      retry: "never",
    });
  }

  /** No result because every engine behind it was refused is no answer. */
  function checkEngines(engines: readonly unknown[] | undefined): void {
    if (engines === undefined || engines.length === 0) return;
    const reasons = engines
      .slice(0, 5)
      .map((engine) => (Array.isArray(engine) ? engine.map(String).join(": ") : String(engine)));
    throw blocked(name, `none of its engines answers (${reasons.join("; ").slice(0, 300)})`);
  }
}
