import type { Client } from "@modelcontextprotocol/client";
import type { Clock, Timer } from "../../../base/index.ts";

/** How soon a stream of changes that broke is opened again, and how late at most. */
const [firstRetryMs, lastRetryMs] = [1_000, 60_000];

/** What {@link ToolChanges} needs. */
export interface ToolChangesOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Changes within this time are one. */
  readonly waitMs: number;
  readonly tell: () => void;
}

/** Tells when the tools of a server are others: servers say it unasked in the older era, and on a stream in the newer. */
export class ToolChanges {
  readonly #options: ToolChangesOptions;
  #timer: Timer | undefined;
  #retry: Timer | undefined;
  #stopped = false;

  constructor(options: ToolChangesOptions) {
    this.#options = options;
  }

  start(): void {
    const { client } = this.#options;
    client.setNotificationHandler("notifications/tools/list_changed", () => this.#changed());
    const listens = client.getServerCapabilities()?.tools?.listChanged === true;
    if (listens && client.getProtocolEra() === "modern") void this.#listen(firstRetryMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#retry?.cancel();
  }

  #changed(): void {
    if (this.#stopped || this.#timer !== undefined) return;
    this.#timer = this.#options.clock.after(this.#options.waitMs, () => {
      this.#timer = undefined;
      this.#options.tell();
    });
    this.#timer.hold(false);
  }

  async #listen(retryMs: number): Promise<void> {
    let wait = retryMs;
    try {
      const subscription = await this.#options.client.listen({ toolsListChanged: true });
      // What happened while nobody listened is not known.
      if (retryMs !== firstRetryMs) this.#changed();
      wait = firstRetryMs;
      await subscription.closed;
    } catch {
      // A server that promised it and does not keep it is asked again, ever more seldom.
    }
    if (this.#stopped) return;
    this.#retry = this.#options.clock.after(wait, () => void this.#listen(Math.min(wait * 2, lastRetryMs)));
    this.#retry.hold(false);
  }
}
