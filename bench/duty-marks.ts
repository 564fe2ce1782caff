import { type Duty, type Entry, duties } from "./catalog.ts";
import { table } from "./table.ts";

/** What each contender does for what it costs. */
export function dutyMarks(entries: readonly Entry[]): string {
  const mark = (entry: Entry, duty: Duty): string => {
    if (entry.does?.includes(duty) === true) return "✓";
    return entry.offers?.includes(duty) === true ? "○" : "–";
  };
  const marks = table(
    ["contender", ...duties],
    entries.map((entry) => [entry.label, ...duties.map((duty) => mark(entry, duty))]),
  );
  return `✓ done in this measurement, ○ on offer but not switched on here, – no.\n\n${marks}`;
}
