import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { isRecord } from "../../../schema/index.ts";

type JsonObject = Record<string, unknown>;

/** Names of stored fields up to version 4 of the database, and their names since. */
const outcomeFields = { asks: "pendingApproval", asksKey: "approvalKey" };
const waitingFields = { left: "remaining" };
const turnFields = { instead: "failedModels" };
const toolCallFields = { means: "resolution" };
const metaFields = { passedOver: "skipped", passedOverCount: "skippedCount" };
const contextFields = { alone: "withoutModel" };
const specFields = { trusted: "trustedTools", viewChars: "resultChars", toolTokens: "toolDefinitionTokens" };
const inputFields = { fromOutside: "untrusted" };
const conversationFields = { given: "fromCaller" };

/** Migration step: renames tables, columns and the fields of stored JSON, so that runs of earlier versions resume. */
export function renameStoredFields(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE owners RENAME TO lease_holders;
    ALTER TABLE runs RENAME COLUMN owner TO lease_holder;
    DROP INDEX runs_owner;
    CREATE INDEX runs_lease_holder ON runs (lease_holder) WHERE lease_holder IS NOT NULL;
    UPDATE runs SET format = 2 WHERE format = 1;`);
  renameEventFields(db);
  renameSpecs(db);
  renameColumn(db, { table: "runs", column: "context", fields: contextFields });
  renameColumn(db, { table: "runs", column: "input", fields: inputFields });
  renameColumn(db, { table: "turns", column: "data", fields: conversationFields });
}

function renameColumn(
  db: DatabaseSync,
  { table, column, fields }: { readonly table: string; readonly column: string; readonly fields: object },
): void {
  // Chains have inputs and contexts of any shape; only those of agents are ours.
  const ofAgents = table === "runs" ? " AND chain GLOB 'agent:*'" : "";
  const rows = db.prepare(
    `SELECT number, ${column} AS text FROM ${table} WHERE ${mentions(column, fields)}${ofAgents}`,
  );
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE number = ?`);
  for (const { number, text } of rows.all()) {
    const value: unknown = JSON.parse(String(text));
    if (isRecord(value) && renameKeys(value, fields)) update.run(JSON.stringify(value), Number(number));
  }
}

/** The specification of an agent is the definition of its runs. */
function renameSpecs(db: DatabaseSync): void {
  const rows = db.prepare(
    "SELECT number, data FROM blobs WHERE number IN (SELECT definition FROM runs WHERE chain GLOB 'agent:*')",
  );
  for (const { number, data } of rows.all()) {
    const definition: unknown = JSON.parse(String(data));
    const spec = isRecord(definition) ? definition["agent"] : undefined;
    if (isRecord(spec) && renameKeys(spec, specFields)) updateBlob(db, Number(number), definition);
  }
}

function updateBlob(db: DatabaseSync, number: number, value: unknown): void {
  const text = JSON.stringify(value);
  const hash = createHash("sha256").update(text).digest("base64url");
  db.prepare("UPDATE blobs SET data = ?, hash = ? WHERE number = ?").run(text, hash, number);
}

function renameEventFields(db: DatabaseSync): void {
  const fields = { ...outcomeFields, ...waitingFields, ...turnFields, ...toolCallFields, ...metaFields };
  const rows = db.prepare(
    `SELECT run_events.number, kind, run_events.data, output_at, blob, blobs.data AS large, chain GLOB 'agent:*' AS of_agent
     FROM run_events JOIN runs ON runs.number = run LEFT JOIN blobs ON blobs.number = blob
     WHERE kind <> 'started' AND (${mentions("run_events.data", fields)} OR blob IS NOT NULL)`,
  );
  const updateEvent = db.prepare("UPDATE run_events SET data = ? WHERE number = ?");
  for (const row of rows.all()) {
    const ofAgent = row["of_agent"] === 1;
    const data: unknown = row["data"] === null ? undefined : JSON.parse(String(row["data"]));
    const large: unknown = row["large"] === null ? undefined : JSON.parse(String(row["large"]));
    // A large output is stored apart; without its path all of the data is.
    const isWhole = row["output_at"] === null;
    const changedData = data !== undefined && renameEvent(data, String(row["kind"]), ofAgent);
    const changedLarge =
      large !== undefined &&
      (isWhole ? renameEvent(large, String(row["kind"]), ofAgent) : ofAgent && renameTurn(large));
    if (changedData) updateEvent.run(JSON.stringify(data), Number(row["number"]));
    if (changedLarge) updateBlob(db, Number(row["blob"]), large);
  }
}

function renameEvent(data: unknown, kind: string, ofAgent: boolean): boolean {
  if (!isRecord(data)) return false;
  if (kind === "waiting") return renameKeys(data, waitingFields);
  const { result } = data;
  const meta = isRecord(result) ? result["meta"] : undefined;
  let changed = renameKeys(data, outcomeFields);
  if (isRecord(meta)) changed = renameKeys(meta, metaFields) || changed;
  const isTurn = ofAgent && isRecord(result) && result["tool"] === "model:turn";
  return (isTurn && renameTurn(result["output"])) || changed;
}

/** A model's response, as an agent's run stores it. */
function renameTurn(turn: unknown): boolean {
  if (!isRecord(turn) || !Array.isArray(turn["content"]) || typeof turn["finishReason"] !== "string") return false;
  let changed = renameKeys(turn, turnFields);
  for (const part of turn["content"]) if (isRecord(part)) changed = renameKeys(part, toolCallFields) || changed;
  return changed;
}

/** Renames keys in place; false if the object has none of them. */
function renameKeys(value: JsonObject, fields: object): boolean {
  let changed = false;
  for (const [old, name] of Object.entries(fields)) {
    if (!Object.hasOwn(value, old)) continue;
    value[String(name)] = value[old];
    delete value[old];
    changed = true;
  }
  return changed;
}

/** A condition that is cheap to check and holds for every text with one of these keys. */
function mentions(column: string, fields: object): string {
  const keys = Object.keys(fields).map((key) => `${column} GLOB '*"${key}"*'`);
  return `(${keys.join(" OR ")})`;
}
