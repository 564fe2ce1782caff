import { type FailureError, fail } from "../../base/index.ts";

/** Why a record was lost, in the words of the message. */
export type LossCause =
  | "the buffer was full and the database took nothing"
  | "the store was closed before writing succeeded"
  | "added after the store was closed";

/** How many records were lost since somebody was told, and why. */
export class LossTally {
  #count = 0;
  readonly #causes = new Set<LossCause>();

  add(count: number, why: LossCause): void {
    if (count === 0) return;
    this.#count += count;
    this.#causes.add(why);
  }

  /** The failure that tells of them, and starts anew; undefined where there were none. */
  take(): FailureError | undefined {
    if (this.#count === 0) return undefined;
    const what = this.#count === 1 ? "1 record was" : `${this.#count} records were`;
    const message = `${what} lost: ${[...this.#causes].join("; ")}`;
    this.#count = 0;
    this.#causes.clear();
    return fail(message, { code: "store_failed", reason: "records_lost", retry: "never" });
  }
}
