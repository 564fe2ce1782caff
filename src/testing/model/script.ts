import { describeResponse } from "./scripted-response.ts";

/** One response of a script, or a function that creates it from the request. */
export type ScriptEntry<Q, A> = A | ((request: Q, index: number) => A | Promise<A>);

/** Responses in order, or a function that responds to every request; `index` counts the requests from 0. */
export type Script<Q, A> = readonly ScriptEntry<Q, A>[] | ((request: Q, index: number) => A | Promise<A>);

/** A request for which a script has no response left. */
export class ScriptEnded extends Error {}

export function isScriptEnded(value: unknown): value is ScriptEnded {
  return value instanceof ScriptEnded;
}

/** Reads a script and tracks its position. */
export class ScriptReader<Q, A> {
  readonly #script: Script<Q, A>;
  #requests = 0;

  constructor(script: Script<Q, A>) {
    this.#script = script;
  }

  /** The response to this request; synchronous unless a function returns a promise. */
  next(request: Q): A | Promise<A> {
    const index = this.#requests++;
    const script = this.#script;
    if (isFunction(script)) return script(request, index);
    if (index >= script.length)
      throw new ScriptEnded(`the script has ${script.length} responses, and this is request ${this.#requests}`);
    // Not undefined: the index is within the list.
    const entry = script[index] as ScriptEntry<Q, A>;
    return isFunction(entry) ? entry(request, index) : entry;
  }

  /** Throws unless every response of the list was requested, and there was no surplus request. */
  assertComplete(): void {
    const script = this.#script;
    if (isFunction(script) || script.length === this.#requests) return;
    const requestCount = `${this.#requests} ${this.#requests === 1 ? "request" : "requests"}`;
    if (this.#requests > script.length)
      throw new Error(`the script has ${script.length} responses for ${requestCount}; the last got none`);
    const left = script
      .slice(this.#requests)
      .map((entry, at) => `  ${this.#requests + at + 1}. ${describeResponse(entry)}`);
    throw new Error(
      `the script has ${script.length} responses, but only ${requestCount} came; unused:\n${left.join("\n")}`,
    );
  }
}

function isFunction<Q, A>(
  entry: Script<Q, A> | ScriptEntry<Q, A>,
): entry is (request: Q, index: number) => A | Promise<A> {
  return typeof entry === "function";
}
