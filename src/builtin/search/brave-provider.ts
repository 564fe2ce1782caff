import type { HttpClient } from "../../net/index.ts";
import { fetchProviderJson, nestedList, memberOf, readItems, textMember, readBaseUrl } from "./fetch-provider.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searchFailure } from "./search-reasons.ts";

/** Options of {@link braveProvider}. */
export interface BraveOptions {
  readonly http: HttpClient;
  /** The subscription token; without it the provider is not configured. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Names of the settings to set, for messages. */
  readonly missing?: readonly string[];
}

/** Maximum number of results per request of the API. */
const maxResults = 20;
const spare = 5;

/** Brave Search, by its API. */
export function braveProvider({ http, apiKey, baseUrl, missing = ["apiKey"] }: BraveOptions): SearchProvider {
  const name = "brave";
  return {
    name,
    // The free plan allows one request a second.
    perMinute: 50,
    configured: () => apiKey !== undefined || { missing },
    async search({ query, count, signal }) {
      const url = readBaseUrl(name, baseUrl ?? "https://api.search.brave.com", "res/v1/web/search");
      // The API rejects longer queries.
      url.searchParams.set("q", query.slice(0, 400).split(/\s+/).slice(0, 50).join(" "));
      // Requests a few more than needed: some results may be duplicates or not pages.
      url.searchParams.set("count", String(Math.min(maxResults, Math.max(1, count) + spare)));
      url.searchParams.set("text_decorations", "false");
      const headers = { accept: "application/json", "x-subscription-token": apiKey ?? "" };
      const answer = await fetchProviderJson({ http, name, url, headers, signal, explain });
      // Without any result the API leaves `web` out.
      if (memberOf(answer, "web") === undefined && textMember(answer, "type") === "search") return [];
      return readItems(name, nestedList(answer, "web", "results"), {
        title: "title",
        url: "url",
        snippet: "description",
      });
    },
  };

  function explain(status: number, text: string): Error | undefined {
    const badKey = status === 401 || (status === 422 && text.includes("SUBSCRIPTION_TOKEN_INVALID"));
    return badKey ? searchFailure("bad_key", "Brave does not accept the API key; set another one") : undefined;
  }
}
