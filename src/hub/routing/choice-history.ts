import type { Candidate } from "./candidate.ts";
import { capabilityPriority } from "./capability-index.ts";

/** An object with a candidate. */
interface Ordered {
  readonly candidate: Candidate;
}

/** Recent successes and failures under one name, which decide the order of candidates. */
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
   * By name: the last that succeeded, then by priority, then as registered. By capability, with `takesTurns`: those
   * that did not fail recently, then by priority, and equals take turns. Candidates that may not run concurrently come
   * last.
   */
  order<T extends Ordered>(all: readonly T[], now: number, takesTurns?: (one: T) => boolean): readonly T[] {
    const rank = ({ candidate }: T): readonly number[] => [
      candidate.joins ? 0 : 1,
      takesTurns === undefined ? this.#succeededLast(candidate, now) : this.#failedLately(candidate, now),
      takesTurns === undefined ? candidate.registration.priority : capabilityPriority(candidate.registration),
    ];
    const ranked = all.map((one) => ({ one, rank: rank(one) })).toSorted((a, b) => compare(a.rank, b.rank));
    if (takesTurns === undefined) return ranked.map(({ one }) => one);
    const groups = Map.groupBy(ranked, (entry) => entry.rank.join(" "));
    return [...groups.values()].flatMap((equals) => {
      const ones = equals.map(({ one }) => one);
      const first = ones.every(takesTurns) ? this.#turn % ones.length : 0;
      return [...ones.slice(first), ...ones.slice(0, first)];
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

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
