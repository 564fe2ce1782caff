import type { Pending, Run } from "./run.ts";

/** Whoever pauses. */
export interface PauseOwner {
  /** It may go on; a pause is part of its time. */
  goesOn(waitedMs: number): void;
  cancelled(): void;
}

/** What a {@link Pause} is made of. */
export interface PauseParts {
  readonly run: Run;
  readonly key: string;
  readonly ms: number;
  readonly after: () => void;
}

/** A time that has to pass before a unit of work goes on. */
export class Pause implements Pending {
  readonly #owner: PauseOwner;
  readonly #parts: PauseParts;

  constructor(owner: PauseOwner, parts: PauseParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  begin(): void {
    const { run, key, ms } = this.#parts;
    if (ms > 0) run.wait(key, { kind: "timer", ms }, this);
    else run.soon(key, this);
  }

  settled(): void {
    this.#owner.goesOn(0);
    this.#parts.after();
  }

  cancel(): void {
    this.#parts.run.drop(this.#parts.key);
    this.#owner.cancelled();
  }
}
