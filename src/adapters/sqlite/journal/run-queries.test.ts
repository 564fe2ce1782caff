import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { listExecutable, listRuns, readUpdates } from "./run-queries.ts";

/** The plans of the statements that are prepared. */
function explained() {
  const db = new DatabaseSync(":memory:");
  migrate(db, "f");
  const plans: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = (sql) => {
    plans.push(
      ...prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
    return prepare(sql);
  };
  const ofTables = (): string[] => [...new Set(plans.filter((plan) => /^(SEARCH|SCAN) run/.test(plan)))].toSorted();
  return { db, ofTables };
}

test("executable runs are found without reading a run that has ended", () => {
  const { db, ofTables } = explained();
  listExecutable(db, { kinds: ["chain"], after: 0, limit: 10, now: 1, silenceMs: 1 });
  expect(ofTables()).toEqual([
    "SEARCH runs USING COVERING INDEX runs_lease_holder (lease_holder>?)",
    "SEARCH runs USING INDEX runs_free (number>?)",
    "SEARCH runs USING INDEX runs_lease_holder (lease_holder=? AND rowid>?)",
    "SEARCH runs USING INDEX runs_until (<expr><?)",
  ]);
});

test("an observer of a run reads only the events after its cursor", () => {
  const { db, ofTables } = explained();
  readUpdates(db, { cursors: [{ runId: "r1", after: 5000 }], now: 1 });
  expect(ofTables()).toEqual([
    "SEARCH run_events USING INDEX run_events_order (run=? AND seq>?)",
    "SEARCH runs USING INDEX sqlite_autoindex_runs_1 (id=?)",
  ]);
});

test("the next page of a list begins at its position, without reading or sorting what comes before", () => {
  const { db, ofTables } = explained();
  listRuns(db, { after: { id: "r1", startedAt: 5 }, since: 1, limit: 10, now: 1, silenceMs: 1 });
  expect(ofTables()).toEqual(["SEARCH runs USING INDEX runs_time (started_at>? AND started_at<?)"]);
});

test("a run is found by its id without reading others", () => {
  const { db, ofTables } = explained();
  listRuns(db, { id: "r1", limit: 1, now: 1, silenceMs: 1 });
  expect(ofTables()).toEqual(["SEARCH runs USING INDEX sqlite_autoindex_runs_1 (id=?)"]);
});
