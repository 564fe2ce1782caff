import type { Statistics, ToolStatistics } from "../../../store/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatCount, formatNumber } from "../../terminal/format-figures.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatTable } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { withJournal } from "../../open/open-journal.ts";
import { parseTimeOption } from "../records/parse-time-option.ts";
import { UsageError } from "../../program/usage-error.ts";
import { formatRate } from "./format-rate.ts";
import { showChainStatistics } from "./show-chain-statistics.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { toWireStatistics } from "../../wire/wire-record.ts";

const none: Statistics = {
  totalCalls: 0,
  successfulCalls: 0,
  failedCalls: 0,
  successRate: 100,
  failures: {},
  tools: [],
};

/** `windlass stats`. */
export const showStatistics: RunCommand = (invocation) =>
  withJournal(async ({ dir, store }) => {
    const { terminal } = invocation;
    const now = Date.now();
    const since = parseTimeOption("--since", invocation.text("since"), now);
    const until = parseTimeOption("--until", invocation.text("until"), now);
    const tool = invocation.text("tool");
    const period = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
    if (invocation.flag("chains")) {
      if (tool !== undefined) throw new UsageError("--tool and --chains exclude each other", "leave out one of them");
      await showChainStatistics({ dir, store, period, invocation });
      return;
    }
    const which = { ...period, ...(tool !== undefined && { tool }) };
    const statistics = (await store?.records.statistics(which)) ?? none;
    if (invocation.flag("json")) {
      terminal.print(safeJson(toWireStatistics(statistics)));
      return;
    }
    if (statistics.totalCalls === 0) {
      terminal.log(store === undefined ? "No calls recorded yet." : "No matching calls.");
      return;
    }
    for (const line of toolTable(statistics.tools, invocation)) terminal.print(line);
    terminal.print("");
    terminal.print(summaryOf(statistics));
  });

function toolTable(tools: readonly ToolStatistics[], { terminal }: Invocation): string[] {
  const rows = tools.map((tool) => [
    tool.tool,
    formatNumber(tool.calls),
    formatRate(tool.successRate),
    formatDuration(tool.averageMs),
    formatDuration(tool.p50Ms),
    formatDuration(tool.p95Ms),
    formatDuration(tool.p99Ms),
  ]);
  const right = (title: string) => ({ title, align: "right" as const });
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "TOOL", long: "cut", paint: (cell) => terminal.paint("bold", cell) },
      right("CALLS"),
      {
        ...right("SUCCESS"),
        paint: (cell, row) => ((tools[row]?.failures ?? 0) > 0 ? terminal.paint("yellow", cell) : cell),
      },
      right("AVERAGE"),
      right("P50"),
      right("P95"),
      right("P99"),
    ],
  });
}

function summaryOf({ totalCalls, successRate, failures }: Statistics): string {
  const head = `${formatCount(totalCalls, "call")}, ${formatRate(successRate)} successful`;
  const codes = Object.entries(failures).sort(([, a], [, b]) => b - a);
  return codes.length === 0
    ? head
    : `${head}; failures: ${codes.map(([code, count]) => `${code} ${count}`).join(", ")}`;
}
