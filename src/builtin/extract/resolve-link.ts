/** The address that links are relative to: the page's own `base`, where it is one, else the page's. */
export function baseOf(href: string | undefined, url: string | undefined): URL | undefined {
  const page = httpUrl(url, undefined);
  return href === undefined ? page : (httpUrl(href, page) ?? page);
}

/** An absolute http(s) address; undefined where there is none, such as for scripts, data, mail and other schemes. */
export function httpUrl(href: string | undefined, base: URL | undefined): URL | undefined {
  if (href === undefined || href.length > maxAddress) return undefined;
  const url = URL.parse(href.trim(), base?.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  // A password in a page is nobody's to pass on, and the page behind it is asked for without one.
  url.username = "";
  url.password = "";
  return url;
}

/** Longer ones hold data, not an address. */
const maxAddress = 4096;

/** What to do with the address of a link or an image. */
export class LinkResolver {
  readonly #base: URL | undefined;
  readonly #page: string | undefined;

  constructor(base: URL | undefined, page: string | undefined) {
    this.#base = base;
    this.#page = withoutFragment(httpUrl(page, undefined));
  }

  /** The absolute address; undefined for what leads nowhere else: scripts, data, places on the same page. */
  link(href: string | undefined): string | undefined {
    if (href === undefined || /^\s*#/.test(href)) return undefined;
    const url = httpUrl(href, this.#base);
    if (url === undefined || (url.hash !== "" && withoutFragment(url) === this.#page)) return undefined;
    return url.href;
  }

  image(src: string | undefined): string | undefined {
    return httpUrl(src, this.#base)?.href;
  }
}

function withoutFragment(url: URL | undefined): string | undefined {
  return url?.href.slice(0, url.href.length - url.hash.length);
}
