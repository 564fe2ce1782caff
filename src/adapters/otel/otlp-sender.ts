/** Options of an {@link OtlpSender}. */
export interface OtlpSenderOptions<Item> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a request with these items. */
  readonly body: (items: readonly Item[]) => unknown;
  /** Called with the first error, and after each success again. */
  readonly onError: (message: string) => void;
  readonly fetch: typeof fetch;
}

/** Items that wait to be sent; more are dropped, so that a collector that is down costs no memory. */
const maxQueued = 2_048;
const maxBatch = 512;
const everyMs = 5_000;
const timeoutMs = 10_000;
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends items to a collector in batches, as OTLP over HTTP with JSON. Nothing waits for it except {@link flush}: a batch
 * that fails is sent once more with the next one, and then dropped.
 */
export class OtlpSender<Item> {
  readonly #options: OtlpSenderOptions<Item>;
  #queued: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** A batch that could not be sent. */
  #again: readonly Item[] = [];
  #hasReported = false;

  constructor(options: OtlpSenderOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#queued.length >= maxQueued) return;
    this.#queued.push(item);
    if (this.#queued.length >= maxBatch) void this.#sendQueued();
    else this.#timer ??= setTimeout(() => void this.#sendQueued(), everyMs).unref();
  }

  /** Sends what is queued; resolves when it is sent, or dropped. Never rejects. */
  async flush(): Promise<void> {
    await this.#sending;
    while (this.#queued.length + this.#again.length > 0) await this.#sendQueued();
  }

  #sendQueued(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#queued.length > 0) this.#timer ??= setTimeout(() => void this.#sendQueued(), everyMs).unref();
    }));
  }

  async #send(): Promise<void> {
    const repeated = this.#again;
    const batch = [...repeated, ...this.#queued.splice(0, maxBatch)];
    this.#again = [];
    const error = await this.#post(batch);
    if (error === undefined) {
      this.#hasReported = false;
      return;
    }
    // Only new items get a second attempt.
    if (error.isTransient) this.#again = batch.slice(repeated.length);
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#options.onError(error.message);
  }

  async #post(
    batch: readonly Item[],
  ): Promise<{ readonly message: string; readonly isTransient: boolean } | undefined> {
    const { url, headers, body, fetch: send } = this.#options;
    try {
      const response = await send(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body(batch)),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (response.ok) return undefined;
      return { message: `HTTP ${response.status}`, isTransient: retryable.has(response.status) };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { message: cause instanceof Error ? cause.message : String(cause), isTransient: true };
    }
  }
}
