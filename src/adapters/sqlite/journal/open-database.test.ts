import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { latestVersion } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";

const root = mkdtempSync(join(tmpdir(), "windlass-open-"));
afterAll(() => rmSync(root, { recursive: true }));
let folder: string;
let file: string;
let count = 0;

beforeEach(() => {
  folder = join(root, `${++count}`);
  mkdirSync(folder);
  file = join(folder, "journal.db");
});

function setPragma(path: string, pragma: string): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA ${pragma}`);
  db.close();
}

describe("opening a database", () => {
  test("makes it and its folder, for this user only", () => {
    const nested = join(folder, "a", "b", "journal.db");
    const db = openDatabase(nested);
    expect(statSync(nested).mode & 0o777).toBe(0o600);
    expect(statSync(`${nested}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(db.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
    db.close();
  });

  test("does not change a database that is up to date", () => {
    openDatabase(file).close();
    const before = readFileSync(file);
    openDatabase(file).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("refuses one of a newer version, and touches nothing", () => {
    openDatabase(file).close();
    setPragma(file, `user_version = ${latestVersion + 1}`);
    const before = readFileSync(file);
    expect(() => openDatabase(file)).toThrow(
      expect.objectContaining({
        code: "store_newer",
        message: expect.stringMatching(/Upgrade Windlass, or move the file away/) as string,
      }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(["journal.db"]);
  });

  test("rejects a newer version that only the log reveals, and changes neither file", () => {
    const source = join(folder, "source.db");
    openDatabase(source).close();
    const newer = new DatabaseSync(source);
    newer.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = ${latestVersion + 5}`);
    // The state after a crash: the change is only in the log.
    copyFileSync(source, file);
    copyFileSync(`${source}-wal`, `${file}-wal`);
    newer.close();
    const before = [readFileSync(file), readFileSync(`${file}-wal`)];
    expect(() => openDatabase(file)).toThrow(expect.objectContaining({ code: "store_newer" }));
    expect([readFileSync(file), readFileSync(`${file}-wal`)]).toEqual(before);
  });

  test.each([
    ["a text", "This is the diary of Ann, and no database at all. ".repeat(10)],
    ["a short text", "x"],
  ])("refuses %s and leaves it alone", (_, text) => {
    writeFileSync(file, text);
    expect(() => openDatabase(file)).toThrow(
      expect.objectContaining({ code: "store_failed", message: expect.stringContaining("Move it away") }),
    );
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["journal.db"]);
  });

  test.each(["", "PRAGMA user_version = 1;", "PRAGMA application_id = 99;"])(
    "refuses the database of another program: %s",
    (mark) => {
      const other = new DatabaseSync(file);
      other.exec(`CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1); ${mark}`);
      other.close();
      expect(() => openDatabase(file)).toThrow(
        expect.objectContaining({ code: "store_failed", reason: "foreign_database" }),
      );
      const again = new DatabaseSync(file);
      expect(again.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "theirs" }]);
      again.close();
    },
  );

  test("says that a damaged one is damaged", () => {
    openDatabase(file).close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 100, 4096);
    writeFileSync(file, bytes);
    expect(() => openDatabase(file)).toThrow(
      expect.objectContaining({ code: "store_failed", reason: "corrupt", message: expect.stringContaining("backup") }),
    );
  });

  test("reports that a folder is not a file", () => {
    mkdirSync(file);
    expect(() => openDatabase(file)).toThrow(expect.objectContaining({ code: "store_failed", reason: "cannot_open" }));
  });

  test("says that a path leads through a file", () => {
    writeFileSync(join(folder, "plain"), "");
    expect(() => openDatabase(join(folder, "plain", "journal.db"))).toThrow(
      expect.objectContaining({ code: "store_failed", reason: "cannot_open" }),
    );
  });

  test("says that a folder is read-only", ({ skip }) => {
    if (process.getuid?.() === 0) skip(!mountReadOnly(folder), "root writes everywhere, and cannot mount here");
    else chmodSync(folder, 0o555);
    try {
      expect(() => openDatabase(file)).toThrow(
        expect.objectContaining({ code: "store_failed", message: expect.stringMatching(/permission/) }),
      );
      expect(existsSync(file)).toBe(false);
    } finally {
      if (process.getuid?.() === 0) execFileSync("umount", [folder]);
      else chmodSync(folder, 0o755);
    }
  });
});

function mountReadOnly(path: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
