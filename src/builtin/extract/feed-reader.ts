import { cleanLabel } from "./page-sink.ts";
import type { Attributes, MarkupHandler } from "./parse-markup-in-slices.ts";

/** An entry of a feed, or the feed itself. */
export interface FeedEntry {
  title: string;
  link: string;
  summary: string;
  date: string;
  language: string;
}

const roots: ReadonlySet<string> = new Set(["rss", "feed", "rdf:rdf"]);

/** The part of an entry that an element contains. */
const parts: Readonly<Record<string, keyof FeedEntry>> = {
  title: "title",
  link: "link",
  description: "summary",
  summary: "summary",
  subtitle: "summary",
  "content:encoded": "summary",
  content: "summary",
  pubdate: "date",
  published: "date",
  updated: "date",
  "dc:date": "date",
  lastbuilddate: "date",
  language: "language",
};

const maxEntries = 500;
const maxPart = 20_000;
const maxText = 1_000_000;

/** Parses XML: RSS, Atom and RDF feeds into entries, anything else into text. */
export class FeedReader implements MarkupHandler {
  readonly feed: FeedEntry = emptyEntry();
  readonly entries: FeedEntry[] = [];
  isFeed = false;
  /** The text of a document that is not a feed. */
  body = "";
  cut = false;
  /** Tracked separately, because reading the end of a string under construction costs its whole length. */
  #atLineStart = true;
  #depth = 0;
  /** The open entry, and its open part. */
  #entry: FeedEntry | undefined;
  #part: { readonly key: keyof FeedEntry; readonly depth: number; text: string } | undefined;

  get done(): boolean {
    return this.cut;
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth === 1) this.isFeed = roots.has(name);
    if (name === "item" || name === "entry") this.#begin();
    else if (this.#part === undefined) this.#openPart(name, attributes);
    if (!this.isFeed && !this.#atLineStart) this.#add("\n");
  }

  close(name: string): void {
    if (this.#part?.depth === this.#depth) this.#endPart(this.#part);
    if (name === "item" || name === "entry") this.#entry = undefined;
    this.#depth--;
  }

  text(data: string): void {
    this.#add(data);
  }

  #begin(): void {
    this.#entry = emptyEntry();
    if (this.entries.length < maxEntries) this.entries.push(this.#entry);
    else this.cut = true;
  }

  #openPart(name: string, attributes: Attributes): void {
    const key = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (key === undefined || !this.isFeed) return;
    const href = attributes("href");
    const target = this.#entry ?? this.feed;
    if (key === "link" && href !== undefined) {
      // Atom: the alternate is the page itself; other links lead to the feed or to comments.
      if ((attributes("rel") ?? "alternate") === "alternate") target.link ||= href.trim();
      return;
    }
    this.#part = { key, depth: this.#depth, text: "" };
  }

  #endPart({ key, text }: { readonly key: keyof FeedEntry; readonly text: string }): void {
    const target = this.#entry ?? this.feed;
    target[key] ||= key === "link" ? text.trim() : cleanLabel(key === "summary" ? withoutTags(text) : text);
    this.#part = undefined;
  }

  #add(data: string): void {
    if (this.#part !== undefined) {
      if (this.#part.text.length < maxPart) this.#part.text += data;
    } else if (!this.isFeed && this.#depth > 0) {
      const room = maxText - this.body.length;
      if (data.length > room) this.cut = true;
      this.body += data.slice(0, Math.max(0, room));
      if (data !== "") this.#atLineStart = data.endsWith("\n");
    }
  }
}

function emptyEntry(): FeedEntry {
  return { title: "", link: "", summary: "", date: "", language: "" };
}

/** Removes tags: a summary is often escaped HTML. */
function withoutTags(text: string): string {
  return text
    .replaceAll(/<(?:script|style)\b[^]*?(?:<\/(?:script|style)\s*>|$)/gi, " ")
    .replaceAll(/<[a-z/!][^<>]*>?/gi, " ");
}
