import { describeAnswer } from "./scripted-answer.ts";

/** One answer of a script, or a function that makes it of the question. */
export type ScriptEntry<Q, A> = A | ((question: Q, index: number) => A | Promise<A>);

/** Answers one after another, or a function that answers every question; `index` counts the questions from 0. */
export type Script<Q, A> = readonly ScriptEntry<Q, A>[] | ((question: Q, index: number) => A | Promise<A>);

/** A question for which a script has no answer left. */
export class ScriptEnded extends Error {}

/** Where a script has got to. */
export class ScriptReader<Q, A> {
  readonly #script: Script<Q, A>;
  #asked = 0;

  constructor(script: Script<Q, A>) {
    this.#script = script;
  }

  /** The answer to this question. It is there at once unless a function takes its time. */
  next(question: Q): A | Promise<A> {
    const index = this.#asked++;
    const script = this.#script;
    if (isFunction(script)) return script(question, index);
    if (index >= script.length)
      throw new ScriptEnded(`the script has ${script.length} answers, and this is question ${this.#asked}`);
    // Not undefined: the index is within the list.
    const entry = script[index] as ScriptEntry<Q, A>;
    return isFunction(entry) ? entry(question, index) : entry;
  }

  /** Throws unless every answer of the list was asked for, and no question was one too many. */
  assertComplete(): void {
    const script = this.#script;
    if (isFunction(script) || script.length === this.#asked) return;
    const asked = `${this.#asked} ${this.#asked === 1 ? "question" : "questions"}`;
    if (this.#asked > script.length)
      throw new Error(`the script has ${script.length} answers, and ${asked} were asked; the last got none`);
    const left = script.slice(this.#asked).map((entry, at) => `  ${this.#asked + at + 1}. ${describeAnswer(entry)}`);
    throw new Error(`the script has ${script.length} answers, but only ${asked} came; left over:\n${left.join("\n")}`);
  }
}

function isFunction<Q, A>(
  entry: Script<Q, A> | ScriptEntry<Q, A>,
): entry is (question: Q, index: number) => A | Promise<A> {
  return typeof entry === "function";
}
