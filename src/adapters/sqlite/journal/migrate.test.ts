import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { restoreRecord } from "../../../store/index.ts";
import { ApprovalTable } from "./approval-table.ts";
import { applicationId, latestVersion, migrate, migrationSteps, readMark } from "./migrate.ts";
import { fromRow } from "./record-columns.ts";
import { readPage } from "./record-queries.ts";
import { toRun } from "./run-columns.ts";
import { listRuns } from "./run-queries.ts";

let db: DatabaseSync;
beforeEach(() => {
  db = new DatabaseSync(":memory:");
});

const first = "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept')";
const second = "ALTER TABLE notes ADD COLUMN at REAL; UPDATE notes SET at = 1";

describe("migrating", () => {
  test("executes the missing steps, and preserves existing data", () => {
    migrate(db, "f", [first]);
    expect(readMark(db)).toEqual({ applicationId, version: 1 });
    migrate(db, "f", [first, second]);
    expect(readMark(db)).toEqual({ applicationId, version: 2 });
    expect(db.prepare("SELECT * FROM notes").all()).toEqual([{ text: "kept", at: 1 }]);
    migrate(db, "f", [first, second]);
    expect(db.prepare("SELECT count(*) AS count FROM notes").get()).toEqual({ count: 1 });
  });

  test("rolls back completely when one step fails", () => {
    migrate(db, "f", [first]);
    expect(() => migrate(db, "f", [first, second, "CREATE NONSENSE"])).toThrow("syntax error");
    expect(readMark(db)).toEqual({ applicationId, version: 1 });
    expect(db.prepare("SELECT * FROM notes").all()).toEqual([{ text: "kept" }]);
    migrate(db, "f", [first, second]);
    expect(readMark(db).version).toBe(2);
  });

  test("never downgrades", () => {
    migrate(db, "f", [first, second]);
    expect(() => migrate(db, "f", [first])).toThrow(expect.objectContaining({ code: "store_newer" }));
    expect(readMark(db).version).toBe(2);
  });

  test("preserves the records and approvals of version 1 unchanged", () => {
    migrate(db, "f", migrationSteps.slice(0, 1));
    db.exec(
      `INSERT INTO records (id, tool, version, source, category, args, success, output, duration_ms, queued_ms, attempts,
         cached, caller_type, created_at)
       VALUES ('c1', 'echo', '1', 'tools', 'general', '{}', 1, '"hello"', 1, 0, 1, 0, 'direct', 5);
       INSERT INTO approvals (id, key, tool, args, message, caller_type, expires_at, status, created_at)
       VALUES ('a1', 'k', 'echo', '{}', 'may it?', 'direct', 9, 'pending', 5);
       INSERT INTO writers VALUES ('w', 7, 5)`,
    );
    migrate(db, "f");
    expect(readMark(db)).toEqual({ applicationId, version: latestVersion });
    const { rows } = readPage(db, { limit: 10, after: undefined });
    expect(rows.map((row) => restoreRecord(fromRow(row)))).toMatchObject([{ id: "c1", output: "hello", createdAt: 5 }]);
    const approvals = new ApprovalTable(db).list(6, undefined);
    expect(approvals).toEqual([
      {
        id: "a1",
        key: "k",
        tool: "echo",
        args: {},
        message: "may it?",
        callerType: "direct",
        expiresAt: 9,
        status: "pending",
        createdAt: 5,
      },
    ]);
    expect(db.prepare("SELECT * FROM writers").all()).toEqual([{ id: "w", batch: 7, at: 5, answers: null }]);
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  });

  test("finds the conversations of runs that version 3 stored", () => {
    migrate(db, "f", migrationSteps.slice(0, 3));
    const insert = db.prepare(
      `INSERT INTO runs (id, chain, definition, input, context, format, fingerprints, started_at, status, epoch)
       VALUES (?, ?, 1, '{}', ?, 1, '{}', 5, 'success', 1)`,
    );
    insert.run("a", "agent:llm", '{"conversationId":"talk"}');
    insert.run("sub-0123", "agent:llm", '{"conversationId":"talk"}');
    insert.run("b", "agent", '{"conversationId":"of a chain"}');
    insert.run("c", "agent:llm", "broken");
    migrate(db, "f");
    const list = (conversation: string) =>
      listRuns(db, { conversation, limit: 10, now: 0, silenceMs: 0 }).map((row) => toRun(row).conversation);
    expect(list("talk")).toEqual([{ id: "talk", after: 0 }]);
    expect(list("of a chain")).toEqual([]);
    expect(db.prepare("SELECT count(*) AS count FROM runs").get()).toEqual({ count: 4 });
  });
});
