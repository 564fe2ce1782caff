import type { Spread } from "./statistics.ts";

/** Texts of a contender in a table. */
export interface Named {
  readonly id: string;
  readonly label: string;
  readonly note: string;
}

export function name({ id, version }: { id: string; version?: string }, entries: readonly Named[]): string {
  const label = entries.find((entry) => entry.id === id)?.label ?? id;
  return version === undefined ? label : `${label} ${version}`;
}

export function notes(entries: readonly Named[]): string {
  return entries
    .filter(({ note }) => note !== "")
    .map(({ label, note }) => `- ${label}: ${note}`)
    .join("\n");
}

export function ratio({ median, low, high }: Spread): string {
  return `${figure(median)} (${figure(low)} – ${figure(high)})`;
}

export function bytes(count: number | undefined): string {
  return count === undefined ? "" : figure(count);
}

/** Formats a figure with three significant digits: a benchmark is not more precise. */
export function figure(value: number): string {
  return value.toLocaleString("en", value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
