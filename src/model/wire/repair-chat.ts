/** What one response of a server has told so far. */
interface Told {
  /** How many tool calls have begun. */
  calls: number;
  readonly byId: Map<string, number>;
  readonly begun: Set<number>;
}

/** JSON that somebody else wrote: anything may be missing. */
type Loose = Record<string, unknown>;

/** Only texts that have one of these can need mending; most pieces of a stream are not even parsed. */
const suspicious = /"tool_calls"|"role"\s*:\s*(?!"assistant"|""|null)|"choices"\s*:\s*null/;

/**
 * Mends what servers of the OpenAI protocol get wrong, in a way that its client would refuse or misunderstand: tool
 * calls without an id or an index, arguments as an object or not at all, a strange role. Gives back one text for
 * another: the JSON of a whole answer, or of the pieces of a stream in their order.
 */
export function createChatMender(): (json: string) => string {
  const told: Told = { calls: 0, byId: new Map(), begun: new Set() };
  return (json) => {
    if (!suspicious.test(json)) return json;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      return json;
    }
    if (!isLoose(value)) return json;
    mend(value, told);
    return JSON.stringify(value);
  };
}

function mend(body: Loose, told: Told): void {
  if (body["choices"] === null) body["choices"] = [];
  if (!Array.isArray(body["choices"])) return;
  for (const choice of body["choices"]) {
    if (!isLoose(choice)) continue;
    for (const key of ["delta", "message"]) {
      const said = choice[key];
      if (!isLoose(said)) continue;
      if (said["role"] !== "assistant" && typeof said["role"] === "string") delete said["role"];
      if (Array.isArray(said["tool_calls"])) said["tool_calls"] = said["tool_calls"].filter(isLoose);
      for (const call of listOf(said["tool_calls"])) mendCall(call, told, key === "message");
    }
  }
}

function mendCall(call: Loose, told: Told, isWhole: boolean): void {
  const fn = isLoose(call["function"]) ? call["function"] : {};
  call["function"] = fn;
  const id = typeof call["id"] === "string" && call["id"].trim() !== "" ? call["id"] : undefined;
  const begins = isWhole || (typeof fn["name"] === "string" && fn["name"] !== "");
  const index = isWhole ? told.calls : indexOf(call, { id, begins, told });
  if (!isWhole) call["index"] = index;
  if (id !== undefined) told.byId.set(id, index);
  else if (begins && !told.begun.has(index)) call["id"] = `call_${index}`;
  if (begins) told.begun.add(index);
  told.calls = Math.max(told.calls, index + 1);
  fn["arguments"] = argumentsOf(fn["arguments"], isWhole);
}

function indexOf(call: Loose, { id, begins, told }: { id: string | undefined; begins: boolean; told: Told }): number {
  if (typeof call["index"] === "number") return call["index"];
  const known = id === undefined ? undefined : told.byId.get(id);
  if (known !== undefined) return known;
  return begins || id !== undefined ? told.calls : Math.max(0, told.calls - 1);
}

function argumentsOf(given: unknown, isWhole: boolean): unknown {
  if (typeof given === "string") return given;
  if (given === undefined || given === null) return isWhole ? "" : given;
  const text = JSON.stringify(given) ?? "";
  // A piece that is an empty object stands for nothing yet.
  return text === "{}" ? "" : text;
}

function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value : [];
}

function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
