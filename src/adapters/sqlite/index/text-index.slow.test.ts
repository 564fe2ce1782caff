import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { folderWith } from "../../../../test/support/workspace.ts";
import { type TextDocument, type TextIndex, tokenFormat } from "../../../store/index.ts";
import { indexFaults } from "./rebuildable-database.ts";
import { openIndex } from "./open-index.ts";
import { openTextIndex } from "./text-index.ts";

const closing: TextIndex[] = [];
afterEach(async () => {
  for (const index of closing.splice(0)) await index.close();
});

function open(file: string): TextIndex {
  const index = openTextIndex({ file });
  closing.push(index);
  return index;
}

const note = (id: string, body: string, title = "t"): TextDocument => ({ id, title, body, tags: [], at: 0 });

test("the file is created on first use, readable by this user only", async () => {
  const file = join(await folderWith({}), "deep/index.db");
  const index = open(file);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  expect(await index.search("notes", { text: "rope" })).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("stored documents are found by another process, and cached results share the file", async () => {
  const file = join(await folderWith({}), "index.db");
  const caches = openIndex({ file });
  caches.cache.set("key", "[1]", 2e15, 1);
  await open(file).put("notes", [note("a", "湿绳子 wet rope")]);
  const program = `
    import { openTextIndex } from ${JSON.stringify(join(import.meta.dirname, "text-index.ts"))};
    const index = openTextIndex({ file: process.argv[1] });
    const hits = await index.search("notes", { text: "绳子" });
    console.log(JSON.stringify(hits.map(({ id }) => id)));
    await index.close();`;
  const args = ["--input-type=module-typescript", "-e", program, file];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe('["a"]\n');
  caches.close();
  const again = openIndex({ file });
  expect(again.cache.get("key", 2)).toBe("[1]");
  again.close();
});

test("an index with another token format is rebuilt from its content", async () => {
  const file = join(await folderWith({}), "index.db");
  const first = open(file);
  await first.put("notes", [{ ...note("a", "wet rope"), tags: ["x"], path: "p/q.md" }]);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec(`UPDATE text_format SET format = ${tokenFormat + 1}; DELETE FROM text_terms`);
  db.close();
  const again = open(file);
  expect(await again.search("notes", { text: "rope q", tags: ["x"] })).toMatchObject([{ id: "a" }]);
  expect((await again.get("notes", "a"))?.body).toBe("wet rope");
});

test("an index of another version is dropped and filled again", async () => {
  const file = join(await folderWith({}), "index.db");
  const first = open(file);
  await first.put("notes", [note("a", "rope")]);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec("PRAGMA user_version = 999");
  db.close();
  const again = open(file);
  expect(await again.stats("notes")).toEqual({ documents: 0, characters: 0 });
  await again.put("notes", [note("a", "rope")]);
  expect(await again.search("notes", { text: "rope" })).toHaveLength(1);
});

test.each([
  ["is no database", (file: string) => writeFileSync(file, "no database at all, but long enough for one".repeat(20))],
  ["was overwritten", (file: string) => writeFileSync(file, readFileSync(file).fill(0x5a))],
])("a file that %s when it is opened is set aside and recreated", async (_, spoil) => {
  const file = join(await folderWith({}), "index.db");
  const first = open(file);
  await first.put("notes", [note("a", "rope")]);
  await first.close();
  spoil(file);
  const spoilt = readFileSync(file);
  const again = open(file);
  expect(await again.stats("notes")).toEqual({ documents: 0, characters: 0 });
  await again.put("notes", [note("b", "rope")]);
  expect(await again.search("notes", { text: "rope" })).toMatchObject([{ id: "b" }]);
  expect(readFileSync(`${file}.damaged`)).toEqual(spoilt);
});

test("damage that is found later is reported once; then there is an empty index, for reading and writing", async () => {
  const file = join(await folderWith({}), "index.db");
  const index = open(file);
  await index.put("notes", [note("a", "rope ".repeat(5000)), note("b", "sail")]);
  expect(await index.search("notes", { text: "sail" })).toHaveLength(1);
  await index.close();
  const db = new DatabaseSync(file);
  const { at } = db.prepare("SELECT rootpage AS at FROM sqlite_schema WHERE name = 'text_documents'").get() ?? {};
  db.close();
  writeFileSync(file, readFileSync(file).fill(0x5a, (Number(at) - 1) * 4096, Number(at) * 4096));
  expect(indexFaults(file)).not.toEqual([]);
  const again = open(file);
  const requested = again.search("notes", { text: "rope" });
  await expect(requested).rejects.toMatchObject({ code: "store_failed", reason: "renewed" });
  expect(await again.search("notes", { text: "rope" })).toEqual([]);
  await again.put("notes", [note("c", "rope")]);
  expect(await again.search("notes", { text: "rope" })).toMatchObject([{ id: "c" }]);
  expect(indexFaults(file)).toEqual([]);
});

test("a file that was removed while it was open is recreated by reader and writer", async () => {
  const folder = await folderWith({});
  const index = open(join(folder, "index.db"));
  await index.put("notes", [note("a", "rope")]);
  expect(await index.search("notes", { text: "rope" })).toHaveLength(1);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(await index.search("notes", { text: "rope" })).toEqual([]);
  await index.put("notes", [note("b", "rope")]);
  expect(await index.search("notes", { text: "rope" })).toMatchObject([{ id: "b" }]);
});

test("the database of another program is refused, and not set aside", async () => {
  const file = join(await folderWith({}), "index.db");
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE theirs (a); PRAGMA application_id = 7");
  db.close();
  await expect(open(file).search("notes", { text: "x" })).rejects.toMatchObject({ reason: "foreign_database" });
  expect(statSync(`${file}.damaged`, { throwIfNoEntry: false })).toBeUndefined();
});

test("a document that cannot be stored is rejected before anything is written", async () => {
  const index = open(join(await folderWith({}), "index.db"));
  const bad = [note("a", "rope"), { ...note("b", "rope"), at: Number.NaN }];
  await expect(index.put("notes", bad)).rejects.toMatchObject({ code: "validation_error" });
  expect((await index.stats("notes")).documents).toBe(0);
});

test("very common words are ranked by title, phrase and age, and rare words beside them count", async () => {
  const index = open(join(await folderWith({}), "index.db"));
  const many = Array.from({ length: 12_000 }, (_, number) =>
    note(`n${number}`, "a common word and another usual thing"),
  );
  await index.put("notes", [
    ...many,
    note("titled", "another common word", "common"),
    note("side", "word another common"),
    note("rare", "common bowline"),
    ...many.slice(0, 300).map(({ id, body }) => note(`late ${id}`, body)),
  ]);
  const find = async (text: string, terms: string[] = []): Promise<string[]> =>
    (await index.search("notes", { text, terms })).map(({ id }) => id);
  expect((await find("common"))[0]).toBe("titled");
  expect((await find("another common")).slice(0, 2).toSorted()).toEqual(["side", "titled"]);
  expect(await find("word another common")).toContain("side");
  expect((await find("common bowline"))[0]).toBe("rare");
  expect((await find("common", ["bowline"]))[0]).toBe("rare");
  expect(await find("usual", ["common", "word"])).toHaveLength(10);
  expect(await index.search("notes", { text: "common", from: 1 })).toEqual([]);
});

test("during heavy indexing, searches continue and this thread is free", async () => {
  const index = open(join(await folderWith({}), "index.db"));
  await index.put("notes", [note("first", "bowline")]);
  const find = async (): Promise<number> => (await index.search("notes", { text: "bowline" })).length;
  // Starts the thread that searches.
  expect(await find()).toBe(1);
  const state = { busy: true };
  const documents = Array.from({ length: 3000 }, (_, number) => note(`n${number}`, `绳子 rope ${number} `.repeat(40)));
  const putting = index.put("notes", documents).finally(() => (state.busy = false));
  const found: number[] = [];
  while (state.busy) found.push(await find());
  await putting;
  expect(found.length).toBeGreaterThan(3);
  expect(new Set(found)).toEqual(new Set([1]));
  expect((await index.stats("notes")).documents).toBe(3001);
});
