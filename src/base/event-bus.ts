/**
 * Receives events. Errors that it throws, or that its promise rejects with, are reported and do not affect other
 * listeners.
 */
export type Listener<E> = (event: E) => unknown;

/** Called for a listener that threw. */
export type ListenerError<E> = (error: unknown, event: E) => void;

/** Events as an async iterable; `dropped` counts events that a slow reader missed. */
export interface EventStream<E> extends AsyncIterableIterator<E> {
  readonly dropped: number;
}

interface Subscription<E> {
  readonly listener: Listener<E>;
  /** Undefined means every type. */
  readonly types: ReadonlySet<string> | undefined;
}

/** Delivers typed events to any number of listeners, in order. */
export class EventBus<E extends { readonly type: string }> {
  /** Replaced, never changed: a listener may subscribe or unsubscribe while an event is delivered. */
  #subscriptions: readonly Subscription<E>[] = [];
  /** Events that listeners caused during a delivery; all listeners receive them after it. */
  readonly #later: E[] = [];
  #delivering = false;
  readonly #onError: ListenerError<E>;

  constructor(onError: ListenerError<E>) {
    this.#onError = onError;
  }

  /** True if there is a listener for this type. Lets hot paths skip creating the event. */
  hasListener(type: E["type"]): boolean {
    for (const { types } of this.#subscriptions) if (types === undefined || types.has(type)) return true;
    return false;
  }

  /** Subscribes to some types, or to all; returns the function that unsubscribes. */
  subscribe(listener: Listener<E>, types?: Iterable<E["type"]>): () => void {
    const subscription = { listener, types: types === undefined ? undefined : new Set<string>(types) };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  emit(event: E): void {
    if (this.#delivering) {
      this.#later.push(event);
      return;
    }
    this.#delivering = true;
    this.#deliver(event);
    if (this.#later.length > 0) this.#deliverLater();
    this.#delivering = false;
  }

  #deliver(event: E): void {
    for (const { listener, types } of this.#subscriptions) {
      if (types !== undefined && !types.has(event.type)) continue;
      try {
        const returned = listener(event);
        if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #deliverLater(): void {
    // Grows during the loop if these events cause others.
    for (const next of this.#later) this.#deliver(next);
    this.#later.length = 0;
  }

  /**
   * The events from now on. At most `capacity` wait for a slow reader, then the oldest are dropped and counted.
   * Leaving the loop unsubscribes.
   */
  stream(options: { types?: Iterable<E["type"]>; capacity?: number; signal?: AbortSignal } = {}): EventStream<E> {
    return new BufferedStream<E>(this, options);
  }

  #report(error: unknown, event: E): void {
    try {
      this.#onError(error, event);
    } catch {
      // The reporter is a listener too: it must not break the emitter.
    }
  }
}

class BufferedStream<E extends { readonly type: string }> implements EventStream<E> {
  readonly #buffer: E[] = [];
  readonly #capacity: number;
  readonly #unsubscribe: () => void;
  readonly #signal: AbortSignal | undefined;
  #waiting: ((result: IteratorResult<E>) => void)[] = [];
  #ended = false;
  dropped = 0;

  constructor(bus: EventBus<E>, options: { types?: Iterable<E["type"]>; capacity?: number; signal?: AbortSignal }) {
    this.#capacity = options.capacity ?? 1000;
    this.#unsubscribe = bus.subscribe((event) => this.#push(event), options.types);
    this.#signal = options.signal;
    this.#signal?.addEventListener("abort", this);
    if (this.#signal?.aborted === true) this.#end();
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.#end();
  }

  next(): Promise<IteratorResult<E>> {
    const event = this.#buffer.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<E>> {
    this.#end();
    this.#buffer.length = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #push(event: E): void {
    const reader = this.#waiting.shift();
    if (reader) return reader({ done: false, value: event });
    this.#buffer.push(event);
    if (this.#buffer.length > this.#capacity) {
      this.#buffer.shift();
      this.dropped++;
    }
    return undefined;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unsubscribe();
    // A signal may live as long as the process.
    this.#signal?.removeEventListener("abort", this);
    for (const reader of this.#waiting) reader({ done: true, value: undefined });
    this.#waiting = [];
  }
}
