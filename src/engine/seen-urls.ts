import { type KnowsUrl, textsIn } from "./untrusted-targets.ts";

/** A text of a run or conversation. */
export interface Passage {
  /** A URL that a model wrote may carry what the model has read, also in a result that appears later. */
  readonly by: "user" | "model" | "tool";
  /** A function is called when the text is read. */
  readonly content: unknown;
}

/** Maximum number of URLs that are remembered; further ones count as unknown. */
const maxUrls = 100_000;

/**
 * The URLs in the texts of a run or conversation: those of prompts, and those of results that no model wrote before.
 * Every text is read once; results themselves are not retained after that.
 */
export class SeenUrls {
  readonly #ofUsers = new Set<string>();
  /** With the number of the passage that had it first. */
  readonly #ofTools = new Map<string, number>();
  readonly #ofModels = new Map<string, number>();
  readonly #modelTexts: { readonly number: number; readonly text: string }[] = [];
  #unread: Passage[] = [];
  #count = 0;

  add(passage: Passage): void {
    this.#unread.push(passage);
  }

  /** Reads the passages that were added. Implied by {@link has}. */
  read(): void {
    for (const { by, content: provided } of this.#unread.splice(0)) {
      const number = ++this.#count;
      const content: unknown = typeof provided === "function" ? provided() : provided;
      if (by === "model" || (by === "tool" && hasMemory(content))) this.#readModel(content, number);
      else for (const text of textsIn(content, { keys: true })) this.#readText(text, by, number);
    }
  }

  /** True if the URL appears in a prompt, or in a result before a model wrote it. */
  has(url: string): boolean {
    this.read();
    const href = canonicalHref(url);
    if (href === undefined) return false;
    // Reading a memory sends nothing.
    if (this.#ofUsers.has(href) || href.startsWith(memoryAddress)) return true;
    const number = this.#ofTools.get(href);
    return number !== undefined && !this.#isByModel([url, href], number);
  }

  #readText(text: string, by: "user" | "tool", number: number): void {
    for (const href of hrefsIn(text)) {
      if (by === "user") this.#ofUsers.add(href);
      else if (this.#ofTools.size < maxUrls && !this.#ofTools.has(href)) this.#ofTools.set(href, number);
    }
  }

  #readModel(content: unknown, number: number): void {
    const texts = [...textsIn(content, { keys: true })];
    for (const href of texts.flatMap((text) => [...hrefsIn(text)]))
      if (!this.#ofModels.has(href)) this.#ofModels.set(href, number);
    this.#modelTexts.push({ number, text: texts.join("\n").toLowerCase() });
  }

  /** A tool may shorten a text of a model, so a part of a longer text counts as well. */
  #isByModel(forms: readonly string[], before: number): boolean {
    if (forms.some((form) => (this.#ofModels.get(form) ?? Infinity) < before)) return true;
    return this.#modelTexts.some(
      ({ number, text }) => number < before && forms.some((form) => text.includes(form.toLowerCase())),
    );
  }
}

/** The URLs in the texts of a value for which `has` holds. */
export function knownUrlsIn(value: unknown, has: KnowsUrl): string[] {
  return [...new Set(textsIn(value).flatMap(hrefsIn))].filter(has);
}

/** True for one of these URLs. */
export function knowsUrls(urls: readonly string[]): KnowsUrl {
  const seen = new SeenUrls();
  seen.add({ by: "user", content: urls });
  return (url) => seen.has(url);
}

/** The start of the address of a memory. Models store memories, and may have composed the URLs in them. */
const memoryAddress = "memory:mem-";

function hasMemory(content: unknown): boolean {
  return textsIn(content).some((text) => text.includes(memoryAddress));
}

/** A URL without its fragment, which is never sent; undefined if the text is not a URL. */
function canonicalHref(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  url.hash = "";
  return url.href;
}

/** Of any scheme, since sources of pages have their own. The slashes may be escaped, as in JSON. */
const addresses = /(?<![a-z\d+.-])[a-z][a-z\d+.-]{1,30}:\\?\/\\?\/[^\s"'<>`{}|^]{1,4000}/gi;

/** A text that is a URL and nothing else, which may have no slashes, such as `corpus:notes/tides.md`. */
const wholeUrl = /^[a-z][a-z\d+.-]{1,30}:[^\n]{1,4000}$/i;

/** The URLs in a text: complete, and without what often follows one in Markdown, CSV and HTML. */
function* hrefsIn(text: string): Generator<string> {
  const whole = wholeUrl.test(text) ? canonicalHref(text) : undefined;
  if (whole !== undefined) yield whole;
  if (!text.includes("://") && !text.includes(":\\/")) return;
  for (const [found] of text.matchAll(addresses)) {
    const address = found
      .replaceAll("\\/", "/")
      .replace(/&(?:quot|gt|lt|apos|#39);.*$/is, "")
      .replaceAll("&amp;", "&");
    const forms = [address, address.replace(/[\\.,;:!?)\]*_~]+$/, ""), address.replace(/[,;)\]\\].*$/s, "")];
    for (const form of new Set(forms)) {
      const href = canonicalHref(form);
      if (href !== undefined) yield href;
    }
  }
}
