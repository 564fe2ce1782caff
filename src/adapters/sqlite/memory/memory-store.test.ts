import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { folderWith } from "../../../../test/support/workspace.ts";
import { type MemoryStore, type NewMemory, tokenFormat } from "../../../store/index.ts";
import { openMemoryStore } from "./memory-store.ts";

const closing: MemoryStore[] = [];
afterEach(async () => {
  for (const store of closing.splice(0)) await store.close();
});

function open(file: string): MemoryStore {
  const store = openMemoryStore({ file });
  closing.push(store);
  return store;
}

const memory = (id: string, text: string): NewMemory => ({
  id,
  namespace: "default",
  title: "t",
  text,
  tags: [],
  metadata: {},
});

test("two open stores see each other's memories, and only this user may read the file", async () => {
  const file = join(await folderWith({}), "deep/memory.db");
  const [one, other] = [open(file), open(file)];
  await Promise.all([one.store(memory("m1", "rope"), 1), other.store(memory("m2", "rope"), 2)]);
  expect(await one.search({ text: "rope", namespace: "default" })).toHaveLength(2);
  expect(await other.get("m1")).toMatchObject({ text: "rope" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a forgotten memory is no longer in the file", async () => {
  const file = join(await folderWith({}), "memory.db");
  const store = open(file);
  await store.store(memory("m1", "xylophonesecret 秘密暗号"), 1);
  for (let number = 0; number < 50; number++) await store.store(memory(`n${number}`, `rope ${number}`), 1);
  await store.forget(["m1"]);
  await store.close();
  const files = [file, `${file}-wal`].filter((name) => existsSync(name));
  const content = files.map((name) => readFileSync(name, "utf8")).join("\n");
  expect(content).toContain("rope 49");
  expect(content).not.toContain("xylophonesecret");
  expect(content).not.toContain("秘密");
});

test("memories outlive a change in how texts are cut", async () => {
  const file = join(await folderWith({}), "memory.db");
  const first = open(file);
  await first.store(memory("m1", "湿绳子"), 1);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec(`UPDATE text_format SET format = ${tokenFormat + 1}; DELETE FROM text_terms`);
  db.close();
  expect(await open(file).search({ text: "绳子", namespace: "default" })).toMatchObject([{ memory: { id: "m1" } }]);
});

test("memories that were indexed without their lengths are found, and ranked as others are", async () => {
  const file = join(await folderWith({}), "memory.db");
  const first = open(file);
  for (const id of ["m1", "m2", "m3"]) await first.store(memory(id, `rope ${id}`), 1);
  const query = { text: "rope m2", namespace: "default" };
  const before = await first.search(query);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec("UPDATE text_format SET format = 1; DROP TABLE text_lengths; DROP TABLE text_totals");
  db.close();
  expect(await open(file).search(query)).toEqual(before);
});

test("a memory that is forgotten and stored again is ranked as before", async () => {
  const store = open(join(await folderWith({}), "memory.db"));
  const texts = ["Spring tides and neap tides", "Tide mills", "The tide comes in", "潮汐磨坊"];
  const all = texts.map((text, at) => memory(`m${at}`, text));
  for (const one of all) await store.store(one, 1);
  const find = async (): Promise<unknown[]> =>
    (await store.search({ text: "tide mills", namespace: "default" })).map(({ memory: { id }, score }) => [id, score]);
  const before = await find();
  expect(before[0]).toEqual(["m1", expect.any(Number)]);
  for (let turn = 0; turn < 5; turn++) {
    await store.forget(turn % 2 === 0 ? ["m0", "m2"] : all.map(({ id }) => id));
    for (const one of all) await store.store(one, 1);
  }
  expect(await find()).toEqual(before);
});

test("another program's database and a newer one are rejected and unchanged", async () => {
  const folder = await folderWith({});
  const foreign = join(folder, "foreign.db");
  const db = new DatabaseSync(foreign);
  db.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  db.close();
  const before = readFileSync(foreign);
  await expect(open(foreign).get("m1")).rejects.toMatchObject({ code: "store_failed", reason: "foreign_database" });
  expect(readFileSync(foreign)).toEqual(before);

  const newer = join(folder, "newer.db");
  const store = open(newer);
  await store.store(memory("m1", "rope"), 1);
  await store.close();
  const changed = new DatabaseSync(newer);
  changed.exec("PRAGMA user_version = 99");
  changed.close();
  await expect(open(newer).get("m1")).rejects.toMatchObject({ code: "store_newer", reason: "newer_version" });
});

test("after closing nothing is answered", async () => {
  const store = open(join(await folderWith({}), "memory.db"));
  await store.close();
  await expect(store.get("m1")).rejects.toMatchObject({ code: "store_failed", reason: "closed" });
});
