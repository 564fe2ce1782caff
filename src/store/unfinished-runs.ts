/** Runs that are not over, in journals whose runs call each other. */
export class UnfinishedRuns {
  /** An id occurs at most once per journal, but may occur in several. */
  readonly #counts = new Map<string, number>();

  has(runId: string): boolean {
    return this.#counts.has(runId);
  }

  began(runId: string): void {
    this.#counts.set(runId, (this.#counts.get(runId) ?? 0) + 1);
  }

  ended(runId: string): void {
    const left = (this.#counts.get(runId) ?? 0) - 1;
    if (left > 0) this.#counts.set(runId, left);
    else this.#counts.delete(runId);
  }
}
