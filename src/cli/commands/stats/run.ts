import type { Statistics, ToolStatistics, FinishedRunQuery } from "../../../store/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatCount, formatNumber } from "../../terminal/format-figures.ts";
import { formatDuration, hasErrors } from "../../../text/index.ts";
import { type StyledColumn, tableFor } from "../../terminal/format-table.ts";
import type { Invocation } from "../../program/invocation.ts";
import { withJournal } from "../../open/open-journal.ts";
import { periodIn } from "../records/parse-time-option.ts";
import { UsageError } from "../../program/usage-error.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { toWireStatistics, toWireChainStatistics, WorkspaceError, readSettings } from "../../../app/index.ts";
import type { SqliteStore } from "../../../adapters/index.ts";
import {
  type ChainStatistics,
  type ChainTargets,
  type ComparedMetric,
  summarizeChainRuns,
} from "../../../chain/index.ts";

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
    const tool = invocation.text("tool");
    const period = periodIn(invocation, Date.now());
    if (invocation.flag("chains")) {
      if (tool !== undefined) throw new UsageError("--tool and --chains exclude each other", "leave out one of them");
      await showChainStatistics(dir, store, period, invocation);
      return;
    }
    const which = { ...period, ...(tool !== undefined && { tool }) };
    const statistics = (await store?.records.statistics(which)) ?? none;
    if (invocation.flag("json")) return terminal.print(safeJson(toWireStatistics(statistics)));
    if (statistics.totalCalls === 0)
      return terminal.log(store === undefined ? "No calls recorded yet." : "No matching calls.");
    for (const line of toolTable(statistics.tools, invocation)) terminal.print(line);
    terminal.print("");
    terminal.print(summaryOf(statistics));
  });

const right = (title: string) => ({ title, align: "right" as const });

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
  const columns: StyledColumn[] = [
    { title: "TOOL", long: "cut", style: "bold" },
    right("CALLS"),
    { ...right("SUCCESS"), style: (_cell, row) => ((tools[row]?.failures ?? 0) > 0 ? "yellow" : undefined) },
    ...["AVERAGE", "P50", "P95", "P99"].map(right),
  ];
  return tableFor(terminal, columns, rows);
}

function summaryOf({ totalCalls, successRate, failures }: Statistics): string {
  const head = `${formatCount(totalCalls, "call")}, ${formatRate(successRate)} successful`;
  const codes = Object.entries(failures).sort(([, a], [, b]) => b - a);
  return codes.length === 0
    ? head
    : `${head}; failures: ${codes.map(([code, count]) => `${code} ${count}`).join(", ")}`;
}

/** `windlass stats --chains`. */
async function showChainStatistics(
  dir: string,
  store: Pick<SqliteStore, "finishedRuns"> | undefined,
  period: FinishedRunQuery,
  invocation: Invocation,
): Promise<void> {
  const { terminal } = invocation;
  const settings = await readSettings(dir);
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const { targets } = settings.config.chains;
  const statistics = summarizeChainRuns((await store?.finishedRuns(period)) ?? [], targets);
  if (invocation.flag("json")) return terminal.print(safeJson(toWireChainStatistics(statistics)));
  if (statistics.chains.length === 0) return terminal.log(store === undefined ? "No runs yet." : "No matching runs.");
  const { chains, all } = statistics;
  const rows = [...chains, ...(chains.length > 1 ? [{ chain: "all chains", ...all }] : [])];
  for (const line of chainTable(rows, targets, invocation)) terminal.print(line);
  terminal.print("");
  terminal.print("✓ meets the target, ✗ misses it, - no data");
}

type ChainRow = ChainStatistics & { readonly chain: string };

function chainTable(chains: readonly ChainRow[], targets: ChainTargets, { terminal }: Invocation): string[] {
  const goal = [
    `< ${formatDuration(targets.durationMs)}`,
    `> ${formatFactor(targets.parallelSpeedup)}`,
    `> ${formatShare(targets.recoveryRate)}`,
    `> ${formatShare(targets.cpuUtilisation)}`,
    `> ${formatShare(targets.memoryUtilisation)}`,
  ];
  const compared = (title: string): StyledColumn => ({
    ...right(title),
    style: (cell) => (cell.endsWith("✗") ? "yellow" : undefined),
  });
  const columns: StyledColumn[] = [
    { title: "CHAIN", long: "cut", style: "bold" },
    ...["RUNS", "SUCCESS", "P50"].map(right),
    ...["P95", "SPEED-UP", "RECOVERED", "CPU", "MEMORY"].map(compared),
  ];
  return tableFor(terminal, columns, [...chains.map(rowOf), ["target", "", "", "", ...goal]]);
}

function rowOf({ chain, runs, successRate, p50Ms, metrics }: ChainRow): string[] {
  return [
    chain,
    formatNumber(runs),
    successRate === undefined ? "-" : formatRate(successRate),
    p50Ms === undefined ? "-" : formatDuration(p50Ms),
    formatCompared(metrics.durationP95Ms, formatDuration),
    formatCompared(metrics.parallelSpeedup, formatFactor),
    formatCompared(metrics.recoveryRate, formatShare),
    formatCompared(metrics.cpuUtilisation, formatShare),
    formatCompared(metrics.memoryUtilisation, formatShare),
  ];
}

function formatCompared({ value, result }: ComparedMetric, format: (value: number) => string): string {
  return value === undefined ? "-" : `${format(value)} ${result === "met" ? "✓" : "✗"}`;
}

function formatFactor(factor: number): string {
  return `${Number(factor.toFixed(2))}×`;
}

function formatShare(share: number): string {
  // Without the error of the multiplication: 0.57 * 100 is 56.99…
  return formatRate(Number((share * 100).toFixed(6)));
}

/** A percentage. Rounded down: 99.96 % must not appear as 100 %. */
function formatRate(rate: number): string {
  return `${(Math.floor(rate * 10) / 10).toFixed(1).replace(/\.0$/, "")} %`;
}
