import { searchFailure } from "./search-reasons.ts";

/** The address of a provider's endpoint below the base that somebody set. */
export function readBaseUrl(name: string, base: string | undefined, path: string): URL {
  const url = base === undefined ? null : URL.parse(base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw searchFailure(
      "not_configured",
      `the base URL of ${name} is no web address; write it in full, such as https://search.example.com`,
    );
  }
  const folder = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  url.pathname = path === "" ? url.pathname : folder + path;
  url.search = "";
  url.hash = "";
  return url;
}
