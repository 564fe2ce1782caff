/** A tool call as a model wrote it: not parsed, repaired or validated. */
export interface RawCall {
  /** Empty if the model gave none. */
  readonly id: string;
  readonly name: string;
  /** The arguments, letter for letter. */
  readonly input: string;
}

/** A chunk of a tool call, as LangChain's models stream them. */
export interface CallPiece {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  readonly index?: number | string | undefined;
}

/** A call that is being assembled. */
interface GrowingCall {
  id: string;
  name: string;
  input: string;
  readonly index: number | string | undefined;
}

/** Assembles tool calls from chunks, which some models send without an index, an id, or either. */
export class CallCollector {
  readonly #calls: GrowingCall[] = [];

  get calls(): readonly RawCall[] {
    return this.#calls;
  }

  /** Adds a chunk to its call, and returns that call. */
  add({ id = "", name = "", args = "", index }: CallPiece): RawCall {
    const call = this.#find(id, name, index) ?? this.#begin(index);
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    call.input += args;
    return call;
  }

  #find(id: string, name: string, index: CallPiece["index"]): GrowingCall | undefined {
    const isOther = (call: GrowingCall): boolean => id !== "" && call.id !== "" && call.id !== id;
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index && !isOther(call));
    if (id !== "") return this.#calls.findLast((call) => call.id === id);
    // Neither: a continuation of the last call, unless it has its own name.
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  #begin(index: CallPiece["index"]): GrowingCall {
    const call: GrowingCall = { id: "", name: "", input: "", index };
    this.#calls.push(call);
    return call;
  }
}
