import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TextDocument, TextHit, TextIndex, TextQuery } from "../../src/store/index.ts";

/** A title, and a body where it matters. */
type Note = readonly [title: string, body?: string];

interface Case {
  readonly query: string;
  /** Titles that come first, in this order. */
  readonly first: readonly string[];
  readonly notes: readonly Note[];
  readonly terms?: readonly string[];
}

const tides: readonly Note[] = [
  ["Spring tides and neap tides", "The tide rises and falls; spring tides are high, neap tides low."],
  ["Tide mills", "A mill that the tide drives."],
  ["Harbours", "With the tide the ships come in."],
];
const tideNotes = (count: number): readonly Note[] => [
  ...tides,
  ...Array.from({ length: count - tides.length }, (_, at): Note => [
    `Log ${at}`,
    `Day ${at}: the tide came, the tide went`,
  ]),
];
const chineseTides: readonly Note[] = [
  ["大潮与小潮", "潮汐有涨有落，潮汐磨坊靠它转动，潮汐磨坊很古老。"],
  ["潮汐磨坊", "由潮水推动的磨坊。"],
  ["港口", "船随潮汐进港。"],
  ["潮汐磨坊的历史", "最早的在中世纪。"],
];

/** Small collections, in which a word is easily in more than half of the documents. */
const cases: readonly Case[] = [
  { query: "rope", first: ["Rope"], notes: [["Rope", "rope"]] },
  { query: "绳子", first: ["绳子"], notes: [["绳子", "绳子"]] },
  {
    query: "rope",
    first: ["Rope"],
    notes: [
      ["Sail", "rope rope rope rope"],
      ["Rope", "of hemp"],
    ],
  },
  {
    query: "绳子",
    first: ["绳子"],
    notes: [
      ["帆", "绳子绳子，绳子，绳子"],
      ["绳子", "麻的"],
    ],
  },
  { query: "tide mills", first: ["Tide mills"], notes: tides },
  { query: "tide mill", first: ["Tide mills"], notes: tides },
  { query: "Mills, tide!", first: ["Tide mills"], notes: tides },
  { query: "what are the tide mills", first: ["Tide mills"], notes: tides },
  { query: "harbour", first: ["Harbours"], notes: tides },
  ...[4, 8, 13, 20].map((count) => ({ query: "tide mills", first: ["Tide mills"], notes: tideNotes(count) })),
  ...[4, 8, 13, 20].map((count) => ({ query: "tide", first: ["Tide mills"], notes: tideNotes(count) })),
  { query: "潮汐磨坊", first: ["潮汐磨坊", "潮汐磨坊的历史", "大潮与小潮"], notes: chineseTides },
  { query: "磨坊 潮汐", first: ["潮汐磨坊", "潮汐磨坊的历史"], notes: chineseTides },
  { query: "港口", first: ["港口"], notes: chineseTides },
  {
    query: "tide",
    first: ["Tide", "Tide tables", "Other"],
    notes: [
      ["Other", "tide ".repeat(50)],
      ["Tide tables", "x"],
      ["Tide", "a long text that has nothing to say of it ".repeat(20)],
    ],
  },
  {
    // The typed form, not the rarest one.
    query: "anchor",
    first: ["a"],
    notes: [
      ["b", "two anchors on deck"],
      ["a", "one anchor on deck"],
      ["c", "an anchor on another deck, and a longer text"],
    ],
  },
  {
    // Words that all documents contain still rank those higher that contain them more often.
    query: "tide",
    first: ["b"],
    notes: [
      ["a", "tide and moon and sun and wind"],
      ["b", "tide and tide and tide and wind"],
      ["c", "tide and sail and mast and wind"],
    ],
  },
  {
    query: "SQLite 数据库",
    first: ["SQLite 数据库"],
    notes: [
      ["数据库", "SQLite 数据库，SQLite 数据库"],
      ["SQLite 数据库", "笔记"],
      ["SQLite", "数据库"],
    ],
  },
  {
    // Further terms that are rarer than the words of the query win over a title that contains these.
    query: "notes",
    terms: ["bowline"],
    first: ["Knots"],
    notes: [
      ["Notes", "sail"],
      ["Knots", "notes on the bowline, a bowline"],
      ...Array.from({ length: 15 }, (_, at): Note => [`Notes ${at}`, "mast"]),
    ],
  },
];

const words = "tide tides mill mills rope sail harbour maxRetries utf-8 潮汐 磨坊 数据库 数据 设计 港口 船".split(" ");

