import { Bag } from "../../base/index.ts";
import type { RunCall } from "./run-call.ts";

/**
 * The running calls of a run. Calls come and go constantly and are rarely found by key, so the index is built on first
 * use.
 */
export class RunningCalls {
  readonly #calls = new Bag<RunCall>();
  /** Index of all running calls; may still contain calls that have ended. */
  #byKey: Map<string, RunCall> | undefined = undefined;

  get size(): number {
    return this.#calls.size;
  }

  add(call: RunCall): void {
    this.#calls.add(call);
    this.#byKey?.set(call.request.key, call);
  }

  remove(call: RunCall): void {
    this.#calls.remove(call);
    if (this.#calls.size === 0) this.#byKey = undefined;
  }

  stop(key: string): void {
    this.#byKey ??= new Map(this.#calls.toArray().map((call) => [call.request.key, call]));
    const call = this.#byKey.get(key);
    if (call !== undefined && call.position >= 0) call.stop();
  }

  /**
   * Removes and stops all calls. Work that they started elsewhere is over, or is released for the next lease holder.
   */
  end(how: "over" | "released"): void {
    const calls = this.#calls.toArray();
    for (const call of calls) this.remove(call);
    for (const call of calls) {
      if (how === "released") call.detach();
      else call.stop();
    }
  }
}
