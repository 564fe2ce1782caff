import { withoutCredentials } from "../../../net/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { fairShare } from "../fair-share.ts";

/** One text of what is to be summarised, and where it is from. */
export interface Piece {
  readonly text: string;
  readonly title?: string;
  readonly url?: string;
}

/** The texts of a content of any shape. */
export interface ReadContent {
  readonly pieces: readonly Piece[];
  /** Something was left out, because there is too much of it. */
  readonly truncated: boolean;
}

const mostPieces = 50;
const mostNodes = 20_000;
const deepest = 12;

/** Keys under which tools put the whole text of a page or a note. */
const wholeKeys = ["content", "text", "markdown", "body", "transcript"];
/** The same and those for a part of it, the fullest first. */
const textKeys = [...wholeKeys, "summary", "snippet", "description"];
const titleKeys = ["title", "name", "heading"];
const urlKeys = ["url", "link", "href", "uri", "address", "source", "path"];

/**
 * Reads the texts out of anything that other tools give: a text, a page, a list of pages or search results, or an object
 * of whatever shape. Items that hold nothing but an error, and pages without text, are passed over.
 */
export function readContent(content: unknown, maxChars: number): ReadContent {
  const reader = new ContentReader();
  reader.read(content, {}, 0);
  const distinct = [...new Map(reader.pieces.map((piece) => [piece.text, piece])).values()];
  const kept = distinct.slice(0, mostPieces);
  const share = fairShare(
    kept.map(({ text }) => text.length),
    maxChars,
  );
  const cut = kept.map((piece) =>
    piece.text.length > share ? { ...piece, text: piece.text.slice(0, share).toWellFormed() } : piece,
  );
  const truncated = reader.gaveUp || distinct.length > mostPieces || kept.some(({ text }) => text.length > share);
  return { pieces: cut, truncated };
}

type Origin = Pick<Piece, "title" | "url">;

class ContentReader {
  readonly pieces: Piece[] = [];
  gaveUp = false;
  #nodes = 0;

  read(value: unknown, origin: Origin, depth: number): void {
    if (++this.#nodes > mostNodes || depth > deepest) this.gaveUp = true;
    else if (typeof value === "string") this.#add(value, origin);
    else if (Array.isArray(value)) this.#readList(value, origin, depth);
    else if (typeof value === "object" && value !== null) this.#readObject(value, origin, depth);
  }

  #add(text: string, origin: Origin): void {
    const clean = stripUnsafe(text).trim();
    if (clean !== "") this.pieces.push({ text: clean, ...origin });
  }

  #readList(list: readonly unknown[], origin: Origin, depth: number): void {
    // A list of words or lines is one text; a list of objects is many.
    const isOneText = list.every((item) => typeof item === "string" || typeof item === "number");
    if (isOneText) this.#add(toLines(list), origin);
    else for (const item of list) this.read(item, origin, depth + 1);
  }

  #readObject(object: object, above: Origin, depth: number): void {
    const entries = Object.entries(object);
    const find = (keys: readonly string[]): string | undefined => {
      const values = keys.map((key) => entries.find(([name]) => name === key)?.[1] as unknown);
      return values.find((value): value is string => typeof value === "string" && value.trim() !== "");
    };
    const url = find(urlKeys);
    const title = find(titleKeys);
    const origin = {
      ...above,
      ...(title !== undefined && { title: short(title) }),
      ...(url !== undefined && isAddress(url) && { url: shownAddress(url.trim()) }),
    };
    const text = textIn(object);
    if (text !== undefined) this.read(text, origin, depth + 1);
    else if (!isTextless(object)) this.#readOther(entries, origin, depth);
  }

  /** An object of no known shape: its short facts as lines of one text, and what is inside it. */
  #readOther(entries: readonly (readonly [string, unknown])[], origin: Origin, depth: number): void {
    const facts: string[] = [];
    for (const [key, value] of entries) {
      if (typeof value === "object" && value !== null) this.read(value, origin, depth + 1);
      else if (typeof value === "string" && value.length > 200) this.read(value, origin, depth + 1);
      else if (isThere(value) && value !== origin.url) facts.push(`- ${key}: ${String(value)}`);
    }
    if (facts.length > 0) this.#add(facts.join("\n"), origin);
  }
}

/** A page that could not be read, or has no text: what else is known of it, such as its title, is nothing to work on. */
export function isTextless(object: object): boolean {
  const isSign = ([key, value]: [string, unknown]): boolean =>
    key === "error" ? isThere(value) : wholeKeys.includes(key) && typeof value === "string";
  return textIn(object) === undefined && Object.entries(object).some(isSign);
}

/** What an object holds as its text, if anything. */
function textIn(object: object): unknown {
  const own = new Map<string, unknown>(Object.entries(object));
  return textKeys.map((key) => own.get(key)).find(isThere);
}

function toLines(list: readonly (string | number)[]): string {
  return list
    .filter((item) => String(item).trim() !== "")
    .map((item) => `- ${item}`)
    .join("\n");
}

function isThere(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return value !== undefined && value !== null && value !== false;
}

/** A web address, or one of a note or a memory; a name alone is none, and neither is what would run or be the content. */
function isAddress(text: string): boolean {
  const url = text.trim();
  return (
    url.length <= 2_000 && /^[a-z][a-z0-9+.-]*:\S+$/i.test(url) && !/^(?:javascript|vbscript|data|blob):/i.test(url)
  );
}

/** An address as it may be shown; what cannot be seen in it is written as `%XX`, so that it still leads where it did. */
function shownAddress(url: string): string {
  const plain = withoutCredentials(url);
  const seen = stripUnsafe(plain);
  return seen === plain ? plain : (URL.parse(plain)?.href ?? seen);
}

function short(title: string): string {
  return stripUnsafe(title).replaceAll(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
}
