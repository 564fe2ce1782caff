import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type {
  BeginCondition,
  Firing,
  FiringChange,
  FiringStatus,
  NewFiring,
  TriggerAdvance,
  TriggerState,
} from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";

interface FiringId {
  readonly id: string;
  readonly key: string;
}

type PauseChange = { readonly pausedAt: number } | { readonly resumedAt: number };

/** Operations on triggers and their firings. */
export interface TriggerOps {
  readonly registerTriggers: (body: {
    readonly triggers: readonly Pick<TriggerState, "id" | "digest">[];
    readonly at: number;
  }) => void;
  readonly listTriggers: (body: null) => readonly TriggerState[];
  readonly pauseTrigger: (body: { readonly id: string } & PauseChange) => void;
  readonly approveTrigger: (body: {
    readonly id: string;
    readonly approved: NonNullable<TriggerState["approved"]>;
    readonly at: number;
  }) => void;
  readonly advanceTrigger: (body: { readonly id: string } & TriggerAdvance) => boolean;
  readonly addFiring: (body: {
    readonly id: string;
    readonly firing: NewFiring;
    readonly maxWaiting: number;
  }) => "added" | "known" | "full";
  readonly getFiring: (body: FiringId) => Firing | undefined;
  readonly knownFirings: (body: { readonly id: string; readonly keys: readonly string[] }) => readonly string[];
  readonly openFirings: (body: { readonly id: string | null }) => readonly Firing[];
  readonly beginFiring: (body: FiringId & { readonly when: BeginCondition }) => boolean;
  readonly settleFiring: (body: FiringId & FiringChange) => boolean;
  readonly toolWrites: (body: { readonly file: string }) => void;
  readonly writtenFiles: (body: null) => readonly (readonly [file: string, number: number])[];
}

/** The operations that only read. */
export type TriggerReadOps = Pick<
  TriggerOps,
  "listTriggers" | "getFiring" | "knownFirings" | "openFirings" | "writtenFiles"
>;

/** Runs a statement; true if it changed a row. */
type Change = (sql: string, ...values: (string | number | null)[]) => boolean;

/** The triggers in the database. Each change is one transaction, so that servers that share the file agree. */
export function createTriggerOps(db: () => DatabaseSync): TriggerOps {
  const changed: Change = (sql, ...values) =>
    Number(
      db()
        .prepare(sql)
        .run(...values).changes,
    ) > 0;
  return { ...createTriggerReadOps(db), ...createStateOps(db, changed), ...createFiringOps(db, changed) };
}

type StateOps = Pick<TriggerOps, "registerTriggers" | "pauseTrigger" | "approveTrigger" | "toolWrites">;

function createStateOps(db: () => DatabaseSync, changed: Change): StateOps {
  return {
    registerTriggers: ({ triggers, at }) =>
      inTransaction(db(), () => {
        for (const { id, digest } of triggers)
          changed(
            `INSERT INTO triggers (id, digest, registered_at, cursor) VALUES (?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, cursor = excluded.cursor
             WHERE digest <> excluded.digest`,
            id,
            digest,
            at,
            at,
          );
      }),
    pauseTrigger({ id, ...change }) {
      if ("pausedAt" in change)
        changed("UPDATE triggers SET paused_at = coalesce(paused_at, ?) WHERE id = ?", change.pausedAt, id);
      else
        changed(
          "UPDATE triggers SET paused_at = NULL, cursor = ? WHERE id = ? AND paused_at IS NOT NULL",
          change.resumedAt,
          id,
        );
    },
    approveTrigger({ id, approved: { digest, write }, at }) {
      const sql = "UPDATE triggers SET approved_digest = ?, approved_write = ?, cursor = ? WHERE id = ?";
      changed(sql, digest, write, at, id);
    },
    toolWrites({ file }) {
      changed(
        `INSERT INTO tool_writes (file, number) VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM tool_writes))
         ON CONFLICT (file) DO UPDATE SET number = excluded.number`,
        file,
      );
    },
  };
}

type FiringOps = Pick<TriggerOps, "advanceTrigger" | "addFiring" | "beginFiring" | "settleFiring">;

