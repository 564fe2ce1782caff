import type { Redactor } from "../secrets/index.ts";
import type {
  ChangeFeed,
  FeedChange,
  FeedCursor,
  FeedFilter,
  FeedHead,
  FeedPage,
  FeedPosition,
} from "../store/index.ts";
import type { SealedJournal } from "./sealed-journal.ts";

/** The changes of a journal as they may be shown: secrets in the data of events are redacted. */
export class RevealedChanges implements ChangeFeed {
  readonly #changes: ChangeFeed;
  readonly #journal: Pick<SealedJournal, "revealEvents">;
  readonly #redactor: Pick<Redactor, "value">;

  constructor(
    changes: ChangeFeed,
    {
      journal,
      redactor,
    }: { readonly journal: Pick<SealedJournal, "revealEvents">; readonly redactor: Pick<Redactor, "value"> },
  ) {
    this.#changes = changes;
    this.#journal = journal;
    this.#redactor = redactor;
  }

  head(): Promise<FeedHead> {
    return this.#changes.head();
  }

  startOf(runIds: readonly string[]): Promise<FeedPosition> {
    return this.#changes.startOf(runIds);
  }

  async read(after: FeedCursor, filter: FeedFilter): Promise<FeedPage | undefined> {
    const page = await this.#changes.read(after, filter);
    return page && { ...page, changes: page.changes.map((change) => this.#shown(change)) };
  }

  watch(changed: () => void): () => void {
    return this.#changes.watch(changed);
  }

  #shown(change: FeedChange): FeedChange {
    if (change.kind !== "event") return change;
    const [event = change.event] = this.#journal.revealEvents(change.runId, [change.event]);
    return { ...change, event: { ...event, data: this.#redactor.value(event.data) } };
  }
}
