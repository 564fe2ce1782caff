import { definedOnly, textOrJson } from "../../../base/index.ts";
import type { CallRecord, CallerType, RecordQuery, RecordStatus, RecordStore } from "../../../store/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatTime } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { withJournal } from "../../open/open-journal.ts";
import { periodIn } from "./parse-time-option.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { UsageError } from "../../program/usage-error.ts";
import { toWireRecord } from "../../../app/index.ts";

const callerTypes: readonly CallerType[] = [
  "direct",
  "workflow_node",
  "conversation_agent",
  "mcp_client",
  "api",
  "trigger",
  "library",
];

/** `windlass records`. */
export const showRecords: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const [id] = invocation.words;
    if (id !== undefined) return showRecord(invocation, id, store?.records);
    const query = queryOf(invocation);
    const { records, next } = (await store?.records.query(query)) ?? { records: [] };
    if (invocation.flag("json")) {
      const wire = { records: records.map(toWireRecord), ...(next !== undefined && { next }) };
      terminal.print(safeJson(wire));
      return;
    }
    if (records.length === 0)
      return terminal.log(store === undefined ? "No calls recorded yet." : "No matching calls.");
    for (const line of recordTable(records, invocation)) terminal.print(line);
    if (next === undefined) return;
    terminal.log(
      terminal.tint("dim", `For more: ${commandLine(invocation, "records", ...filters(invocation), "--cursor", next)}`),
    );
  });

/** Shows one record, with all of its values. */
async function showRecord(invocation: Invocation, id: string, records: RecordStore | undefined): Promise<void> {
  const query = id === "last" ? { limit: 1 } : { id, limit: 1 };
  const [record] = (await records?.query(query))?.records ?? [];
  if (record === undefined) {
    const list =
      records === undefined ? "no calls recorded yet" : `list calls with: ${commandLine(invocation, "records")}`;
    throw new UsageError(`there is no record ${JSON.stringify(id)}`, list);
  }
  if (invocation.flag("json")) invocation.terminal.print(safeJson(toWireRecord(record)));
  else printFields(invocation, toWireRecord(record));
}

/** Prints a value per field; further lines of a value are indented below it. */
function printFields({ terminal }: Invocation, wire: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(wire).map((key) => key.length));
  for (const [key, value] of Object.entries(wire)) {
    if (value === undefined) continue;
    const text = typeof value === "string" ? toOneLine(value) : safeJson(value);
    const [first = "", ...rest] = text.split("\n");
    terminal.print(`${terminal.paint("dim", key.padEnd(width))}  ${first}`);
    for (const line of rest) terminal.print(`${" ".repeat(width + 2)}${line}`);
  }
}

/** The same filters, for the command of the next page. */
function filters(invocation: Invocation): string[] {
  const names = ["tool", "conversation", "caller", "since", "until", "status", "code"];
  const texts = names.flatMap((name) => {
    const value = invocation.text(name);
    return value === undefined ? [] : [`--${name}`, shellWord(value)];
  });
  const limit = invocation.number("limit");
  return limit === undefined ? texts : [...texts, "--limit", String(limit)];
}

function queryOf(invocation: Invocation): RecordQuery {
  const caller = invocation.text("caller");
  const callerType = callerTypes.find((type) => type === caller);
  const { tool, conversation, status, code, cursor } = {
    tool: invocation.text("tool"),
    conversation: invocation.text("conversation"),
    // The command table restricts the values.
    status: invocation.text("status") as RecordStatus | undefined,
    code: invocation.text("code"),
    cursor: invocation.text("cursor"),
  };
  return {
    limit: invocation.number("limit") ?? 20,
    ...definedOnly({ tool, conversationId: conversation, callerType }),
    ...(caller !== undefined && callerType === undefined && { callerId: caller }),
    ...definedOnly({ status, code }),
    ...periodIn(invocation, Date.now()),
    ...(cursor !== undefined && { cursor }),
  };
}

function recordTable(records: readonly CallRecord[], { terminal }: Invocation): string[] {
  const rows = records.map((record) => [
    record.id,
    formatTime(record.createdAt),
    // A nested call, such as by a resolver that chose among several tools.
    record.parentId === undefined ? record.tool : `↳ ${record.tool}`,
    record.success ? (record.cached ? "ok (cached)" : "ok") : (record.error?.code ?? "failed"),
    formatDuration(record.durationMs),
    record.conversationId ?? record.callerId ?? record.callerType,
    shortValueText(record.success ? record.args : (record.error?.message ?? "")),
  ]);
  const columns: StyledColumn[] = [
    "ID",
    "TIME",
    { title: "TOOL", style: "bold" },
    { title: "RESULT", style: (_cell, row) => (records[row]?.success === true ? "green" : "red") },
    { title: "TOOK", align: "right" },
    { title: "CALLER", long: "cut" },
    { title: "ARGUMENTS OR ERROR", long: "cut" },
  ];
  return tableFor(terminal, columns, rows);
}

/** Beginning of a value, enough to recognize the call. */
function shortValueText(value: unknown): string {
  const text = textOrJson(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
