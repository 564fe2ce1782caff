import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, type FailureError, type Timer, systemClock } from "../../../base/index.ts";
import { type Index, type OpenIndexOptions, openIndex } from "./open-index.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-index-"));
afterAll(() => rmSync(folder, { recursive: true }));
const opened: Index[] = [];
let errors: FailureError[] = [];
let file: string;
let count = 0;

beforeEach(() => {
  file = join(folder, `${++count}`, "index.db");
  errors = [];
});
afterEach(() => {
  for (const index of opened.splice(0)) index.close();
});

function open(options: Partial<OpenIndexOptions> = {}): Index {
  const index = openIndex({ file, onError: (failure) => errors.push(failure), ...options });
  opened.push(index);
  return index;
}

/** A clock whose timers fire on demand. */
function manualClock(): Clock & { fire(): void } {
  let tasks: (() => void)[] = [];
  const timer: Timer = { cancel() {}, hold() {} };
  return {
    ...systemClock,
    now: () => 1000,
    after(_ms, task) {
      tasks.push(task);
      return timer;
    },
    fire() {
      const due = tasks;
      tasks = [];
      for (const task of due) task();
    },
  };
}

describe("a cache in a file", () => {
  test("returns stored results, at once and to later processes, until they expire", () => {
    const first = open();
    first.cache.set("k", '{"a":"漢字"}', 2000, 1000);
    expect(first.cache.get("k", 1999)).toBe('{"a":"漢字"}');
    first.close();
    const second = open();
    expect(second.cache.get("k", 1999)).toBe('{"a":"漢字"}');
    expect(second.cache.get("k", 2000)).toBeUndefined();
    expect(second.cache.get("K", 1999)).toBeUndefined();
    second.cache.set("k", "2", 5000, 1000);
    second.close();
    expect(open().cache.get("k", 4999)).toBe("2");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("stores neither the keys nor expired results", () => {
    const index = open();
    index.cache.set("hunter2secret", "1", 5000, 1000);
    index.cache.set("late", "2", 1000, 1000);
    expect(index.cache.get("late", 500)).toBeUndefined();
    index.close();
    expect(readFileSync(file, "latin1")).not.toContain("hunter2secret");
  });

  test("forgets everything when cleared", () => {
    const index = open();
    index.cache.set("a", "1", 5000, 1000);
    index.close();
    const again = open();
    again.cache.set("b", "2", 5000, 1000);
    again.cache.clear();
    expect([again.cache.get("a", 1000), again.cache.get("b", 1000)]).toEqual([undefined, undefined]);
  });

  test("makes no file and loads no database before it is used", () => {
    open();
    expect(statSync(join(folder, `${count}`), { throwIfNoEntry: false })).toBeUndefined();
    const code = `const { openIndex } = await import(${JSON.stringify(join(import.meta.dirname, "../../index.ts"))});
      openIndex({ file: "nowhere/index.db" }).close();
      process.stdout.write(String(process.moduleLoadList.filter((name) => /sqlite/.test(name))));`;
    expect(execFileSync(process.execPath, ["--input-type=module", "--eval", code]).toString()).toBe("");
  });

  test("evicts the least recently used entry", () => {
    const clock = manualClock();
    const index = open({ maxEntries: 100, clock });
    for (let i = 0; i < 100; i++) index.cache.set(`k${i}`, "1", 1e9, i);
    clock.fire();
    // Used much later than it was set.
    expect(index.cache.get("k3", 500_000)).toBe("1");
    for (let i = 100; i < 160; i++) {
      index.cache.set(`k${i}`, "1", 1e9, 400_000 + i);
      clock.fire();
    }
    const left = Array.from({ length: 160 }, (_, i) => index.cache.get(`k${i}`, 500_000)).filter(Boolean).length;
    expect(left).toBeLessThanOrEqual(100);
    expect(left).toBeGreaterThanOrEqual(80);
    expect(index.cache.get("k3", 500_000)).toBe("1");
    expect(index.cache.get("k159", 500_000)).toBe("1");
    expect(index.cache.get("k0", 500_000)).toBeUndefined();
  });

  test("stays within its maximum size", () => {
    const clock = manualClock();
    const index = open({ maxBytes: 1_000_000, clock });
    for (let i = 0; i < 200; i++) {
      index.cache.set(`k${i}`, `"${"x".repeat(20_000)}"`, 1e9, i);
      clock.fire();
    }
    index.cache.set("huge", "x".repeat(2_000_000), 1e9, 1);
    index.close();
    expect(statSync(file).size).toBeLessThan(1_500_000);
    const again = open();
    expect(again.cache.get("k199", 1)).toHaveLength(20_002);
    expect(again.cache.get("huge", 1)).toBeUndefined();
    expect(errors).toEqual([]);
  });

  test("a cache that another process has locked is read, and written to later", () => {
    const clock = manualClock();
    open().cache.set("before", "1", 1e9, 1);
    for (const index of opened.splice(0)) index.close();
    const index = open({ clock });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE; CREATE TABLE notes (text TEXT)");
    const begin = performance.now();
    index.cache.set("during", "2", 1e9, 1);
    clock.fire();
    expect([index.cache.get("before", 1), index.cache.get("during", 1)]).toEqual(["1", "2"]);
    for (let i = 0; i < 5000; i++) index.cache.set(`many${i}`, "3", 1e9, 1);
    clock.fire();
    expect(performance.now() - begin).toBeLessThan(2000);
    other.exec("COMMIT");
    other.close();
    index.close();
    expect(open().cache.get("many4999", 1)).toBe("3");
    expect(errors).toEqual([]);
  });

  test.each([
    ["no database", (path: string) => writeFileSync(path, "not a database at all, but longer than a header".repeat(9))],
    ["a folder", (path: string) => mkdirSync(path)],
    [
      "another program's",
      (path: string) => {
        const db = new DatabaseSync(path);
        db.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
        db.close();
      },
    ],
  ])("a cache that is %s is a miss, reported once, and unchanged", (_, spoil) => {
    mkdirSync(join(folder, `${count}`));
    spoil(file);
    const before = statSync(file).isFile() ? readFileSync(file).length : 0;
    const index = open();
    for (let i = 0; i < 3; i++) {
      index.cache.set("k", "1", 1e9, 1);
      index.cache.clear();
      expect(index.cache.get("k", 1)).toBeUndefined();
    }
    index.close();
    expect(errors).toMatchObject([{ code: "store_failed" }]);
    expect(statSync(file).isFile() ? readFileSync(file).length : 0).toBe(before);
  });

  test("a cache that is damaged, or of another version, is rebuilt", () => {
    const index = open();
    index.cache.set("k", "1", 1e9, 1);
    index.close();
    const db = new DatabaseSync(file);
    db.exec("PRAGMA user_version = 99; CREATE TABLE of_another_version (x)");
    db.close();
    const newer = open();
    expect(newer.cache.get("k", 1)).toBeUndefined();
    newer.cache.set("k", "2", 1e9, 1);
    newer.close();
    expect(open().cache.get("k", 1)).toBe("2");
    for (const one of opened.splice(0)) one.close();
    writeFileSync(file, readFileSync(file).fill(0xff, 4096));
    expect(open().cache.get("k", 1)).toBeUndefined();
    expect(errors).toMatchObject([{ code: "store_failed", reason: "corrupt" }]);
  });

  test("processes share it", () => {
    const [first, second] = [open(), open()];
    first.cache.set("a", "1", 1e9, 1);
    second.cache.set("b", "2", 1e9, 1);
    first.close();
    second.close();
    const third = open();
    expect([third.cache.get("a", 1), third.cache.get("b", 1)]).toEqual(["1", "2"]);
  });
});
