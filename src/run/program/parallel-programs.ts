import { RunningProgram, type ProgramEnd, type EffectHandler } from "./running-program.ts";
import type { AllEffect } from "./run-effect.ts";

/** Runs programs concurrently, up to the limit, and collects their values. */
export class ParallelPrograms {
  readonly #run: EffectHandler;
  readonly #effect: AllEffect;
  readonly #onEnd: (end: ProgramEnd<unknown[]>) => void;
  readonly #values: unknown[] = [];
  #next = 0;
  #going = 0;
  #broke: { readonly error: unknown } | undefined;
  /** True while programs are started in a loop: a program that ends at once must not start the next one recursively. */
  #beginning = false;

  constructor(run: EffectHandler, effect: AllEffect, onEnd: (end: ProgramEnd<unknown[]>) => void) {
    this.#run = run;
    this.#effect = effect;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.#beginning = true;
    const { programs, concurrency } = this.#effect;
    while (this.#broke === undefined && this.#next < programs.length && this.#going < Math.max(1, concurrency)) {
      const index = this.#next++;
      this.#going++;
      new RunningProgram(this.#run, programs[index] as (typeof programs)[number], (end) =>
        this.#ended(index, end),
      ).begin();
    }
    this.#beginning = false;
    if (this.#going > 0) return;
    this.#onEnd(this.#broke ?? { value: this.#values });
  }

  #ended(index: number, end: ProgramEnd<unknown>): void {
    this.#going--;
    if ("error" in end) this.#broke ??= end;
    else this.#values[index] = end.value;
    if (!this.#beginning) this.begin();
  }
}
