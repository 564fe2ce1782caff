import { LinkedList } from "../../base/index.ts";
import type { StepCall } from "./step-call.ts";

/**
 * The calls of a run that are under way. They come and go all the time and are hardly ever looked for by their keys:
 * an index is made when they are.
 */
export class CallsUnderWay {
  readonly #calls = new LinkedList<StepCall>();
  /** Of all that are under way, and perhaps of some that were. */
  #byKey: Map<string, StepCall> | undefined = undefined;

  get size(): number {
    return this.#calls.size;
  }

  add(call: StepCall): void {
    this.#calls.append(call);
    this.#byKey?.set(call.key, call);
  }

  remove(call: StepCall): void {
    this.#calls.remove(call);
    if (this.#calls.size === 0) this.#byKey = undefined;
  }

  abort(key: string): void {
    this.#byKey ??= new Map(this.#calls.toArray().map((call) => [call.key, call]));
    const call = this.#byKey.get(key);
    if (call?.linked === true) call.abort();
  }

  /** Lets go of all of them, and stops them; what they have begun elsewhere is over, or left to whoever comes next. */
  end(how: "over" | "left"): void {
    const calls = this.#calls.toArray();
    for (const call of calls) this.remove(call);
    for (const call of calls) {
      if (how === "left") call.leave();
      call.abort();
    }
  }
}
