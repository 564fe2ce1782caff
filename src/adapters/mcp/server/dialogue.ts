import type { Progress } from "./call-progress.ts";
import { type AskOptions, type ClientLink, tellingOf } from "./client-link.ts";
import type { ClientCapabilities, InputRequest, ServerContext } from "./sdk.ts";

/** Where a dialogue stands: it is over, or waits for answers. */
export type Turn<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "asks"; readonly requests: Readonly<Record<string, InputRequest>> };

interface Pending {
  readonly request: InputRequest;
  readonly answer: (response: unknown) => void;
}

/**
 * Work for a client of the 2026 era, which is never sent a request: where the work has questions, the client's own
 * request ends with them, and another one brings the answers. Meanwhile the work is held here, so that nothing of it is
 * done twice.
 */
export class Dialogue<Result> implements ClientLink {
  readonly capabilities: ClientCapabilities | undefined;
  readonly #early: Readonly<Record<string, unknown>>;
  readonly #pending = new Map<string, Pending>();
  readonly #keys = new Map<string, number>();
  readonly #stop = new AbortController();
  /** The request that is under way; none while the client gathers answers. */
  #attached: ServerContext["mcpReq"] | undefined;
  #ended: (() => Result) | undefined;
  /** Questions that others may still join. */
  #fresh = 0;
  #changed = Promise.withResolvers<void>();
  readonly #telling = tellingOf(() => this.#attached);

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

  /** Waits until the work is over or has questions, telling this request how far it is. Throws what the work throws. */
  async turn(request: ServerContext["mcpReq"]): Promise<Turn<Result>> {
    this.#attached = request;
    const stop = (): void => this.abort();
    request.signal.addEventListener("abort", stop, { once: true });
    if (request.signal.aborted) stop();
    try {
      this.#answer(request.inputResponses ?? {});
      while (this.#ended === undefined && !this.#isAsking) await this.#changed.promise;
      if (this.#ended !== undefined) return { kind: "done", result: this.#ended() };
      return {
        kind: "asks",
        requests: Object.fromEntries([...this.#pending].map(([key, each]) => [key, each.request])),
      };
    } finally {
      request.signal.removeEventListener("abort", stop);
      if (this.#attached === request) this.#attached = undefined;
    }
  }

  /** Nobody waits for the work any more. */
  abort(): void {
    this.#stop.abort();
    for (const { answer } of this.#pending.values()) answer(undefined);
    this.#pending.clear();
  }

  /** Ends it with an error of the protocol, whatever becomes of the work. */
  refuse(error: unknown): void {
    this.#end(() => {
      throw error;
    });
  }

  ask(request: InputRequest, { key, early = false, signal }: AskOptions): Promise<unknown> {
    const known = early && Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
    if (isAnswer(known)) return Promise.resolve(known);
    if (this.#stop.signal.aborted || signal?.aborted === true) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const own = this.#ownKey(key);
    const withdraw = (): void => {
      if (this.#pending.delete(own)) resolve(undefined);
    };
    signal?.addEventListener("abort", withdraw, { once: true });
    this.#pending.set(own, { request, answer: resolve });
    // Later, so that questions that are asked side by side go out together.
    this.#fresh++;
    setImmediate(() => {
      this.#fresh--;
      this.#wake();
    });
    return promise.finally(() => signal?.removeEventListener("abort", withdraw));
  }

  /** The request that goes on with the work may want it, whatever the first one wanted. */
  get wantsProgress(): boolean {
    return true;
  }

  progress(progress: Progress): void {
    this.#telling.progress(progress);
  }

  log(...entry: Parameters<ClientLink["log"]>): void {
    this.#telling.log(...entry);
  }

  get #isAsking(): boolean {
    return this.#pending.size > 0 && this.#fresh === 0;
  }

  /** What was not asked is not heard; what was not answered is asked again. */
  #answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of this.#pending) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isAnswer(response)) continue;
      this.#pending.delete(key);
      answer(response);
    }
  }

  /** An answer belongs to one question: no key is used twice. */
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

function isAnswer(response: unknown): boolean {
  return typeof response === "object" && response !== null && !Array.isArray(response);
}
