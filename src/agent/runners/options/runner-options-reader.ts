import { isRecord } from "../../../schema/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { OptionReaders } from "./runner-options.ts";

/** Reads the `options` of an agent for its runner; invalid options add a notice. */
export class RunnerOptionsReader<T> {
  readonly #run: AgentRun;
  readonly #readers: OptionReaders<T>;

  constructor(run: AgentRun, readers: OptionReaders<T>) {
    this.#run = run;
    this.#readers = readers;
  }

  /** Returns `defaults` if the option is not set, `wrong` if it is invalid. */
  take<K extends keyof T & string, U>(name: K, defaults: U, wrong: U = defaults): T[K] | U {
    const { options } = this.#run.spec;
    const provided = isRecord(options) && Object.hasOwn(options, name) ? options[name] : undefined;
    if (provided === undefined) return defaults;
    const reader = this.#readers[name];
    const value = reader.read(provided);
    if (value !== undefined) return value;
    this.#run.notice({ code: "option_unusable", params: { option: name, expects: reader.type } });
    return wrong;
  }
}
