import type { DatabaseSync } from "node:sqlite";
import type { FailureError } from "../../../base/index.ts";
import { changeFeedStep } from "./change-feed-tables.ts";
import { renameStoredFields } from "./rename-stored-fields.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { databaseFailure } from "../database/store-failure.ts";

/** `WNDL`: marks the file as ours, so that another program's database is never migrated. */
export const applicationId = 0x574e444c;

/** SQL, or a function for what SQL cannot express. */
type MigrationStep = string | ((db: DatabaseSync) => void);

/**
 * The migration steps, oldest first; `user_version` counts the executed ones. A released step is never changed, only
 * followed by another.
 */
export const migrationSteps: readonly MigrationStep[] = [
  `CREATE TABLE records (
     number INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so that a page's position stays valid
     id TEXT NOT NULL,
     tool TEXT NOT NULL,
     version TEXT NOT NULL,
     source TEXT NOT NULL,
     category TEXT NOT NULL,
     args TEXT,
     success INTEGER NOT NULL,
     output TEXT,
     code TEXT,
     error TEXT,
     duration_ms REAL NOT NULL,
     queued_ms REAL NOT NULL,
     attempts INTEGER NOT NULL,
     cached INTEGER NOT NULL,
     caller_type TEXT NOT NULL,
     caller_id TEXT,
     principal TEXT,
     conversation_id TEXT,
     workflow_id TEXT,
     parent_id TEXT,
     reported TEXT,
     created_at REAL NOT NULL
   ) STRICT;
   CREATE INDEX records_time ON records (created_at);
   CREATE INDEX records_tool ON records (tool, created_at);
   CREATE INDEX records_caller_type ON records (caller_type, created_at);
   CREATE INDEX records_caller ON records (caller_id, created_at) WHERE caller_id IS NOT NULL;
   CREATE INDEX records_conversation ON records (conversation_id, created_at) WHERE conversation_id IS NOT NULL;
   CREATE INDEX records_failure ON records (created_at) WHERE success = 0;

   CREATE TABLE approvals (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     key TEXT NOT NULL,
     tool TEXT NOT NULL,
     args TEXT,
     message TEXT NOT NULL,
     caller_type TEXT NOT NULL,
     principal TEXT,
     expires_at REAL NOT NULL,
     status TEXT NOT NULL,
     created_at REAL NOT NULL,
     decided_at REAL,
     decided_by TEXT,
     note TEXT
   ) STRICT;
   CREATE INDEX approvals_key ON approvals (key);

   -- The last batch that each store committed: one that is sent again is not written again.
   CREATE TABLE writers (id TEXT PRIMARY KEY, batch INTEGER NOT NULL, at REAL NOT NULL) STRICT;`,

  `-- Large texts, each kept once.
   CREATE TABLE blobs (number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, data TEXT NOT NULL) STRICT;

   -- Processes that execute runs.
   CREATE TABLE owners (
     id TEXT PRIMARY KEY,
     pid INTEGER NOT NULL,
     process_start TEXT NOT NULL,
     boot_id TEXT NOT NULL,
     renewed_at REAL NOT NULL
   ) STRICT;

   CREATE TABLE runs (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     chain TEXT NOT NULL,
     definition INTEGER NOT NULL, -- a blob
     input TEXT NOT NULL,
     context TEXT NOT NULL,
     format INTEGER NOT NULL,
     fingerprints TEXT NOT NULL,
     started_at REAL NOT NULL,
     rerun_of TEXT,
     status TEXT NOT NULL, -- "pruned" while its events are being removed
     finished_at REAL,
     output TEXT,
     output_blob INTEGER, -- instead of output, where that is large
     error TEXT,
     cancel_requested INTEGER NOT NULL DEFAULT 0,
     cancel_by TEXT,
     owner TEXT, -- nobody executes it where absent
     epoch INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX runs_time ON runs (started_at);
   CREATE INDEX runs_chain ON runs (chain, started_at);
   CREATE INDEX runs_status ON runs (status, started_at);
   CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
   CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
   CREATE INDEX runs_cancelled ON runs (owner) WHERE cancel_requested = 1;
   CREATE INDEX runs_definition ON runs (definition);
   CREATE INDEX runs_output_blob ON runs (output_blob) WHERE output_blob IS NOT NULL;

   CREATE TABLE run_events (
     number INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     kind TEXT NOT NULL,
     key TEXT NOT NULL,
     at REAL NOT NULL,
     data TEXT,
     output_at TEXT, -- where in data the output of a call is, such as "result.output"
     blob INTEGER, -- the output, or all data where output_at is absent, when it is large
     record INTEGER -- of the call that settled
   ) STRICT;
   CREATE UNIQUE INDEX run_events_order ON run_events (run, seq);
   CREATE INDEX run_events_blob ON run_events (blob) WHERE blob IS NOT NULL;

   -- The event that holds the record's output, which is then not kept twice.
   ALTER TABLE records ADD COLUMN event INTEGER;

   ALTER TABLE approvals ADD COLUMN run_id TEXT;
   ALTER TABLE approvals ADD COLUMN step TEXT;
   ALTER TABLE approvals ADD COLUMN approvers TEXT;

   -- What the last batch was answered with, for a store that missed the answer.
   ALTER TABLE writers ADD COLUMN answers TEXT;`,

  `-- About a call that was running when its process ended, and what a person said that it gave, as JSON.
   ALTER TABLE approvals ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE approvals ADD COLUMN done TEXT;`,

  `-- What was added to conversations, in order. Goes with the last run of its conversation.
   CREATE TABLE turns (
     number INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: runs refer to it
     conversation TEXT NOT NULL,
     after INTEGER NOT NULL, -- the last turn that whoever made it knew of; 0 for none
     run_id TEXT,
     at REAL NOT NULL,
     data TEXT NOT NULL
   ) STRICT;
   CREATE INDEX turns_conversation ON turns (conversation, number);

   -- The conversation that a run is a question of, and the last turn of it that the run knows of.
   ALTER TABLE runs ADD COLUMN conversation TEXT;
   ALTER TABLE runs ADD COLUMN after_turn INTEGER;
   CREATE INDEX runs_conversation ON runs (conversation, started_at) WHERE conversation IS NOT NULL;
   -- Runs so far keep all that was said before them; those of agents that were called as tools are questions of none.
   UPDATE runs SET conversation = json_extract(context, '$.conversationId'), after_turn = 0
   WHERE chain GLOB 'agent:*' AND id NOT GLOB 'sub-*' AND json_valid(context);`,

  renameStoredFields,

  `-- Metrics of a finished run, as JSON.
   ALTER TABLE runs ADD COLUMN metrics TEXT;`,

  `-- The kind of a run was a prefix of its name; the run that called it was a part of its context.
   ALTER TABLE runs RENAME COLUMN chain TO name;
   ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'chain';
   ALTER TABLE runs ADD COLUMN called_by TEXT;
   -- What a suspended run waits for, as JSON, and whether it has happened.
   ALTER TABLE runs ADD COLUMN waits_for TEXT;
   ALTER TABLE runs ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;
   -- Nothing says what earlier runs wait for: the first worker executes each of them once.
   UPDATE runs SET ready = 1 WHERE status = 'waiting';
   UPDATE runs SET called_by = json_extract(context, '$.calledBy') WHERE name GLOB 'agent:*' AND json_valid(context);
   UPDATE runs SET kind = 'agent', name = substr(name, 7) WHERE name GLOB 'agent:*';
   DROP INDEX runs_chain;
   CREATE INDEX runs_name ON runs (kind, name, started_at);
   CREATE INDEX runs_called_by ON runs (called_by) WHERE called_by IS NOT NULL;`,

  `-- Lease holders in a row that died while they executed the run, without a new outcome.
   ALTER TABLE runs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
   -- The runs that a worker can claim, without those that have ended.
   CREATE INDEX runs_free ON runs (number) WHERE lease_holder IS NULL AND (status = 'running' OR ready = 1);
   CREATE INDEX runs_until ON runs (json_extract(waits_for, '$.until')) WHERE waits_for IS NOT NULL;`,

  `-- Tokens of the HTTP API, without their secrets.
   CREATE TABLE api_tokens (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     hash TEXT NOT NULL,
     name TEXT NOT NULL,
     scopes TEXT NOT NULL, -- JSON
     run_id TEXT,
     created_at REAL NOT NULL,
     expires_at REAL,
     revoked_at REAL,
     last_used_at REAL
   ) STRICT;`,

  `-- Requests with an idempotency key; the response is absent until their work has ended.
   CREATE TABLE idempotency_keys (
     id TEXT PRIMARY KEY,
     fingerprint TEXT NOT NULL,
     work_id TEXT NOT NULL,
     created_at REAL NOT NULL,
     expires_at REAL NOT NULL,
     started INTEGER NOT NULL DEFAULT 0,
     status INTEGER,
     headers TEXT, -- JSON
     body TEXT
   ) STRICT;
   CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

   CREATE TABLE audit_log (
     number INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so that a page's position stays valid
     at REAL NOT NULL,
     principal TEXT NOT NULL,
     action TEXT NOT NULL,
     target TEXT,
     outcome TEXT NOT NULL,
     detail TEXT,
     request_id TEXT
   ) STRICT;
   CREATE INDEX audit_log_time ON audit_log (at);`,

  changeFeedStep,

  `-- Events that were delivered to runs, consumed or not. Removed with their run.
   CREATE TABLE external_events (
     number INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: outcomes of runs refer to it
     run INTEGER NOT NULL,
     id TEXT NOT NULL,
     name TEXT NOT NULL,
     at REAL NOT NULL,
     data TEXT NOT NULL -- JSON
   ) STRICT;
   CREATE UNIQUE INDEX external_events_id ON external_events (run, name, id);`,

  `-- Triggers: their state, their firings, and the files that tools wrote.
   CREATE TABLE triggers (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     digest TEXT NOT NULL,
     registered_at REAL NOT NULL,
     cursor REAL NOT NULL,
     paused_at REAL,
     approved_digest TEXT,
     approved_write INTEGER,
     last_at REAL,
     last_run TEXT
   ) STRICT;

   CREATE TABLE firings (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     trigger_id TEXT NOT NULL,
     key TEXT NOT NULL,
     run_id TEXT NOT NULL,
     at REAL NOT NULL,
     status TEXT NOT NULL,
     input TEXT, -- JSON, until its run was started
     tainted INTEGER NOT NULL,
     principal TEXT,
     reason TEXT,
     is_lasting INTEGER NOT NULL,
     UNIQUE (trigger_id, key)
   ) STRICT;
   CREATE INDEX firings_open ON firings (trigger_id, status) WHERE status IN ('waiting', 'starting', 'started');

   CREATE TABLE tool_writes (file TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;`,

  `-- Messages that leave the workspace: ends of runs, and waiting approvals.
   CREATE TABLE deliveries (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     channel TEXT NOT NULL,
     subject TEXT NOT NULL,
     created_at REAL NOT NULL,
     status TEXT NOT NULL,
     attempts INTEGER NOT NULL,
     next_at REAL NOT NULL,
     error TEXT,
     UNIQUE (channel, subject)
   ) STRICT;
   CREATE INDEX deliveries_due ON deliveries (next_at) WHERE status = 'pending';`,
];

