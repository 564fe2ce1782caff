import { toWireAuditEntry } from "../../../app/index.ts";
import { definedOnly } from "../../../base/index.ts";
import { withJournal } from "../../open/open-journal.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatTime } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { parseTimeOption } from "../records/parse-time-option.ts";

/** `windlass audit`. */
export const showAudit: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const since = parseTimeOption("--since", invocation.text("since"), Date.now());
    const [by, action] = [invocation.text("by"), invocation.text("action")];
    const limit = invocation.number("limit") ?? 20;
    const entries = (await store?.audit.list({ limit, ...definedOnly({ by, action, since }) })) ?? [];
    if (invocation.flag("json")) return terminal.print(safeJson(entries.map(toWireAuditEntry)));
    if (entries.length === 0) return terminal.log("No matching entries in the audit log.");
    const rows = entries.map((entry) => [
      formatTime(entry.at),
      toOneLine(entry.by),
      entry.action,
      entry.outcome,
      toOneLine(entry.target ?? ""),
      toOneLine(entry.detail ?? ""),
    ]);
    const columns: StyledColumn[] = [
      "TIME",
      { title: "BY", style: "bold" },
      "ACTION",
      { title: "OUTCOME", style: (_cell, row) => (entries[row]?.outcome === "done" ? "green" : "red") },
      "TARGET",
      { title: "DETAIL", long: "cut" },
    ];
    for (const line of tableFor(terminal, columns, rows)) terminal.print(line);
  });
