import { parseJson } from "../../base/index.ts";
/** State of one server response so far. */
interface ResponseState {
  /** Number of tool calls that have begun. */
  calls: number;
  readonly byId: Map<string, number>;
  readonly begun: Set<number>;
}

/** JSON from another program: anything may be missing. */
type Loose = Record<string, unknown>;

/** Only texts that contain one of these can need repair; most chunks of a stream are not even parsed. */
const suspicious = /"tool_calls"|"role"\s*:\s*(?!"assistant"|""|null)|"choices"\s*:\s*null/;

/**
 * Repairs errors of servers of the OpenAI protocol that its client would reject or misread: tool calls without an id or
 * an index, arguments as an object or missing, an unknown role. Maps one text to another: the JSON of a whole response,
 * or of the chunks of a stream in order.
 */
export function createChatRepairer(): (json: string) => string {
  const state: ResponseState = { calls: 0, byId: new Map(), begun: new Set() };
  return (json) => {
    if (!suspicious.test(json)) return json;
    const value = parseJson(json);
    if (!isLoose(value)) return json;
    repairChunk(value, state);
    return JSON.stringify(value);
  };
}

function repairChunk(body: Loose, state: ResponseState): void {
  if (body["choices"] === null) body["choices"] = [];
  if (!Array.isArray(body["choices"])) return;
  for (const choice of body["choices"]) {
    if (!isLoose(choice)) continue;
    for (const key of ["delta", "message"]) {
      const message = choice[key];
      if (!isLoose(message)) continue;
      if (message["role"] !== "assistant" && typeof message["role"] === "string") delete message["role"];
      if (Array.isArray(message["tool_calls"])) message["tool_calls"] = message["tool_calls"].filter(isLoose);
      for (const call of listOf(message["tool_calls"])) repairToolCall(call, state, key === "message");
    }
  }
}

function repairToolCall(call: Loose, state: ResponseState, isWhole: boolean): void {
  const fn = isLoose(call["function"]) ? call["function"] : {};
  call["function"] = fn;
  const id = typeof call["id"] === "string" && call["id"].trim() !== "" ? call["id"] : undefined;
  const begins = isWhole || (typeof fn["name"] === "string" && fn["name"] !== "");
  const index = isWhole ? state.calls : indexOf(call, { id, begins, reported: state });
  if (!isWhole) call["index"] = index;
  if (id !== undefined) state.byId.set(id, index);
  else if (begins && !state.begun.has(index)) call["id"] = `call_${index}`;
  if (begins) state.begun.add(index);
  state.calls = Math.max(state.calls, index + 1);
  fn["arguments"] = argumentsOf(fn["arguments"], isWhole);
}

function indexOf(
  call: Loose,
  { id, begins, reported }: { id: string | undefined; begins: boolean; reported: ResponseState },
): number {
  if (typeof call["index"] === "number") return call["index"];
  const known = id === undefined ? undefined : reported.byId.get(id);
  if (known !== undefined) return known;
  return begins || id !== undefined ? reported.calls : Math.max(0, reported.calls - 1);
}

function argumentsOf(input: unknown, isWhole: boolean): unknown {
  if (typeof input === "string") return input;
  if (input === undefined || input === null) return isWhole ? "" : input;
  const text = JSON.stringify(input) ?? "";
  // A chunk with an empty object has no content yet.
  return text === "{}" ? "" : text;
}

function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value : [];
}

function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