/** The version this Windlass writes. */
export const latestVersion: number = migrationSteps.length;

/** The header fields that identify the application and version of a database. */
export interface DatabaseMark {
  readonly applicationId: number;
  readonly version: number;
}

/** Rejects a database of another program or of a newer Windlass. */
export function checkMark(mark: DatabaseMark, file: string, latest: number = latestVersion): void {
  // Without any mark it is new, or another process is about to mark it.
  if (mark.applicationId === 0 && mark.version === 0) return;
  if (mark.applicationId !== applicationId) throw foreign(file);
  if (mark.version > latest) {
    throw databaseFailure(
      `${file} was written by a newer Windlass (database version ${mark.version}, this one knows ${latest}). ` +
        "Upgrade Windlass, or move the file away to start with an empty database",
      { code: "store_newer", reason: "newer_version" },
    );
  }
}

/** Reads the mark through SQLite. */
export function readMark(db: DatabaseSync): DatabaseMark {
  return { applicationId: pragma(db, "application_id"), version: pragma(db, "user_version") };
}

/** Reads a numeric pragma. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** True if the tables are those of an earlier version, or do not exist yet. */
export function isOutdated(db: DatabaseSync): boolean {
  return readMark(db).version < latestVersion;
}

/** Migrates the database in one transaction; only one of two concurrent processes does it. */
export function migrate(db: DatabaseSync, file: string, todo: readonly MigrationStep[] = migrationSteps): void {
  if (readMark(db).version === todo.length) return;
  inTransaction(db, () => {
    const mark = readMark(db);
    checkMark(mark, file, todo.length);
    if (mark.version === 0 && hasTables(db)) throw foreign(file);
    for (const step of todo.slice(mark.version)) {
      if (typeof step === "string") db.exec(step);
      else step(db);
    }
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${todo.length}`);
  });
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function foreign(file: string): FailureError {
  const message = `${file} is the database of another program. Move it away to start with an empty one`;
  return databaseFailure(message, { reason: "foreign_database" });
}
