import type { Pending, ChainRun } from "./chain-run.ts";

/** Unit that pauses. */
export interface PauseOwner {
  /** It may continue; a pause is part of its time. */
  resumed(waitedMs: number): void;
  cancelled(): void;
}

/** Dependencies of a {@link Pause}. */
export interface PauseDeps {
  readonly run: ChainRun;
  readonly key: string;
  readonly ms: number;
  readonly after: () => void;
}

/** A delay before a unit of work continues. */
export class Pause implements Pending {
  readonly #owner: PauseOwner;
  readonly #parts: PauseDeps;

  constructor(owner: PauseOwner, parts: PauseDeps) {
    this.#owner = owner;
    this.#parts = parts;
  }

  begin(): void {
    const { run, key, ms } = this.#parts;
    if (ms > 0) run.wait(key, { kind: "timer", ms }, this);
    else run.soon(key, this);
  }

  settled(): void {
    this.#owner.resumed(0);
    this.#parts.after();
  }

  cancel(): void {
    this.#parts.run.drop(this.#parts.key);
    this.#owner.cancelled();
  }
}
