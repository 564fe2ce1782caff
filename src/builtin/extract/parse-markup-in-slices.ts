import { setImmediate } from "node:timers/promises";
import type * as HtmlParser2 from "htmlparser2";
import { type Clock, systemClock } from "../../base/index.ts";
import { throwIfAborted } from "./extract-reasons.ts";

/** Returns an attribute of an element by its name in lower case. */
export type Attributes = (name: string) => string | undefined;

/**
 * Receives the parts of a document in order. Every opened element is closed, even if the document does not close it.
 */
export interface MarkupHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(data: string): void;
  /** True if the rest is not needed. */
  readonly done?: boolean;
}

/** Options of the parser. */
export interface ParseOptions {
  /** Parse XML instead of HTML. */
  readonly xml?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Statistics of the parsed document. */
export interface ParseTrace {
  /** Maximum depth of elements; at most one more than {@link maxDepth}. */
  readonly depth: number;
  readonly elements: number;
  /** Runs of text between elements, entities and stray signs. */
  readonly pieces: number;
  /** Maximum number of attributes on one element. */
  readonly attributes: number;
}

/** Elements that are nested deeper are opened and closed immediately: their content counts as their ancestor's. */
export const maxDepth = 256;

/** Further attributes of one element are counted, but not stored. */
const maxAttributes = 1000;

/** Small, since every character may be an element or an entity. */
const sliceChars = 2048;

/** After this long, the event loop gets its turn. */
const sliceMs = 8;

/**
 * Parses markup without building a document, in slices: the work is linear in the length of any text, and never blocks
 * the event loop for long.
 */
export async function parseInSlices(
  text: string,
  handler: MarkupHandler,
  { xml = false, signal, clock = systemClock }: ParseOptions = {},
): Promise<ParseTrace> {
  const events = new Events(handler);
  const BoundedParser = (boundedParser ??= makeBoundedParser(await import("htmlparser2")));
  const parser = new BoundedParser(events, { text, xml });
  let since = clock.elapsed();
  for (let at = 0; at < text.length && handler.done !== true; at += sliceChars) {
    throwIfAborted(signal);
    parser.write(text.slice(at, at + sliceChars));
    if (clock.elapsed() - since < sliceMs) continue;
    await setImmediate();
    since = clock.elapsed();
  }
  parser.end();
  return events;
}

/** Counts what passes. */
class Events implements Partial<HtmlParser2.Handler>, ParseTrace {
  readonly #handler: MarkupHandler;
  #open = 0;
  depth = 0;
  elements = 0;
  pieces = 0;
  attributes = 0;
  /** Number of attributes of the element that is being opened. */
  onThis = 0;

  constructor(handler: MarkupHandler) {
    this.#handler = handler;
  }

  get openNow(): number {
    return this.#open;
  }

  onopentagname(): void {
    this.elements++;
    this.onThis = 0;
    if (++this.#open > this.depth) this.depth = this.#open;
  }

  onattribute(): void {
    if (++this.onThis > this.attributes) this.attributes = this.onThis;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#handler.open(name, (request) => (Object.hasOwn(attributes, request) ? attributes[request] : undefined));
  }

  onclosetag(name: string): void {
    this.#open--;
    this.#handler.close(name);
  }

  ontext(data: string): void {
    this.pieces++;
    this.#handler.text(data);
  }
}

interface BoundedOptions {
  readonly text: string;
  readonly xml: boolean;
}

let boundedParser: ReturnType<typeof makeBoundedParser> | undefined;

/** Called when the package is loaded. */
function makeBoundedParser({
  Parser,
}: typeof HtmlParser2): new (events: Events, options: BoundedOptions) => HtmlParser2.Parser {
  // The parser searches its open elements at every end tag, so their number must be bounded. Elements that are nested
  // deeper are treated as empty, and their end tags are ignored.
  return class extends Parser {
    readonly #events: Events;
    readonly #text: string;
    readonly #owed = new Map<string, number>();
    #full = false;
    #closing = false;
    #crowded = false;

    constructor(events: Events, { text, xml }: BoundedOptions) {
      super(events, { xmlMode: xml, lowerCaseTags: true, lowerCaseAttributeNames: true, decodeEntities: true });
      this.#events = events;
      this.#text = text;
    }

    protected override isVoidElement(name: string): boolean {
      return super.isVoidElement(name) || (this.#full && !this.#closing);
    }

    override onopentagname(start: number, end: number): void {
      this.#full = this.#events.openNow >= maxDepth;
      if (this.#full) {
        const name = this.#name(start, end);
        if (!super.isVoidElement(name)) this.#owed.set(name, (this.#owed.get(name) ?? 0) + 1);
      }
      super.onopentagname(start, end);
    }

    override onclosetag(start: number, end: number): void {
      const owed = this.#owed.size === 0 ? 0 : (this.#owed.get(this.#name(start, end)) ?? 0);
      if (owed > 0) {
        this.#owed.set(this.#name(start, end), owed - 1);
        return;
      }
      this.#closing = true;
      super.onclosetag(start, end);
      this.#closing = false;
    }

    override onattribname(start: number, end: number): void {
      this.#crowded = this.#events.onThis >= maxAttributes;
      if (!this.#crowded) super.onattribname(start, end);
    }

    override onattribdata(start: number, end: number): void {
      if (!this.#crowded) super.onattribdata(start, end);
    }

    override onattribentity(code: number): void {
      if (!this.#crowded) super.onattribentity(code);
    }

    override onattribend(quote: number, end: number): void {
      if (this.#crowded) this.#events.onattribute();
      else super.onattribend(quote, end);
    }

    #name(start: number, end: number): string {
      return this.#text.slice(start, end).toLowerCase();
    }
  };
}
