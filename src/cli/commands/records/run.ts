import type { CallRecord, CallerType, RecordQuery, RecordStatus } from "../../store/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatDuration, formatTime } from "../format-figures.ts";
import { formatTable } from "../format-table.ts";
import { type Invocation, commandLine, shellWord } from "../invocation.ts";
import { withJournal } from "../open-journal.ts";
import { parseWhen } from "../parse-when.ts";
import { safeJson } from "../safe-json.ts";
import { toWireRecord } from "../wire-record.ts";

const callerTypes: readonly CallerType[] = ["direct", "workflow_node", "conversation_agent", "mcp_client"];

/** `windlass records`. */
export const showRecords: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const query = queryOf(invocation);
    const { records, next } = (await store?.records.query(query)) ?? { records: [] };
    if (invocation.flag("json")) {
      const wire = { records: records.map(toWireRecord), ...(next !== undefined && { next }) };
      terminal.print(safeJson(wire));
      return;
    }
    if (records.length === 0) {
      terminal.tell(store === undefined ? "No calls were recorded here yet." : "No recorded call matches.");
      return;
    }
    for (const line of recordTable(records, invocation)) terminal.print(line);
    if (next === undefined) return;
    terminal.tell(
      terminal.tint(
        "dim",
        `There are more: ${commandLine(invocation, "records", ...filters(invocation), "--cursor", next)}`,
      ),
    );
  });

/** The same filters again, for the command line of the next page. */
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
  const now = Date.now();
  const since = parseWhen("--since", invocation.text("since"), now);
  const until = parseWhen("--until", invocation.text("until"), now);
  const caller = invocation.text("caller");
  const callerType = callerTypes.find((type) => type === caller);
  const { tool, conversation, status, code, cursor } = {
    tool: invocation.text("tool"),
    conversation: invocation.text("conversation"),
    // The table of commands allows nothing else.
    status: invocation.text("status") as RecordStatus | undefined,
    code: invocation.text("code"),
    cursor: invocation.text("cursor"),
  };
  return {
    limit: invocation.number("limit") ?? 20,
    ...(tool !== undefined && { tool }),
    ...(conversation !== undefined && { conversationId: conversation }),
    ...(callerType !== undefined && { callerType }),
    ...(caller !== undefined && callerType === undefined && { callerId: caller }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(cursor !== undefined && { cursor }),
  };
}

function recordTable(records: readonly CallRecord[], { terminal }: Invocation): string[] {
  const rows = records.map((record) => [
    formatTime(record.createdAt),
    // Made within another call, such as by what chose among several tools.
    record.parentId === undefined ? record.tool : `↳ ${record.tool}`,
    record.success ? (record.cached ? "ok (cached)" : "ok") : (record.error?.code ?? "failed"),
    formatDuration(record.durationMs),
    record.conversationId ?? record.callerId ?? record.callerType,
    shown(record.success ? record.args : (record.error?.message ?? "")),
  ]);
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "TIME" },
      { title: "TOOL", paint: (cell) => terminal.paint("bold", cell) },
      { title: "RESULT", paint: (cell, row) => terminal.paint(records[row]?.success === true ? "green" : "red", cell) },
      { title: "TOOK", align: "right" },
      { title: "CALLER", long: "cut" },
      { title: "ARGUMENTS OR ERROR", long: "cut" },
    ],
  });
}

/** A piece of a value, enough to recognise the call. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
