import { searchFailure } from "./search-reasons.ts";

/** Builds the address of a provider's endpoint below the configured base URL. */
export function readBaseUrl(name: string, base: string | undefined, path: string): URL {
  const url = base === undefined ? null : URL.parse(base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw searchFailure(
      "not_configured",
      `the base URL of ${name} is not a web address; write it in full, such as https://search.example.com`,
    );
  }
  const folder = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  url.pathname = path === "" ? url.pathname : folder + path;
  url.search = "";
  url.hash = "";
  return url;
}
