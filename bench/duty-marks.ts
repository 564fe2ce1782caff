import { duties as callDuties } from "./catalog.ts";
import { table } from "./table.ts";

/** A contender with its duties. */
export interface Dutiful {
  readonly label: string;
  readonly does?: readonly string[];
  readonly offers?: readonly string[];
}

/** Renders the duties of each contender. */
export function dutyMarks(entries: readonly Dutiful[], duties: readonly string[] = callDuties): string {
  const mark = (entry: Dutiful, duty: string): string => {
    if (entry.does?.includes(duty) === true) return "✓";
    return entry.offers?.includes(duty) === true ? "○" : "–";
  };
  const marks = table(
    ["contender", ...duties],
    entries.map((entry) => [entry.label, ...duties.map((duty) => mark(entry, duty))]),
  );
  return `✓ part of this measurement, ○ supported but off in this measurement, – not supported.\n\n${marks}`;
}
