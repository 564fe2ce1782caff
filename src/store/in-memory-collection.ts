import { type TermColumns, columnWeights, termColumns } from "./text-columns.ts";
import {
  type TextDocument,
  type TextHit,
  type TextQuery,
  type TextStats,
  normalizeTag,
  hitLimit,
  isListing,
} from "./text-index.ts";
import { type Needle, type TextPlan, planQuery } from "./text-query.ts";
import {
  type CountedNeedles,
  Ranking,
  type MatchStats,
  countNeedle,
  roundTimes,
  titleFitOf,
  titleKey,
} from "./text-ranking.ts";
import { extractSnippet } from "./text-snippet.ts";

interface IndexedDocument {
  readonly document: TextDocument;
  readonly tags: readonly string[];
  readonly columns: readonly (readonly string[])[];
  readonly length: number;
}

/** The documents of one collection, and an index from terms to documents. */
export class InMemoryCollection {
  readonly #documents = new Map<string, IndexedDocument>();
  readonly #byTerm = new Map<string, Set<IndexedDocument>>();
  #terms = 0;

  put(document: TextDocument): void {
    this.remove(document.id);
    // A copy: the stored document must not change with the caller's object.
    const copy = structuredClone(document);
    const columns = columnsOf(termColumns(copy));
    const length = columns.reduce((sum, column) => sum + column.length, 0);
    const stored = { document: copy, tags: copy.tags.map(normalizeTag), columns, length };
    this.#documents.set(copy.id, stored);
    this.#terms += length;
    for (const term of new Set(columns.flat())) {
      const having = this.#byTerm.get(term) ?? new Set();
      this.#byTerm.set(term, having.add(stored));
    }
  }

  remove(id: string): boolean {
    const stored = this.#documents.get(id);
    if (stored === undefined) return false;
    this.#documents.delete(id);
    this.#terms -= stored.length;
    for (const term of new Set(stored.columns.flat())) {
      const having = this.#byTerm.get(term);
      having?.delete(stored);
      if (having?.size === 0) this.#byTerm.delete(term);
    }
    return true;
  }

  get(id: string): TextDocument | undefined {
    return structuredClone(this.#documents.get(id)?.document);
  }

  versions(prefix: string): Map<string, string> {
    const documents = [...this.#documents.values()].map(({ document }) => document);
    const requested = documents.filter(({ id }) => id.startsWith(prefix));
    return new Map(requested.map(({ id, version = "" }) => [id, version]));
  }

  stats(): TextStats {
    let characters = 0;
    for (const { document } of this.#documents.values()) characters += points(document.title) + points(document.body);
    return { documents: this.#documents.size, characters };
  }

  search(query: TextQuery): TextHit[] {
    const plan = planQuery(query.text ?? "", query.terms);
    const limit = hitLimit(query.limit);
    const strict = plan.all.map((group) => this.#having(group));
    const [first = new Set<IndexedDocument>()] = strict;
    const whole = new Set(
      [...first].filter((stored) => fits(stored, query) && strict.every((group) => group.has(stored))),
    );
    const enough = whole.size >= limit && (query.terms ?? []).length === 0;
    const isStrict = enough || query.match === "all";
    const count = (groups: TextPlan["any"]): CountedNeedles[] =>
      groups.map((needles) => ({ needles, having: this.#having(needles).size }));
    const phrase = plan.phrase === undefined ? [] : [[plan.phrase]];
    const requested = [...phrase, ...(isStrict ? plan.all : plan.any)];
    const more = isStrict ? [] : plan.more;
    const some = isStrict ? [] : [...requested, ...more].flatMap((group) => [...this.#having(group)]);
    const totals = { documents: this.#documents.size, terms: this.#terms };
    const ranking = new Ranking({ query, totals, queryGroups: count(requested), more: count(more) });
    const weights = columnWeights(query.titleWeight);
    const found = isListing(query) ? this.#documents.values() : new Set([...whole, ...some]);
    const scored = [...found]
      .filter((stored) => fits(stored, query))
      .map((stored) => ({ stored, score: ranking.score(standing(stored, { plan, weights, whole })) }));
    scored.sort((a, b) => b.score - a.score || byAge(a.stored.document, b.stored.document));
    return scored.slice(0, limit).map(({ stored, score }) => {
      const { body, version: _, ...shown } = structuredClone(stored.document);
      return { ...shown, score, ...extractSnippet(body, plan) };
    });
  }

  /** Returns the documents that contain one of the needles. */
  #having(needles: readonly Needle[]): Set<IndexedDocument> {
    return new Set(needles.flatMap((needle) => [...this.#withNeedle(needle)]));
  }

  *#withNeedle(needle: Needle): Generator<IndexedDocument> {
    const [first = ""] = needle.terms;
    const single = needle.terms.length === 1;
    const terms = single && needle.prefix ? [...this.#byTerm.keys()].filter((term) => term.startsWith(first)) : [first];
    for (const term of terms) {
      for (const stored of this.#byTerm.get(term) ?? []) {
        if (single || stored.columns.some((column) => countNeedle(column, needle) > 0)) yield stored;
      }
    }
  }
}

function standing(
  stored: IndexedDocument,
  {
    plan,
    weights,
    whole,
  }: { readonly plan: TextPlan; readonly weights: readonly number[]; readonly whole: ReadonlySet<IndexedDocument> },
): MatchStats {
  const { columns, length, document } = stored;
  const [title = []] = columns;
  const times = (needle: Needle): number =>
    roundTimes(columns.reduce((sum, column, at) => sum + (weights[at] ?? 1) * countNeedle(column, needle), 0));
  const titleFit = titleFitOf(titleKey(title.join(" ")), plan);
  return { times, length, whole: whole.has(stored), titleFit, at: document.at };
}

function columnsOf({ title, body, tags, extra }: TermColumns): string[][] {
  return [title, body, tags, extra].map((column) => (column === "" ? [] : column.split(" ")));
}

function fits(
  { document, tags }: IndexedDocument,
  { from = -Infinity, to = Infinity, tags: requested = [] }: TextQuery,
): boolean {
  if (document.at < from || document.at >= to) return false;
  return requested.map(normalizeTag).every((tag) => tags.some((has) => has === tag || has.startsWith(`${tag}/`)));
}

function byAge(a: TextDocument, b: TextDocument): number {
  return b.at - a.at || (a.id < b.id ? -1 : 1);
}

function points(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count--;
  return count;
}
