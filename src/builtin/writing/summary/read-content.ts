import { withoutCredentials } from "../../../net/index.ts";
import { fairShare, stripUnsafe } from "../../../text/index.ts";

/** One text to be summarized, and its source. */
export interface Piece {
  readonly text: string;
  readonly title?: string;
  readonly url?: string;
}

/** The texts of content of any shape. */
export interface SummaryContent {
  readonly pieces: readonly Piece[];
  /** True if something was omitted, because there is too much of it. */
  readonly truncated: boolean;
}

const maxPieces = 50;
const maxNodes = 20_000;
const maxDepth = 12;

/** Keys under which tools put the whole text of a page or a note. */
const wholeKeys = ["content", "text", "markdown", "body", "transcript"];
/** Those keys, and keys for a part of the text, the fullest first. */
const textKeys = [...wholeKeys, "summary", "snippet", "description"];
const titleKeys = ["title", "name", "heading"];
const urlKeys = ["url", "link", "href", "uri", "address", "source", "path"];

/**
 * Reads the texts from any tool output: a text, a page, a list of pages or search results, or an object of any shape.
 * Items that contain only an error, and pages without text, are skipped.
 */
export function readContent(content: unknown, maxChars: number): SummaryContent {
  const reader = new ContentReader();
  reader.read(content, {}, 0);
  const distinct = [...new Map(reader.pieces.map((piece) => [piece.text, piece])).values()];
  const retained = distinct.slice(0, maxPieces);
  const share = fairShare(
    retained.map(({ text }) => text.length),
    maxChars,
  );
  const cut = retained.map((piece) =>
    piece.text.length > share ? { ...piece, text: piece.text.slice(0, share).toWellFormed() } : piece,
  );
  const truncated = reader.gaveUp || distinct.length > maxPieces || retained.some(({ text }) => text.length > share);
  return { pieces: cut, truncated };
}

type Origin = Pick<Piece, "title" | "url">;

class ContentReader {
  readonly pieces: Piece[] = [];
  gaveUp = false;
  #nodes = 0;

  read(value: unknown, origin: Origin, depth: number): void {
    if (++this.#nodes > maxNodes || depth > maxDepth) this.gaveUp = true;
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
      ...(url !== undefined && isAddress(url) && { url: displayedAddress(url.trim()) }),
    };
    const text = textIn(object);
    if (text !== undefined) this.read(text, origin, depth + 1);
    else if (!hasNoText(object)) this.#readOther(entries, origin, depth);
  }

  /** Reads an object of unknown shape: its short values as lines of one text, and its nested values. */
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

/**
 * True for a page that could not be read, or has no text: its other data, such as its title, is not enough to work on.
 */
export function hasNoText(object: object): boolean {
  const isSign = ([key, value]: [string, unknown]): boolean =>
    key === "error" ? isThere(value) : wholeKeys.includes(key) && typeof value === "string";
  return textIn(object) === undefined && Object.entries(object).some(isSign);
}

/** Returns the value that an object holds as its text, if any. */
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

/**
 * True for a web address, or that of a note or a memory; false for a plain name, and for addresses that would run code
 * or contain the content.
 */
function isAddress(text: string): boolean {
  const url = text.trim();
  return (
    url.length <= 2_000 && /^[a-z][a-z0-9+.-]*:\S+$/i.test(url) && !/^(?:javascript|vbscript|data|blob):/i.test(url)
  );
}

/**
 * Returns an address for display; invisible characters in it are written as `%XX`, so that it still leads to the same
 * target.
 */
function displayedAddress(url: string): string {
  const plain = withoutCredentials(url);
  const seen = stripUnsafe(plain);
  return seen === plain ? plain : (URL.parse(plain)?.href ?? seen);
}

function short(title: string): string {
  return stripUnsafe(title).replaceAll(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
}
