import type { Candidate } from "./candidate.ts";

/** Who succeeded and who failed lately under one name: that decides who goes first. */
export class ChoiceHistory {
  readonly #recentMs: number;
  #last: { readonly label: string; readonly at: number } | undefined;
  readonly #failed = new Map<string, number>();
  #turn = 0;

  constructor(recentMs: number) {
    this.#recentMs = recentMs;
  }

  succeeded(label: string, now: number): void {
    this.#last = { label, at: now };
    this.#failed.delete(label);
  }

  failed(label: string, now: number): void {
    this.#failed.set(label, now);
    if (this.#last?.label === label) this.#last = undefined;
  }

  /** The next of equals goes first from now on. */
  turn(): void {
    this.#turn++;
  }

  /**
   * By name: the last that succeeded, then by priority, then as registered. By capability: those that did not fail
   * lately, then by priority, and equals take turns. Whoever may not run beside others comes last.
   */
  order(candidates: readonly Candidate[], now: number, byCapability: boolean): readonly Candidate[] {
    const rank = (candidate: Candidate): readonly number[] => [
      candidate.joins ? 0 : 1,
      byCapability ? this.#failedLately(candidate, now) : this.#succeededLast(candidate, now),
      candidate.registration.priority,
    ];
    const ranked = candidates
      .map((candidate) => ({ candidate, rank: rank(candidate) }))
      .toSorted((a, b) => compare(a.rank, b.rank));
    return byCapability ? this.#rotated(ranked) : ranked.map(({ candidate }) => candidate);
  }

  #rotated(ranked: readonly Ranked[]): readonly Candidate[] {
    const groups = Map.groupBy(ranked, ({ rank }) => rank.join(" "));
    return [...groups.values()].flatMap((equals) => {
      const first = this.#turn % equals.length;
      return [...equals.slice(first), ...equals.slice(0, first)].map(({ candidate }) => candidate);
    });
  }

  #succeededLast({ label }: Candidate, now: number): number {
    return this.#last?.label === label && now - this.#last.at < this.#recentMs ? 0 : 1;
  }

  #failedLately({ label }: Candidate, now: number): number {
    const at = this.#failed.get(label);
    return at !== undefined && now - at < this.#recentMs ? 1 : 0;
  }
}

interface Ranked {
  readonly candidate: Candidate;
  readonly rank: readonly number[];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
