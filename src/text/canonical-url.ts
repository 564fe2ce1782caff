/** Parameters that identify how a visitor reached a page, not the page itself. */
const tracking =
  /^(?:utm_\w+|[gwm]braid|[gwd]?clid|gclsrc|fbclid|msclkid|twclid|ttclid|yclid|igshid|igsh|mc_[ce]id|_ga|_gl|_hs\w+|hsctatracking|mkt_tok|oly_\w+_id|vero_\w+|wickedid|s_cid|spm|ref_src|ref_url|at_medium|at_campaign|share_token)$/i;

/**
 * The one form of an address by which two results are the same page: no fragment, no tracking parameters, no default
 * port, parameters in order, no slash or `index.html` at the end, `http` and `https` and a leading `www.` alike. For
 * comparing only: it need not work as an address.
 *
 * @example
 * ```ts
 * canonicalUrl("https://www.example.com:443/a/?utm_source=x#top"); // "//example.com/a"
 * ```
 */
export function canonicalUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return text.trim();
  const retained = [...url.searchParams].filter(([name]) => !tracking.test(name));
  const query = retained.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).toSorted();
  const host = url.host.replace(/^www\./, "").replace(/\.(?=:|$)/, "");
  return `//${host}${pathOf(url)}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

/** A URL without tracking parameters; it still works. */
export function withoutTracking(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.search === "") return text;
  const names = [...new Set(url.searchParams.keys())].filter((name) => tracking.test(name));
  // Rewriting the parameters may change their escaping: only done if there is something to remove.
  if (names.length === 0) return text;
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

function pathOf({ pathname }: URL): string {
  const path = pathname
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    })
    .replace(/\/(?:index|default)\.(?:html?|php|aspx?)$/i, "/");
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
