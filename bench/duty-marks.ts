import { duties as callDuties } from "./catalog.ts";
import { table } from "./table.ts";

/** A contender, and what it does of what can be done. */
export interface Dutiful {
  readonly label: string;
  readonly does?: readonly string[];
  readonly offers?: readonly string[];
}

/** What each contender does for what it costs. */
export function dutyMarks(entries: readonly Dutiful[], duties: readonly string[] = callDuties): string {
  const mark = (entry: Dutiful, duty: string): string => {
    if (entry.does?.includes(duty) === true) return "✓";
    return entry.offers?.includes(duty) === true ? "○" : "–";
  };
  const marks = table(
    ["contender", ...duties],
    entries.map((entry) => [entry.label, ...duties.map((duty) => mark(entry, duty))]),
  );
  return `✓ done in this measurement, ○ on offer but not switched on here, – no.\n\n${marks}`;
}
