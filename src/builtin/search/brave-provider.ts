import type { Door } from "../../net/index.ts";
import { askForJson, listAt, memberOf, readItems, textAt } from "./ask-provider.ts";
import { readBaseUrl } from "./read-base-url.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** How a {@link braveProvider} is reached. */
export interface BraveOptions {
  readonly door: Door;
  /** The subscription token; without it the provider is not configured. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** What to set, for messages. */
  readonly missing?: readonly string[];
}

/** The most results that the API gives at once. */
const mostResults = 20;
const spare = 5;

/** Brave Search, by its API. */
export function braveProvider({ door, apiKey, baseUrl, missing = ["apiKey"] }: BraveOptions): SearchProvider {
  const name = "brave";
  return {
    name,
    // The free plan allows one request a second.
    perMinute: 50,
    configured: () => apiKey !== undefined || { missing },
    async search({ query, count, signal }) {
      const url = readBaseUrl(name, baseUrl ?? "https://api.search.brave.com", "res/v1/web/search");
      // The API refuses longer questions.
      url.searchParams.set("q", query.slice(0, 400).split(/\s+/).slice(0, 50).join(" "));
      // A few more than asked for: some may turn out to be the same page, or no page.
      url.searchParams.set("count", String(Math.min(mostResults, Math.max(1, count) + spare)));
      url.searchParams.set("text_decorations", "false");
      const headers = { accept: "application/json", "x-subscription-token": apiKey ?? "" };
      const answer = await askForJson({ door, name, url, headers, signal, explain });
      // Without any result the API leaves `web` out.
      if (memberOf(answer, "web") === undefined && textAt(answer, "type") === "search") return [];
      return readItems(name, listAt(answer, "web", "results"), { title: "title", url: "url", snippet: "description" });
    },
  };

  function explain(status: number, text: string): Error | undefined {
    const badKey = status === 401 || (status === 422 && text.includes("SUBSCRIPTION_TOKEN_INVALID"));
    return badKey ? searchFailure("bad_key", "Brave does not accept the API key; set another one") : undefined;
  }
}
