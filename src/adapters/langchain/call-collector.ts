/** A tool call as a model wrote it: nothing of it is parsed, mended or believed. */
export interface RawCall {
  /** Empty where the model gave none. */
  readonly id: string;
  readonly name: string;
  /** The arguments, letter for letter. */
  readonly input: string;
}

/** A piece of a tool call, as LangChain's models stream them. */
export interface CallPiece {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  readonly index?: number | string | undefined;
}

/** A call that is being put together. */
interface GrowingCall {
  id: string;
  name: string;
  input: string;
  readonly index: number | string | undefined;
}

/** Puts tool calls together from their pieces, which some models send without an index, an id, or either. */
export class CallCollector {
  readonly #calls: GrowingCall[] = [];

  get calls(): readonly RawCall[] {
    return this.#calls;
  }

  /** Adds a piece to the call that it belongs to, and gives that call. */
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
    // Neither: more of the last one, unless it brings a name of its own.
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  #begin(index: CallPiece["index"]): GrowingCall {
    const call: GrowingCall = { id: "", name: "", input: "", index };
    this.#calls.push(call);
    return call;
  }
}
