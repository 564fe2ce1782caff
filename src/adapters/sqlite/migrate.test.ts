import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { applicationId, migrate, readMark } from "./migrate.ts";

let db: DatabaseSync;
beforeEach(() => {
  db = new DatabaseSync(":memory:");
});

const first = "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept')";
const second = "ALTER TABLE notes ADD COLUMN at REAL; UPDATE notes SET at = 1";

describe("migrating", () => {
  test("does the steps that are missing, and keeps what was there", () => {
    migrate(db, "f", [first]);
    expect(readMark(db)).toEqual({ applicationId, version: 1 });
    migrate(db, "f", [first, second]);
    expect(readMark(db)).toEqual({ applicationId, version: 2 });
    expect(db.prepare("SELECT * FROM notes").all()).toEqual([{ text: "kept", at: 1 }]);
    migrate(db, "f", [first, second]);
    expect(db.prepare("SELECT count(*) AS count FROM notes").get()).toEqual({ count: 1 });
  });

  test("undoes all of it when one step fails", () => {
    migrate(db, "f", [first]);
    expect(() => migrate(db, "f", [first, second, "CREATE NONSENSE"])).toThrow("syntax error");
    expect(readMark(db)).toEqual({ applicationId, version: 1 });
    expect(db.prepare("SELECT * FROM notes").all()).toEqual([{ text: "kept" }]);
    migrate(db, "f", [first, second]);
    expect(readMark(db).version).toBe(2);
  });

  test("never goes back", () => {
    migrate(db, "f", [first, second]);
    expect(() => migrate(db, "f", [first])).toThrow(expect.objectContaining({ code: "store_newer" }));
    expect(readMark(db).version).toBe(2);
  });
});
