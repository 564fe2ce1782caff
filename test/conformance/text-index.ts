import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TextDocument, TextIndex, TextQuery } from "../../src/store/index.ts";

interface BadInput {
  readonly area: string;
  readonly input: unknown;
}

const badInputs = JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as BadInput[];
const hostile = badInputs.filter(({ area }) => area === "fts-query").map(({ input }) => String(input));

/** Conformance suite of text indexes. `open` returns an empty one. */
export function textIndexConformance(name: string, open: () => Promise<TextIndex>): void {
  describe(`${name} text index`, () => {
    let index: TextIndex;
    // A new one for every test.
    let notes = "";
    let count = 0;

    beforeAll(async () => {
      index = await open();
    });
    beforeEach(() => {
      notes = `notes ${++count}`;
    });
    afterAll(() => index.close());

    const document = (id: string, body: string, more: Partial<TextDocument> = {}): TextDocument => ({
      id,
      title: `title of ${id}`,
      body,
      tags: [],
      at: 1000,
      ...more,
    });
    const put = (...documents: TextDocument[]): Promise<void> => index.put(notes, documents);
    const find = async (text: string, more: Partial<TextQuery> = {}): Promise<string[]> =>
      (await index.search(notes, { text, ...more })).map(({ id }) => id);

    test("a document is read back as it was put, and can be replaced and removed", async () => {
      const full = document("a", "one 一", { tags: ["x", "Y/z"], path: "p/a.md", meta: { n: [1] }, version: "v1" });
      await put(full, document("b", "two"));
      expect(await index.get(notes, "a")).toEqual(full);
      expect(await index.get(notes, "c")).toBeUndefined();
      expect(await index.get(`${notes} others`, "a")).toBeUndefined();
      expect(await index.versions(notes)).toEqual(
        new Map([
          ["a", "v1"],
          ["b", ""],
        ]),
      );
      expect([...(await index.versions(notes, "b")).keys()]).toEqual(["b"]);
      expect(await index.stats(notes)).toEqual({ documents: 2, characters: 10 + 5 + 10 + 3 });
      await put(document("a", "three"));
      expect(await find("one")).toEqual([]);
      expect(await find("three")).toEqual(["a"]);
      expect((await index.stats(notes)).documents).toBe(2);
      expect(await index.remove(notes, ["a", "unknown"])).toBe(1);
      expect(await find("three")).toEqual([]);
      expect(await index.get(notes, "a")).toBeUndefined();
    });

    test("a document that changes only its time or its meta is found as before, with the new ones", async () => {
      await put(document("a", "rope", { at: 1, meta: 1, version: "1" }));
      await put(document("a", "rope", { at: 2, meta: 2, version: "2" }));
      expect(await index.search(notes, { text: "rope" })).toMatchObject([{ id: "a", at: 2, meta: 2 }]);
      expect(await index.versions(notes)).toEqual(new Map([["a", "2"]]));
    });

    test("collections do not see each other, and one can be cleared", async () => {
      await put(document("a", "rope"));
      await index.put(`${notes} others`, [document("a", "rope and sail"), document("b", "rope")]);
      expect(await find("sail")).toEqual([]);
      expect(await index.search(`${notes} others`, { text: "rope" })).toHaveLength(2);
      await index.clear(`${notes} others`);
      expect(await index.search(`${notes} others`, { text: "rope" })).toEqual([]);
      expect(await index.stats(`${notes} others`)).toEqual({ documents: 0, characters: 0 });
      expect(await find("rope")).toEqual(["a"]);
      await index.clear("unknown");
    });

    test.each([
      ["数据", "关系型数据库的设计"],
      ["数据库", "关系型数据库的设计"],
      ["关系型数据库的设计", "关系型数据库的设计"],
      ["计", "关系型数据库的设计"],
      ["关", "关系型数据库的设计"],
      ["SQLite 数据库", "我使用SQLite数据库"],
      ["使用sqlite数据", "我使用 SQLite 数据库"],
      ["𠮷野", "在𠮷野家吃饭"],
      ["𠮷", "在𠮷野家吃饭"],
      ["ガイド", "ユーザーｶﾞｲﾄﾞ"],
      ["データ", "データベース"],
      ["데이터", "데이터베이스 설계"],
      ["ข้อมูล", "ฐานข้อมูลขนาดใหญ่"],
      ["cafe", "Café Zürich"],
      ["ZURICH", "Café Zürich"],
      ["Cafe\u0301", "CAFÉ"],
      ["strasse", "Straße"],
      ["ＡＢＣ", "abc"],
      ["москва", "Москва"],
      ["ΟΔΟΣ", "οδός"],
      ["maxRetries", "set max_retries to 3"],
      ["max_retries", "set maxRetries to 3"],
      ["maxretries", "set maxRetries to 3"],
      ["github", "GitHub Actions"],
      ["GitHub", "on github"],
      ["utf8", "UTF-8 text"],
      ["UTF-8", "utf8 text"],
      ["HTTPServer", "class HTTPServer"],
      ["server", "class HTTPServer"],
      ["3.14", "pi is 3.14 or so"],
      ["notes", "one note"],
      ["category", "all categories"],
      ["don't", "I don't know"],
      ["😀", "good 😀 morning"],
      ["नमस्ते", "नमस्ते दुनिया"],
      ["سلام", "سلام دنیا"],
    ])("%j is found in %j, and highlighted", async (text, body) => {
      await put(document("a", body), document("b", "something else 别的东西"));
      const hits = await index.search(notes, { text });
      expect(hits.map(({ id }) => id)).toEqual(["a"]);
      const [{ highlights, snippet } = { highlights: [], snippet: "" }] = hits;
      expect(highlights.length).toBeGreaterThan(0);
      for (const [start, end] of highlights) expect(snippet.slice(start, end).trim()).not.toBe("");
    });

    test.each([
      ["库数", "数据库"],
      ["据设", "数据 设计"],
      ["rop", "ropes"],
      ["art", "heart"],
    ])("%j is not found in %j", async (text, body) => {
      await put(document("a", body));
      expect(await find(text, { match: "all" })).toEqual([]);
    });

    test.each(hostile)("[hostile] %j is neither an operator nor an error", async (text) => {
      await put(document("a", "数据 a b title drop table s OR 😀"), document("b", "rope"));
      const before = await index.stats(notes);
      for (const query of [text, `${text} ${text}`, `rope ${text}`, `"${text}"`]) {
        expect(await find(query, { terms: [text], tags: [] })).not.toContain(undefined);
        expect(await index.search(notes, { text: query, tags: [text] })).toEqual([]);
      }
      expect(await index.stats(notes)).toEqual(before);
    });

    test("a word that is an operator elsewhere is a word here", async () => {
      await put(document("a", "one OR two"), document("b", "one"), document("c", "two"));
      for (const text of ["OR", "one OR two"]) expect(await find(text, { match: "all" })).toEqual(["a"]);
    });

    test.each([
      ["a NOT b"],
      ["NEAR(a b, 2)"],
      ["a^2"],
      ["a AND"],
      ["(a"],
      ["a OR OR b"],
      ["+a -b"],
      ["col:a"],
      ["a* b*"],
      ["\u0000\uffff\ud800"],
      ["x".repeat(100_000)],
      ["词".repeat(100_000)],
      ["w ".repeat(50_000)],
      [""],
      ["   "],
      ["。，"],
    ])("hostile text %# is answered", async (text) => {
      await put(document("a", "a b c"), document("b", "词词"));
      expect(Array.isArray(await index.search(notes, { text, terms: [text, text] }))).toBe(true);
    });

    test("hostile documents are stored and found", async () => {
      const strange = "a\u0000b \" ' ) * : {title} 😀 \ud83d".toWellFormed();
      await put(document("a", strange, { title: '"', tags: ['"', "'; drop table x"], path: "a b/c'd.md" }));
      await put(document("b", `${"[".repeat(10_000)}needle${"x".repeat(10_000)} ${"长".repeat(10_000)}`));
      expect(await find("b", { titleWeight: 0 })).toContain("a");
      expect((await index.get(notes, "a"))?.body).toBe(strange);
      expect(await find("长长长")).toEqual(["b"]);
    });

    test("all words come before some of them, and words side by side before words apart", async () => {
      await put(
        document("some", "a rope of hemp lies here"),
        document("apart", "the wet deck had many things on it, and also a rope"),
        document("together", "a wet rope lies here on the deck with many things"),
        document("none", "sail"),
      );
      expect(await find("wet rope")).toEqual(["together", "apart", "some"]);
      expect(await find("wet rope", { match: "all" })).toEqual(["together", "apart"]);
    });

    test("a sentence finds documents with some of its words; common words do not count", async () => {
      await put(
        document("a", "机器学习的笔记"),
        document("b", "the what and how of it"),
        document("c", "machine learning"),
      );
      expect(await find("我上周写的关于机器学习的内容是什么")).toEqual(["a"]);
      expect(await find("what did I write about the machine learning")).toEqual(["c"]);
      expect(await find("how")).toEqual(["b"]);
    });

    test("salient terms find documents that the text alone does not, and phrases are matched as a whole first", async () => {
      await put(
        document("ml", "neural networks and ML"),
        document("phrase", "deep learning is learning that is deep"),
        document("apart", "learning to swim in deep water is a long story, told by many"),
        document("other", "sail"),
      );
      expect(await find("AI algorithms")).toEqual([]);
      expect(await find("AI algorithms", { terms: ["ML", "neural networks"] })).toEqual(["ml"]);
      expect((await find("AI", { terms: ["deep learning"] }))[0]).toBe("phrase");
    });

    test("a word in the title or a tag counts more than in the body, by the given weights", async () => {
      await put(
        document("body", "rope, a rope, and the rope", { title: "other" }),
        document("title", "nothing about it", { title: "Rope" }),
        document("tag", "nothing about it here either", { title: "other", tags: ["rope"] }),
        ...["c", "d", "e"].map((id) => document(id, "sail")),
      );
      expect((await find("rope")).at(-1)).toBe("body");
      expect((await find("rope", { titleWeight: 0 }))[0]).not.toBe("title");
    });

    test("the newer of two equals comes first, and with recency much newer ones before slightly better ones", async () => {
      await put(
        document("old", "rope and rope", { at: 0, title: "t" }),
        document("new", "rope and sail", { at: 10_000, title: "t" }),
        document("newest", "rope and sail", { at: 10_001, title: "t" }),
        ...["c", "d", "e", "f"].map((id) => document(id, "mast", { title: "t" })),
      );
      expect(await find("rope")).toEqual(["old", "newest", "new"]);
      const recency = { now: 10_001, halfLifeMs: 100, weight: 2 };
      expect(await find("rope", { recency })).toEqual(["newest", "new", "old"]);
    });

    test("an empty query lists all documents that match the filters, the newest first", async () => {
      await put(
        document("a", "rope", { at: 10, tags: ["knot"] }),
        document("b", "", { at: 30 }),
        document("c", "mast", { at: 20, tags: ["knot/bend"] }),
        document("d", "sail", { at: 20 }),
      );
      const list = async (query: TextQuery): Promise<string[]> =>
        (await index.search(notes, query)).map(({ id }) => id);
      expect(await list({})).toEqual(["b", "c", "d", "a"]);
      expect(await list({ terms: [], limit: 2 })).toEqual(["b", "c"]);
      expect(await list({ from: 10, to: 30 })).toEqual(["c", "d", "a"]);
      expect(await list({ tags: ["knot"] })).toEqual(["c", "a"]);
      expect(await list({ terms: ["rope"] })).toEqual(["a"]);
      expect(await list({ text: "" })).toEqual([]);
    });

    test("times are from the first up to, not including, the last", async () => {
      await put(
        document("a", "rope", { at: 100 }),
        document("b", "rope", { at: 200 }),
        document("c", "rope", { at: 300 }),
      );
      expect(await find("rope", { from: 100, to: 300 })).toEqual(["b", "a"]);
      expect(await find("rope", { from: 201 })).toEqual(["c"]);
      expect(await find("rope", { to: 100 })).toEqual([]);
    });

    test("all tags must be present; a tag includes those below it, in any case", async () => {
      await put(
        document("a", "rope", { tags: ["Project/Garden", "todo"] }),
        document("b", "rope", { tags: ["project"] }),
        document("c", "rope", { tags: ["projects"] }),
      );
      expect((await find("rope", { tags: ["project"] })).toSorted()).toEqual(["a", "b"]);
      expect(await find("rope", { tags: ["#PROJECT", "todo"] })).toEqual(["a"]);
      expect(await find("rope", { tags: ["project/garden"] })).toEqual(["a"]);
    });

    test("limits hold", async () => {
      await put(...Array.from({ length: 30 }, (_, number) => document(`n${number}`, "rope", { at: number })));
      expect(await find("rope")).toHaveLength(10);
      expect(await find("rope", { limit: 3 })).toEqual(["n29", "n28", "n27"]);
      expect(await find("rope", { limit: 1000 })).toHaveLength(30);
      expect(await find("rope", { limit: -5 })).toHaveLength(1);
      expect(await find("rope", { limit: Number.NaN })).toHaveLength(1);
    });

    test("a snippet shows the line with most of the words", async () => {
      const filling = Array.from({ length: 60 }, (_, number) => `line ${number} has words like ship and sea`).join(
        "\n",
      );
      await put(document("a", `a rope first\n${filling}\nhere the wet rope shrinks\n${filling}`));
      const [hit] = await index.search(notes, { text: "wet rope shrinks" });
      expect(hit).toMatchObject({ line: 62 });
      expect(hit?.snippet).toMatch(/^….*here the wet rope shrinks.*…$/);
      expect(hit?.snippet.length).toBeLessThan(300);
      const words = hit?.highlights.map(([start, end]) => hit.snippet.slice(start, end));
      expect(words).toEqual(["wet rope shrinks"]);
    });

    test("if only the title matches, the snippet is the beginning, without front matter", async () => {
      await put(document("a", "---\ntags: [x]\n---\n\n# Heading\n\ntext of it", { title: "Rope" }));
      expect(await index.search(notes, { text: "rope" })).toMatchObject([
        { snippet: "# Heading text of it", highlights: [] },
      ]);
    });

    test("the words of a path are found, its ending is not", async () => {
      await put(document("a", "x", { path: "sailing/knots/bowline-howto.md" }));
      expect(await find("bowline")).toEqual(["a"]);
      expect(await find("md")).toEqual([]);
    });

    test("the stored value does not change when the caller changes its own", async () => {
      const tags = ["one"];
      await put(document("a", "rope", { tags }));
      tags.push("two");
      expect((await index.get(notes, "a"))?.tags).toEqual(["one"]);
      expect((await index.get(notes, "a"))?.tags).toEqual(["one"]);
    });

    test("a caller that cancels does not have to wait", async () => {
      await put(document("a", "rope"));
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(index.search(notes, { text: "rope" }, signal)).rejects.toThrow("enough");
      await expect(index.put(notes, [document("b", "rope")], signal)).rejects.toThrow("enough");
      expect(await find("rope")).toEqual(["a"]);
    });
  });
}
