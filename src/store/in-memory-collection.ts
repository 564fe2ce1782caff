import { type TermColumns, columnWeights, termColumns } from "./text-columns.ts";
import {
  type TextDocument,
  type TextHit,
  type TextQuery,
  type TextStats,
  foldTag,
  hitLimit,
  isListing,
} from "./text-index.ts";
import { type Needle, type TextPlan, planQuery } from "./text-query.ts";
import {
  type CountedGroup,
  Ranking,
  type Standing,
  countNeedle,
  roundTimes,
  titleFitOf,
  titleKey,
} from "./text-ranking.ts";
import { snippetOf } from "./text-snippet.ts";

interface Kept {
  readonly document: TextDocument;
  readonly tags: readonly string[];
  readonly columns: readonly (readonly string[])[];
  readonly length: number;
}

/** The documents of one collection, and which of them have which term. */
export class MemoryCollection {
  readonly #documents = new Map<string, Kept>();
  readonly #byTerm = new Map<string, Set<Kept>>();
  #terms = 0;

  put(document: TextDocument): void {
    this.remove(document.id);
    // A copy: what is kept must not change with what the caller holds.
    const copy = structuredClone(document);
    const columns = columnsOf(termColumns(copy));
    const length = columns.reduce((sum, column) => sum + column.length, 0);
    const kept = { document: copy, tags: copy.tags.map(foldTag), columns, length };
    this.#documents.set(copy.id, kept);
    this.#terms += length;
    for (const term of new Set(columns.flat())) {
      const having = this.#byTerm.get(term) ?? new Set();
      this.#byTerm.set(term, having.add(kept));
    }
  }

  remove(id: string): boolean {
    const kept = this.#documents.get(id);
    if (kept === undefined) return false;
    this.#documents.delete(id);
    this.#terms -= kept.length;
    for (const term of new Set(kept.columns.flat())) {
      const having = this.#byTerm.get(term);
      having?.delete(kept);
      if (having?.size === 0) this.#byTerm.delete(term);
    }
    return true;
  }

  get(id: string): TextDocument | undefined {
    return structuredClone(this.#documents.get(id)?.document);
  }

  versions(prefix: string): Map<string, string> {
    const documents = [...this.#documents.values()].map(({ document }) => document);
    const wanted = documents.filter(({ id }) => id.startsWith(prefix));
    return new Map(wanted.map(({ id, version = "" }) => [id, version]));
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
    const [first = new Set<Kept>()] = strict;
    const whole = new Set([...first].filter((kept) => fits(kept, query) && strict.every((group) => group.has(kept))));
    const enough = whole.size >= limit && (query.terms ?? []).length === 0;
    const isStrict = enough || query.match === "all";
    const count = (groups: TextPlan["any"]): CountedGroup[] =>
      groups.map((needles) => ({ needles, having: this.#having(needles).size }));
    const phrase = plan.phrase === undefined ? [] : [[plan.phrase]];
    const asked = [...phrase, ...(isStrict ? plan.all : plan.any)];
    const more = isStrict ? [] : plan.more;
    const some = isStrict ? [] : [...asked, ...more].flatMap((group) => [...this.#having(group)]);
    const totals = { documents: this.#documents.size, terms: this.#terms };
    const ranking = new Ranking({ query, totals, asked: count(asked), more: count(more) });
    const weights = columnWeights(query.titleWeight);
    const found = isListing(query) ? this.#documents.values() : new Set([...whole, ...some]);
    const scored = [...found]
      .filter((kept) => fits(kept, query))
      .map((kept) => ({ kept, score: ranking.score(standing(kept, { plan, weights, whole })) }));
    scored.sort((a, b) => b.score - a.score || byAge(a.kept.document, b.kept.document));
    return scored.slice(0, limit).map(({ kept, score }) => {
      const { body, version: _, ...shown } = structuredClone(kept.document);
      return { ...shown, score, ...snippetOf(body, plan) };
    });
  }

  /** Documents in which one of the needles stands. */
  #having(needles: readonly Needle[]): Set<Kept> {
    return new Set(needles.flatMap((needle) => [...this.#withNeedle(needle)]));
  }

  *#withNeedle(needle: Needle): Generator<Kept> {
    const [first = ""] = needle.terms;
    const single = needle.terms.length === 1;
    const terms = single && needle.prefix ? [...this.#byTerm.keys()].filter((term) => term.startsWith(first)) : [first];
    for (const term of terms) {
      for (const kept of this.#byTerm.get(term) ?? []) {
        if (single || kept.columns.some((column) => countNeedle(column, needle) > 0)) yield kept;
      }
    }
  }
}

interface Weighing {
  readonly plan: TextPlan;
  readonly weights: readonly number[];
  readonly whole: ReadonlySet<Kept>;
}

function standing(kept: Kept, { plan, weights, whole }: Weighing): Standing {
  const { columns, length, document } = kept;
  const [title = []] = columns;
  const times = (needle: Needle): number =>
    roundTimes(columns.reduce((sum, column, at) => sum + (weights[at] ?? 1) * countNeedle(column, needle), 0));
  const titleFit = titleFitOf(titleKey(title.join(" ")), plan);
  return { times, length, whole: whole.has(kept), titleFit, at: document.at };
}

function columnsOf({ title, body, tags, extra }: TermColumns): string[][] {
  return [title, body, tags, extra].map((column) => (column === "" ? [] : column.split(" ")));
}

function fits({ document, tags }: Kept, { from = -Infinity, to = Infinity, tags: wanted = [] }: TextQuery): boolean {
  if (document.at < from || document.at >= to) return false;
  return wanted.map(foldTag).every((tag) => tags.some((has) => has === tag || has.startsWith(`${tag}/`)));
}

function byAge(a: TextDocument, b: TextDocument): number {
  return b.at - a.at || (a.id < b.id ? -1 : 1);
}

function points(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count--;
  return count;
}
