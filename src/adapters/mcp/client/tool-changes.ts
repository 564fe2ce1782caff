import type { Client } from "@modelcontextprotocol/client";
import type { Clock, Timer } from "../../../base/index.ts";

/** First and maximum delay before a broken stream of changes is reopened. */
const [firstRetryMs, lastRetryMs] = [1_000, 60_000];

/** Options of {@link ToolChanges}. */
export interface ToolChangesOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Changes within this time are reported once. */
  readonly waitMs: number;
  readonly onChange: () => void;
}

/**
 * Reports changes of a server's tools: by notification in older protocol versions, on a subscription stream in newer
 * ones.
 */
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
      this.#options.onChange();
    });
    this.#timer.hold(false);
  }

  async #listen(retryMs: number): Promise<void> {
    let wait = retryMs;
    try {
      const subscription = await this.#options.client.listen({ toolsListChanged: true });
      // Changes may have been missed while the stream was closed.
      if (retryMs !== firstRetryMs) this.#changed();
      wait = firstRetryMs;
      await subscription.closed;
    } catch {
      // A server that advertises the stream but does not serve it is retried at growing intervals.
    }
    if (this.#stopped) return;
    this.#retry = this.#options.clock.after(wait, () => void this.#listen(Math.min(wait * 2, lastRetryMs)));
    this.#retry.hold(false);
  }
}
