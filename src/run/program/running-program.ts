import type { RunProgram, RunEffect } from "./run-effect.ts";

/** End of a program: its value or its error. */
export type ProgramEnd<T> = { readonly value: T } | { readonly error: unknown };

/** The program that yielded an effect and receives its outcome. */
export interface EffectCaller {
  /** Continues with the outcome of the effect. */
  resume(answer: unknown): void;
  /** Continues with an error: the effect cannot be executed. */
  throw(error: unknown): void;
  /** Continues with the end of a nested program. */
  take(end: ProgramEnd<unknown>): void;
}

/** Executes effects. */
export interface EffectHandler {
  handle(requester: EffectCaller, effect: RunEffect): void;
}

/** One flow under way. */
export class RunningProgram<T> implements EffectCaller {
  readonly #run: EffectHandler;
  readonly #flow: RunProgram<T>;
  readonly #onEnd: (end: ProgramEnd<T>) => void;

  constructor(run: EffectHandler, flow: RunProgram<T>, onEnd: (end: ProgramEnd<T>) => void) {
    this.#run = run;
    this.#flow = flow;
    this.#onEnd = onEnd;
  }

  begin(): void {
    this.resume(undefined);
  }

  resume(answer: unknown): void {
    let step: IteratorResult<RunEffect, T>;
    try {
      step = this.#flow.next(answer);
    } catch (broke) {
      return this.#onEnd({ error: broke });
    }
    this.#goOn(step);
  }

  throw(error: unknown): void {
    let step: IteratorResult<RunEffect, T>;
    try {
      step = this.#flow.throw(error);
    } catch (broke) {
      return this.#onEnd({ error: broke });
    }
    this.#goOn(step);
  }

  take(end: ProgramEnd<unknown>): void {
    if ("error" in end) this.throw(end.error);
    else this.resume(end.value);
  }

  #goOn(step: IteratorResult<RunEffect, T>): void {
    if (step.done === true) this.#onEnd({ value: step.value });
    else this.#run.handle(this, step.value);
  }
}
