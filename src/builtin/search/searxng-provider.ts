import type { Door } from "../../net/index.ts";
import { askForJson, blockedMs, listAt, quoted, readItems } from "./ask-provider.ts";
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

/** How an instance says that an engine does not want it. */
const refusal = /captcha|suspended|too many|denied|forbidden|blocked|\b(?:403|429)\b/i;

/** A SearXNG instance; its settings must allow the format `json`. */
export function searxngProvider({ door, baseUrl, language, missing = ["baseUrl"] }: SearxngOptions): SearchProvider {
  const name = "searxng";
  return {
    name,
    configured: () => baseUrl !== undefined || { missing },
    async search({ query, signal }) {
      const url = readBaseUrl(name, baseUrl, "search");
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      if (language !== undefined) url.searchParams.set("language", language);
      const answer = await askForJson({ door, name, url, signal, explain });
      const results = readItems(name, listAt(answer, "results"), { title: "title", url: "url", snippet: "content" });
      if (results.length === 0) checkEngines(listAt(answer, "unresponsive_engines"));
      return results;
    },
  };

  function explain(status: number): Error | undefined {
    if (status !== 403) return undefined;
    return searchFailure("provider_error", 'SearXNG answered 403: add "json" to search.formats in its settings.yml', {
      retry: "never",
    });
  }

  /** Nothing found, while engines behind it were refused or failed, is no answer: they might have found something. */
  function checkEngines(engines: readonly unknown[] | undefined): void {
    if (engines === undefined || engines.length === 0) return;
    const said = engines.slice(0, 5).map((engine) =>
      [engine]
        .flat()
        .map((word) => quoted(word, 60))
        .join(": "),
    );
    const more = engines.length > said.length ? `; ${engines.length - said.length} more` : "";
    const message = `${name} found nothing, but some of its engines did not answer (${said.join("; ")}${more})`;
    const isRefused = said.some((words) => refusal.test(words));
    throw searchFailure(
      isRefused ? "blocked" : "provider_error",
      message,
      isRefused ? { retryAfterMs: blockedMs } : {},
    );
  }
}
