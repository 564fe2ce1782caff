/** Returns the address that links are relative to: the page's `base` if it is valid, else the page's address. */
export function baseOf(href: string | undefined, url: string | undefined): URL | undefined {
  const page = httpUrl(url, undefined);
  return href === undefined ? page : (httpUrl(href, page) ?? page);
}

/** Returns an absolute http(s) address; undefined for scripts, data, mail and other schemes. */
export function httpUrl(href: string | undefined, base: URL | undefined): URL | undefined {
  if (href === undefined || href.length > maxAddress) return undefined;
  const url = URL.parse(href.trim(), base?.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  // Credentials in a page's links are not passed on; the linked page is requested without them.
  url.username = "";
  url.password = "";
  return url;
}

/** Longer ones are data, not an address. */
const maxAddress = 4096;

/** Resolves addresses of links and images. */
export class LinkResolver {
  readonly #base: URL | undefined;
  readonly #page: string | undefined;

  constructor(base: URL | undefined, page: string | undefined) {
    this.#base = base;
    this.#page = withoutFragment(httpUrl(page, undefined));
  }

  /** Returns the absolute address; undefined for scripts, data and fragments of the same page. */
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
