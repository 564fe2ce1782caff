import { Fiber, type FiberEnd, type Granter } from "./fiber.ts";
import type { AllWish } from "./flow.ts";

/** Runs flows beside each other, so many at a time, and gathers what they give. */
export class Gathering {
  readonly #run: Granter;
  readonly #wish: AllWish;
  readonly #onEnd: (end: FiberEnd<unknown[]>) => void;
  readonly #values: unknown[] = [];
  #next = 0;
  #going = 0;
  #broke: { readonly error: unknown } | undefined;
  /** While flows are begun in a row, one that ends at once begins no other. */
  #beginning = false;

  constructor(run: Granter, wish: AllWish, onEnd: (end: FiberEnd<unknown[]>) => void) {
    this.#run = run;
    this.#wish = wish;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.#beginning = true;
    const { flows, atOnce } = this.#wish;
    while (this.#broke === undefined && this.#next < flows.length && this.#going < Math.max(1, atOnce)) {
      const index = this.#next++;
      this.#going++;
      new Fiber(this.#run, flows[index] as (typeof flows)[number], (end) => this.#ended(index, end)).begin();
    }
    this.#beginning = false;
    if (this.#going > 0) return;
    this.#onEnd(this.#broke ?? { value: this.#values });
  }

  #ended(index: number, end: FiberEnd<unknown>): void {
    this.#going--;
    if ("error" in end) this.#broke ??= end;
    else this.#values[index] = end.value;
    if (!this.#beginning) this.begin();
  }
}
