import { isRecord } from "../../../schema/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { OptionReaders } from "./runner-options.ts";

/** The `options` of an agent as its runner reads them; the run takes note of what cannot be used. */
export class GivenOptions<T> {
  readonly #run: AgentRun;
  readonly #readers: OptionReaders<T>;

  constructor(run: AgentRun, readers: OptionReaders<T>) {
    this.#run = run;
    this.#readers = readers;
  }

  /** `usual` where nothing is said, `wrong` where it cannot be read. */
  take<K extends keyof T & string, U>(name: K, usual: U, wrong: U = usual): T[K] | U {
    const { options } = this.#run.spec;
    const given = isRecord(options) && Object.hasOwn(options, name) ? options[name] : undefined;
    if (given === undefined) return usual;
    const reader = this.#readers[name];
    const value = reader.read(given);
    if (value !== undefined) return value;
    this.#run.note(`options.${name} is not ${reader.wants}, and was not used`);
    return wrong;
  }
}