function createFiringOps(db: () => DatabaseSync, changed: Change): FiringOps {
  return {
    advanceTrigger: ({ id, from, to, firings }) =>
      inTransaction(db(), () => {
        if (!changed("UPDATE triggers SET cursor = ? WHERE id = ? AND cursor = ?", to, id, from)) return false;
        for (const firing of firings) insertFiring(db(), id, firing);
        return true;
      }),
    addFiring: ({ id, firing, maxWaiting }) =>
      inTransaction(db(), () => {
        const known = db().prepare("SELECT 1 FROM firings WHERE trigger_id = ? AND key = ?").get(id, firing.key);
        if (known !== undefined) return "known";
        const waiting = db()
          .prepare("SELECT count(*) AS n FROM firings WHERE trigger_id = ? AND status = 'waiting'")
          .get(id);
        if (Number(waiting?.["n"]) >= maxWaiting) return "full";
        insertFiring(db(), id, firing);
        return "added";
      }),
    beginFiring: ({ id, key, when }) =>
      changed(
        `UPDATE firings SET status = 'starting' WHERE trigger_id = ? AND key = ? AND status = 'waiting'
         AND (? = 'always' OR NOT EXISTS (
           SELECT 1 FROM firings WHERE trigger_id = ? AND status IN ('starting', 'started')))`,
        id,
        key,
        when,
        id,
      ),
    settleFiring: ({ id, key, from, to, reason = null }) =>
      inTransaction(db(), () => {
        const isDone = changed(
          `UPDATE firings SET status = ?, reason = coalesce(?, reason),
             input = CASE WHEN ? IN ('waiting', 'starting') THEN input END
           WHERE trigger_id = ? AND key = ? AND status = ?`,
          to,
          reason,
          to,
          id,
          key,
          from,
        );
        if (isDone && to === "started") noteStart(db(), id, key);
        return isDone;
      }),
  };
}

/** The operations that only read, for a database that is opened for reading. */
export function createTriggerReadOps(db: () => DatabaseSync): TriggerReadOps {
  return {
    listTriggers: () => db().prepare("SELECT * FROM triggers ORDER BY number").all().map(stateOf),
    getFiring({ id, key }) {
      const row = db().prepare("SELECT * FROM firings WHERE trigger_id = ? AND key = ?").get(id, key);
      return row && firingOf(row);
    },
    knownFirings({ id, keys }) {
      const sql = "SELECT key FROM firings WHERE trigger_id = ? AND key IN (SELECT value FROM json_each(?))";
      return db()
        .prepare(sql)
        .all(id, JSON.stringify(keys))
        .map(({ key }) => String(key));
    },
    openFirings: ({ id }) =>
      db()
        .prepare(
          `SELECT * FROM firings WHERE status IN ('waiting', 'starting', 'started')
           AND (? IS NULL OR trigger_id = ?) ORDER BY number`,
        )
        .all(id, id)
        .map(firingOf),
    writtenFiles: () =>
      db()
        .prepare("SELECT file, number FROM tool_writes")
        .all()
        .map((row) => [String(row["file"]), Number(row["number"])] as const),
  };
}

/** Removes firings before this time that start nothing any more. */
export function removeFiringsBefore(db: DatabaseSync, time: number): void {
  // Those of files say which files are new.
  db.prepare("DELETE FROM firings WHERE at < ? AND status IN ('ended', 'skipped', 'failed') AND NOT is_lasting").run(
    time,
  );
}

function insertFiring(db: DatabaseSync, id: string, firing: NewFiring): void {
  const { key, runId, at, status, input = null, tainted, principal = null, reason = null, isLasting = false } = firing;
  db.prepare(
    `INSERT INTO firings (trigger_id, key, run_id, at, status, input, tainted, principal, reason, is_lasting)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  ).run(id, key, runId, at, status, input, Number(tainted), principal, reason, Number(isLasting));
}

function noteStart(db: DatabaseSync, id: string, key: string): void {
  db.prepare(
    `UPDATE triggers SET last_at = at, last_run = run_id FROM firings
     WHERE triggers.id = ? AND trigger_id = ? AND key = ? AND at >= coalesce(last_at, 0)`,
  ).run(id, id, key);
}

function stateOf(row: Record<string, SQLOutputValue>): TriggerState {
  const { paused_at: pausedAt, approved_digest: digest, last_at: lastAt, last_run: runId } = row;
  return {
    id: String(row["id"]),
    digest: String(row["digest"]),
    registeredAt: Number(row["registered_at"]),
    cursor: Number(row["cursor"]),
    ...(typeof pausedAt === "number" && { pausedAt }),
    ...(typeof digest === "string" && { approved: { digest, write: Number(row["approved_write"]) } }),
    ...(typeof runId === "string" && { last: { at: Number(lastAt), runId } }),
  };
}

function firingOf(row: Record<string, SQLOutputValue>): Firing {
  const { input, principal, reason } = row;
  return {
    triggerId: String(row["trigger_id"]),
    key: String(row["key"]),
    runId: String(row["run_id"]),
    at: Number(row["at"]),
    // Written by `insertFiring` and `settleFiring`.
    status: String(row["status"]) as FiringStatus,
    tainted: row["tainted"] === 1,
    ...(typeof input === "string" && { input }),
    ...(typeof principal === "string" && { principal }),
    ...(typeof reason === "string" && { reason }),
    ...(row["is_lasting"] === 1 && { isLasting: true }),
  };
}
