import type { AnyTool, Registration } from "../../tool/index.ts";
import { TermIndex, type TermBag } from "./term-index.ts";
import { type ToolField, toolFields } from "./tool-fields.ts";
import { readTokens } from "../../store/index.ts";
import { stemWord } from "./stem-word.ts";

/** Number of removed tools after which the index is rebuilt. */
const maxGone = 500;

/** Index of the tools of a registry by their words and by their names. */
export class ToolIndex {
  #terms = new TermIndex();
  /** By the number of their document. */
  #found: (Registration | undefined)[] = [];
  #positions = new Map<AnyTool, number>();
  #byName = new Map<string, Set<number>>();

  get terms(): TermIndex {
    return this.#terms;
  }

  at(index: number): Registration | undefined {
    return this.#found[index];
  }

  /** The tools with this name, in any notation. */
  named(name: string): Iterable<number> {
    return this.#byName.get(foldName(name)) ?? [];
  }

  /** Replaces the tools with those of the list: known ones are not read again. */
  update(list: readonly Registration[]): void {
    const gone = new Map(this.#positions);
    for (const registration of list) {
      gone.delete(registration.tool);
      const index = this.#positions.get(registration.tool) ?? this.#add(registration.tool);
      this.#found[index] = registration;
    }
    for (const [tool, index] of gone) this.#remove(tool, index);
    if (this.#terms.end - this.#terms.count > Math.max(maxGone, this.#terms.count)) this.#makeAnew();
  }

  #add(tool: AnyTool): number {
    const index = this.#terms.add(toolBag(tool));
    this.#positions.set(tool, index);
    for (const name of namesOf(tool)) {
      const indexes = this.#byName.get(name) ?? new Set();
      this.#byName.set(name, indexes.add(index));
    }
    return index;
  }

  #remove(tool: AnyTool, index: number): void {
    this.#terms.remove(index);
    this.#positions.delete(tool);
    this.#found[index] = undefined;
    for (const name of namesOf(tool)) {
      const indexes = this.#byName.get(name);
      indexes?.delete(index);
      if (indexes?.size === 0) this.#byName.delete(name);
    }
  }

  #makeAnew(): void {
    const list = this.#found.filter((each) => each !== undefined);
    this.#terms = new TermIndex();
    this.#found = [];
    this.#positions = new Map();
    this.#byName = new Map();
    this.update(list);
  }
}

/** The name, also without its server, and the other names; not the title, which a server makes up as it likes. */
function namesOf({ name, aliases }: AnyTool): Set<string> {
  return new Set([name, name.slice(name.indexOf("/") + 1), ...aliases].map(foldName));
}

/** Single characters of scripts without spaces carry little information. */
const characterWeight = 0.5;

/**
 * Maximum total weight of the terms of one text: in a very long text, each term says little about the purpose of a
 * tool.
 */
const maxFieldChars = 48;

/** All terms of a tool's definition. */
function toolBag(tool: AnyTool): TermBag {
  const bag = new Map<string, number>();
  for (const field of toolFields(tool)) addField(bag, field);
  return bag;
}

function addField(bag: Map<string, number>, { text, weight }: ToolField): void {
  const counts = new Map<string, number>();
  let total = 0;
  readTerms(text, (term, kind) => {
    const count = kind === "character" ? characterWeight : 1;
    counts.set(term, (counts.get(term) ?? 0) + count);
    total += count;
  });
  const share = weight * Math.min(1, maxFieldChars / total);
  for (const [term, count] of counts) bag.set(term, (bag.get(term) ?? 0) + count * share);
}

/** A name as it is compared: `webSearch`, `web_search` and `Web search` are one. */
function foldName(name: string): string {
  return name
    .slice(0, 200)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_\-./]+/g, "");
}

/** Kind of a term: a word, a pair of characters of a script without spaces, or one such character. */
export type TermKind = "word" | "pair" | "character";

/** Takes the terms of a text. */
type TermSink = (term: string, kind: TermKind, index: { readonly start: number; readonly end: number }) => void;

const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Splits a text into terms: words without their endings, identifiers split into their words, and for scripts without
 * spaces both the pairs of neighbors and the single characters.
 */
export function readTerms(text: string, sink: TermSink): void {
  readTokens(text, {
    term(term, start, end) {
      if (!unspaced.test(term)) return sink(stemWord(term), "word", { start, end });
      const [first = "", second] = term;
      sink(first, "character", { start, end: start + first.length });
      if (second !== undefined) sink(term, "pair", { start, end });
    },
    joined() {},
    wordEnd() {},
  });
}
