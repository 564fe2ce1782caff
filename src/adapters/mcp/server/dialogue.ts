import { isRecord } from "../../../schema/index.ts";
import type { ProgressNotification } from "./call-progress.ts";
import { type ClientRequestOptions, type ClientLink, notificationsFor } from "./client-link.ts";
import type { ClientCapabilities, InputRequest, ServerContext } from "./sdk.ts";

/** State of a dialogue: finished, or waiting for answers. */
export type DialogueState<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "input_required"; readonly requests: Readonly<Record<string, InputRequest>> };

/**
 * Work for a client of protocol version 2026, which never receives requests: if the work needs input, the client's own
 * request ends with input requests, and another request brings the answers. In the meantime the work is suspended here,
 * so that nothing is done twice.
 */
export class Dialogue<Result> implements ClientLink {
  readonly capabilities: ClientCapabilities | undefined;
  readonly #early: Readonly<Record<string, unknown>>;
  readonly #pending = new Map<
    string,
    { readonly request: InputRequest; readonly answer: (response: unknown) => void }
  >();
  readonly #keys = new Map<string, number>();
  readonly #stop = new AbortController();
  /** The request in flight; none while the client collects answers. */
  #attached: ServerContext["mcpReq"] | undefined;
  #ended: (() => Result) | undefined;
  /** Input requests that others may still join. */
  #fresh = 0;
  #changed = Promise.withResolvers<void>();
  readonly #notifications = notificationsFor(() => this.#attached);

  constructor(capabilities: ClientCapabilities | undefined, early: Readonly<Record<string, unknown>> = {}) {
    this.capabilities = capabilities;
    this.#early = early;
  }

  /** Begins the work, for this request. */
  begin(request: ServerContext["mcpReq"], work: (link: ClientLink, signal: AbortSignal) => Promise<Result>): void {
    this.#attached = request;
    work(this, this.#stop.signal).then(
      (result) => this.#end(() => result),
      (error: unknown) => this.refuse(error),
    );
  }

  /**
   * Waits until the work is finished or needs input, and sends progress to this request. Throws what the work throws.
   */
  async turn(request: ServerContext["mcpReq"]): Promise<DialogueState<Result>> {
    this.#attached = request;
    const stop = (): void => this.abort();
    request.signal.addEventListener("abort", stop, { once: true });
    if (request.signal.aborted) stop();
    try {
      this.#answer(request.inputResponses ?? {});
      while (this.#ended === undefined && !this.#isRequesting) await this.#changed.promise;
      if (this.#ended !== undefined) return { kind: "done", result: this.#ended() };
      return {
        kind: "input_required",
        requests: Object.fromEntries([...this.#pending].map(([key, each]) => [key, each.request])),
      };
    } finally {
      request.signal.removeEventListener("abort", stop);
      if (this.#attached === request) this.#attached = undefined;
    }
  }

  /** Aborts the work: no request waits for it any more. */
  abort(): void {
    this.#stop.abort();
    for (const { answer } of this.#pending.values()) answer(undefined);
    this.#pending.clear();
  }

  /** Ends it with a protocol error, regardless of the outcome of the work. */
  refuse(error: unknown): void {
    this.#end(() => {
      throw error;
    });
  }

  request(request: InputRequest, { key, early = false, signal }: ClientRequestOptions): Promise<unknown> {
    const known = early && Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
    if (isRecord(known)) return Promise.resolve(known);
    if (this.#stop.signal.aborted || signal?.aborted === true) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const own = this.#ownKey(key);
    const withdraw = (): void => {
      if (this.#pending.delete(own)) resolve(undefined);
    };
    signal?.addEventListener("abort", withdraw, { once: true });
    this.#pending.set(own, { request, answer: resolve });
    // Deferred, so that concurrent input requests are sent together.
    this.#fresh++;
    setImmediate(() => {
      this.#fresh--;
      this.#wake();
    });
    return promise.finally(() => signal?.removeEventListener("abort", withdraw));
  }

  /** The request that continues the work may want progress even if the first one did not. */
  get wantsProgress(): boolean {
    return true;
  }

  progress(progress: ProgressNotification): void {
    this.#notifications.progress(progress);
  }

  log(...entry: Parameters<ClientLink["log"]>): void {
    this.#notifications.log(...entry);
  }

  get #isRequesting(): boolean {
    return this.#pending.size > 0 && this.#fresh === 0;
  }

  /** Unexpected answers are ignored; missing ones are requested again in the next round. */
  #answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of this.#pending) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isRecord(response)) continue;
      this.#pending.delete(key);
      answer(response);
    }
  }

  /** An answer belongs to one request: no key is used twice. */
  #ownKey(key: string): string {
    const used = this.#keys.get(key) ?? 0;
    this.#keys.set(key, used + 1);
    return used === 0 ? key : `${key}_${used + 1}`;
  }

  #end(ended: () => Result): void {
    this.#ended ??= ended;
    this.#pending.clear();
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
