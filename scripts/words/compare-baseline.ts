/** Number of warnings of each rule, without rules that have none. */
export type WarningCounts = Readonly<Record<string, number>>;

/** Result of comparing the warnings with the baseline. */
export interface BaselineComparison {
  /** Messages about rules with more warnings than the baseline. */
  readonly grown: readonly string[];
  /** Messages about rules with fewer warnings than the baseline. */
  readonly fallen: readonly string[];
  /** The smaller of both numbers for each rule: the next baseline. */
  readonly lowered: WarningCounts;
}

/** Compares the warnings with the baseline, which only ever decreases. */
export function compareBaseline(counts: WarningCounts, baseline: WarningCounts): BaselineComparison {
  const rules = [...new Set([...Object.keys(counts), ...Object.keys(baseline)])].toSorted();
  const compared = rules.map((rule) => ({ rule, count: counts[rule] ?? 0, limit: baseline[rule] ?? 0 }));
  return {
    grown: compared
      .filter(({ count, limit }) => count > limit)
      .map(
        ({ rule, count, limit }) => `${rule}: ${count} warnings, the baseline is ${limit}; run: npm run words -- --all`,
      ),
    fallen: compared
      .filter(({ count, limit }) => count < limit)
      .map(
        ({ rule, count, limit }) =>
          `${rule}: ${count} warnings, the baseline is ${limit}; lower it with: npm run words -- --update`,
      ),
    lowered: Object.fromEntries(
      compared
        .map(({ rule, count, limit }) => [rule, Math.min(count, limit)] as const)
        .filter(([, count]) => count > 0),
    ),
  };
}