/** Deterministic for a seed: small collections of few words, so that many scores are equal or nearly so. */
export function madeNotes(seed: number): {
  readonly notes: readonly TextDocument[];
  readonly queries: readonly TextQuery[];
} {
  let state = seed * 2_654_435_761 + 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const text = (max: number): string =>
    Array.from({ length: 1 + next(max) }, () => words[next(words.length)]).join(next(3) === 0 ? "" : " ");
  const notes = Array.from({ length: 1 + next(20) }, (_, at) => ({
    id: `n${at}`,
    title: text(3),
    body: text(40),
    tags: next(3) === 0 ? [text(1)] : [],
    at: next(4) * 1000,
    ...(next(3) === 0 && { path: `${text(2)}.md` }),
  }));
  const queries = Array.from({ length: 12 }, () => ({
    text: next(4) === 0 ? (notes[next(notes.length)]?.title ?? "") : text(3),
    limit: 1 + next(20),
    ...(next(4) === 0 && { terms: [text(2), text(1)] }),
    ...(next(5) === 0 && { match: "all" as const }),
    ...(next(5) === 0 && { titleWeight: next(8) / 2 }),
    ...(next(5) === 0 && { from: 1000 }),
    ...(next(4) === 0 && { recency: { now: 3000, halfLifeMs: 1000, weight: 0.5 } }),
  }));
  return { notes, queries };
}

/** Ranking suite of text indexes. `open` returns an empty one; `model` is another one that must agree with it. */
export function textIndexRanking(name: string, open: () => Promise<TextIndex>, model: () => TextIndex): void {
  describe(`${name} text index, ranking`, () => {
    let index: TextIndex;
    let collection = "";
    let count = 0;
    beforeAll(async () => {
      index = await open();
    });
    beforeEach(() => {
      collection = `small ${++count}`;
    });
    afterAll(() => index.close());

    const documents = (notes: readonly Note[]): TextDocument[] =>
      notes.map(([title, body = ""], at) => ({ id: `n${at}`, title, body, tags: [], at: 1000 }));
    /** Removes and adds everything, some of it several times. */
    const churn = async (notes: readonly TextDocument[]): Promise<void> => {
      for (const some of [notes, notes.slice(0, 1), notes.slice(0, 1), notes.slice(-2)]) {
        await index.remove(
          collection,
          some.map(({ id }) => id),
        );
        await index.put(collection, [
          { id: "gone", title: "gone tide", body: "tide 潮汐 ".repeat(99), tags: [], at: 0 },
        ]);
        await index.put(
          collection,
          some.map((note) => ({ ...note, body: `${note.body} changed` })),
        );
        await index.put(collection, some);
        await index.remove(collection, ["gone"]);
      }
    };

    test.each(cases)("$query finds $first first in $notes.length documents, before and after changes", async (one) => {
      const { query, first, notes, terms = [] } = one;
      const titles = async (): Promise<string[]> =>
        (await index.search(collection, { text: query, terms })).slice(0, first.length).map(({ title }) => title);
      await index.put(collection, documents(notes));
      expect(await titles()).toEqual(first);
      await churn(documents(notes));
      expect(await titles()).toEqual(first);
      await index.clear(collection);
      await index.put(collection, documents(notes).toReversed());
      expect(await titles()).toEqual(first);
    });

    test("a document that is deleted and added again scores as before, with any other collections", async () => {
      const notes = documents(tideNotes(12));
      const search = (): Promise<readonly TextHit[]> => index.search(collection, { text: "tide mills", limit: 20 });
      await index.put(collection, notes);
      const before = await search();
      expect(before).toHaveLength(12);
      for (const { score } of before) expect(score).toBeGreaterThan(0.01);
      for (let turn = 0; turn < 5; turn++) await churn(notes);
      await index.put(
        `${collection} others`,
        documents([
          ["Mills", "mills ".repeat(500)],
          ["Tide", "x"],
        ]),
      );
      expect(await search()).toEqual(before);
      await index.clear(`${collection} others`);
      expect(await search()).toEqual(before);
    });

    test("a title that equals the query comes first among very many that contain its words", async () => {
      const many = Array.from({ length: 400 }, (_, at): Note => [`Tide mills ${at}`, "tide mills ".repeat(3)]);
      const long = "a long text of something else ".repeat(50);
      await index.put(collection, documents([["Tide mills", long], ...many]));
      const hits = await index.search(collection, { text: "tide mills", limit: 2 });
      expect(hits[0]?.title).toBe("Tide mills");
      expect(hits[1]?.title).toMatch(/^Tide mills \d+$/);
      await index.put(
        `${collection} bodies`,
        documents([["Old tide mills", long], ...many.map(([, body = ""]): Note => ["x", body])]),
      );
      const [best] = await index.search(`${collection} bodies`, { text: "tide mills" });
      expect(best?.title).toBe("Old tide mills");
    });

    test.each(Array.from({ length: 40 }, (_, seed) => seed))(
      "it ranks collection %i as the model does",
      async (seed) => {
        const { notes, queries } = madeNotes(seed);
        const other = model();
        await other.put("model", notes);
        await index.put(collection, notes);
        const agree = async (): Promise<void> => {
          for (const query of queries) {
            const hits = await index.search(collection, query);
            expect({ query, hits }).toEqual({ query, hits: await other.search("model", query) });
          }
        };
        await agree();
        await churn(notes);
        await agree();
        const removed = notes.filter((_, at) => at % 3 === 0).map(({ id }) => id);
        await Promise.all([index.remove(collection, removed), other.remove("model", removed)]);
        await agree();
        await other.close();
      },
    );
  });
}
