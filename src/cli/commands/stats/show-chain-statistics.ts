import type { SqliteStore } from "../../../adapters/index.ts";
import { WorkspaceError, readSettings } from "../../../app/index.ts";
import {
  type ChainStatistics,
  type ChainTargets,
  type ComparedMetric,
  summarizeChainRuns,
} from "../../../chain/index.ts";
import type { FinishedRunQuery } from "../../../store/index.ts";
import { formatDuration, hasErrors } from "../../../text/index.ts";
import type { Invocation } from "../../program/invocation.ts";
import { formatNumber } from "../../terminal/format-figures.ts";
import { formatTable } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { toWireChainStatistics } from "../../wire/wire-record.ts";
import { formatRate } from "./format-rate.ts";

/** Input of {@link showChainStatistics}. */
export interface ShowChainStatisticsOptions {
  /** The folder of the workspace. */
  readonly dir: string;
  readonly store: Pick<SqliteStore, "finishedRuns"> | undefined;
  readonly period: FinishedRunQuery;
  readonly invocation: Invocation;
}

/** `windlass stats --chains`. */
export async function showChainStatistics(options: ShowChainStatisticsOptions): Promise<void> {
  const { dir, store, period, invocation } = options;
  const { terminal } = invocation;
  const settings = await readSettings(dir);
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const { targets } = settings.config.chains;
  const statistics = summarizeChainRuns((await store?.finishedRuns(period)) ?? [], targets);
  if (invocation.flag("json")) {
    terminal.print(safeJson(toWireChainStatistics(statistics)));
    return;
  }
  if (statistics.chains.length === 0) {
    terminal.log(store === undefined ? "No runs yet." : "No matching runs.");
    return;
  }
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
  const right = (title: string) => ({ title, align: "right" as const });
  const compared = (title: string) => ({
    ...right(title),
    paint: (cell: string) => (cell.endsWith("✗") ? terminal.paint("yellow", cell) : cell),
  });
  return formatTable([...chains.map(rowOf), ["target", "", "", "", ...goal]], {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "CHAIN", long: "cut", paint: (cell) => terminal.paint("bold", cell) },
      right("RUNS"),
      right("SUCCESS"),
      right("P50"),
      compared("P95"),
      compared("SPEED-UP"),
      compared("RECOVERED"),
      compared("CPU"),
      compared("MEMORY"),
    ],
  });
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
