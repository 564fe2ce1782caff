import type { Flow, Wish } from "./flow.ts";

/** How a flow ended. */
export type FiberEnd<T> = { readonly value: T } | { readonly error: unknown };

/** Whoever asked for something and is told what came of it. */
export interface Asker {
  /** Tells it what came of what it asked for. */
  resume(answer: unknown): void;
  /** Tells it that nothing can come of what it asked for. */
  throw(error: unknown): void;
  /** Tells it how what it asked for ended. */
  take(end: FiberEnd<unknown>): void;
}

/** Grants wishes. */
export interface Granter {
  grant(asker: Asker, wish: Wish): void;
}

/** One flow under way. */
export class Fiber<T> implements Asker {
  readonly #run: Granter;
  readonly #flow: Flow<T>;
  readonly #onEnd: (end: FiberEnd<T>) => void;

  constructor(run: Granter, flow: Flow<T>, onEnd: (end: FiberEnd<T>) => void) {
    this.#run = run;
    this.#flow = flow;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.resume(undefined);
  }

  resume(answer: unknown): void {
    let step: IteratorResult<Wish, T>;
    try {
      step = this.#flow.next(answer);
    } catch (broke) {
      return this.#onEnd({ error: broke });
    }
    this.#goOn(step);
  }

  throw(error: unknown): void {
    let step: IteratorResult<Wish, T>;
    try {
      step = this.#flow.throw(error);
    } catch (broke) {
      return this.#onEnd({ error: broke });
    }
    this.#goOn(step);
  }

  take(end: FiberEnd<unknown>): void {
    if ("error" in end) this.throw(end.error);
    else this.resume(end.value);
  }

  #goOn(step: IteratorResult<Wish, T>): void {
    if (step.done === true) this.#onEnd({ value: step.value });
    else this.#run.grant(this, step.value);
  }
}
