import { isRecord } from "../../schema/index.ts";
import { parseJson } from "../../base/index.ts";
import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelFamily, RawToolCall } from "../port/model-family.ts";
import { type ModelTextPiece, type TextReader, heldBack } from "../port/text-reader.ts";
import type { FinishReason, ModelCall } from "../port/model.ts";
import type { TurnDelta, TurnPart } from "../port/model-turn.ts";
import { isOnNewLine, parseTextCalls, textCallMarker } from "./parse-text-calls.ts";

/** Dependencies of {@link TurnBuilder}. */
export interface TurnBuilderDeps {
  readonly family: ModelFamily;
  readonly modelId: string;
  /** The tools that the model may call; undefined if it may call none. */
  readonly tools?: ModelCall["tools"] | undefined;
  /** The id of a call, from the one that the model provided and the index of the call in the response. */
  readonly idOf: (provided: string, index: number) => string;
  readonly onDelta?: ((delta: TurnDelta) => void) | undefined;
}

/** A part that is still growing. */
interface Draft {
  readonly type: "text" | "reasoning" | "tool-call";
  /** The name of the part in its stream. */
  readonly key: string;
  text: string;
  providerOptions: SharedV4ProviderOptions | undefined;
  reader?: TextReader;
  /** Text that is, or may begin, a tool call written as text; it is held back until the text ends. */
  held?: string;
  name?: string;
  id?: string;
  /** True once the call is complete. */
  complete?: boolean;
}

/** Builds the parts of a response from chunks and emits deltas as they arrive. */
export class TurnBuilder {
  readonly #parts: TurnBuilderDeps;
  readonly #drafts: Draft[] = [];
  #calls = 0;
  /** Calls arrive in chunks. */
  #inPieces = false;
  #thought = false;

  constructor(parts: TurnBuilderDeps) {
    this.#parts = parts;
  }

  // --- text and thinking

  begin(type: "text" | "reasoning", key: string, metadata?: SharedV4ProviderMetadata): void {
    this.#open(type, key, metadata);
  }

  add(type: "text" | "reasoning", key: string, piece: { delta: string; metadata?: Metadata }): void {
    const draft = this.#find(type, key) ?? this.#open(type, key, undefined);
    note(draft, piece.metadata);
    if (type === "reasoning") this.#grow(draft, "thinking", piece.delta);
    else
      this.#take(
        draft,
        (draft.reader ??= this.#parts.family.textReader(this.#thought, this.#parts.modelId)).push(piece.delta),
      );
  }

  end(type: "text" | "reasoning", key: string, metadata?: SharedV4ProviderMetadata): void {
    const draft = this.#find(type, key);
    if (draft === undefined) return;
    note(draft, metadata);
    this.#close(draft);
  }

  // --- tool calls

  beginCall(key: string, name: string, metadata?: SharedV4ProviderMetadata): void {
    this.#inPieces = true;
    this.#openCall(key, name, metadata);
  }

  addToCall(key: string, delta: string): void {
    const draft = this.#drafts.findLast((each) => each.type === "tool-call" && each.key === key);
    if (draft !== undefined) draft.text += delta;
  }

  completeCall(call: RawToolCall & { readonly metadata?: Metadata }): void {
    const { id, name, input } = this.#parts.family.repairCall(call);
    const isIt = (draft: Draft): boolean =>
      draft.type === "tool-call" && draft.key === call.id && draft.complete !== true;
    const begun = this.#inPieces ? this.#drafts.find(isIt) : undefined;
    const draft = begun ?? this.#openCall(id, name, undefined);
    draft.name = name;
    draft.text = input;
    draft.complete = true;
    note(draft, call.metadata);
  }

  // --- the whole

  /** The parts of the response, which ended for this reason. */
  build(finishReason: FinishReason): TurnPart[] {
    for (const draft of this.#drafts) this.#close(draft);
    const isWhole = finishReason === "stop" || finishReason === "tool-calls" || finishReason === "other";
    return this.#drafts.flatMap((draft) => (draft.type === "tool-call" ? toCall(draft, isWhole) : toText(draft)) ?? []);
  }

  #open(type: "text" | "reasoning", key: string, metadata: Metadata): Draft {
    const draft: Draft = { type, key, text: "", providerOptions: undefined };
    note(draft, metadata);
    this.#drafts.push(draft);
    return draft;
  }

  #openCall(key: string, name: string, metadata: Metadata): Draft {
    const id = this.#parts.idOf(key, this.#calls++);
    const draft: Draft = { type: "tool-call", key, text: "", providerOptions: undefined, name, id };
    note(draft, metadata);
    this.#drafts.push(draft);
    this.#parts.onDelta?.({ kind: "tool-call", id, name });
    return draft;
  }

  #find(type: Draft["type"], key: string): Draft | undefined {
    return this.#drafts.findLast((draft) => draft.type === type && draft.key === key);
  }

  #close(draft: Draft): void {
    const { reader } = draft;
    delete draft.reader;
    if (reader !== undefined) this.#take(draft, reader.end());
    const { held } = draft;
    if (held === undefined) return;
    delete draft.held;
    const isCall = held.startsWith(textCallMarker) && isOnNewLine(draft.text);
    const calls = isCall ? parseTextCalls(held, this.#parts.tools ?? []) : undefined;
    if (calls === undefined) this.#grow(draft, "text", held);
    for (const call of calls ?? []) this.completeCall(call);
  }

  #take(draft: Draft, pieces: readonly ModelTextPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind === "text") this.#addText(draft, piece.text);
      else this.#grow(this.#thoughtBefore(draft), "thinking", piece.text);
    }
  }

  /** Adds text, up to a tool call that is written as text. */
  #addText(draft: Draft, text: string): void {
    const { family, tools = [] } = this.#parts;
    if (family.writesTextCalls !== true || tools.length === 0) return this.#grow(draft, "text", text);
    if (draft.held?.startsWith(textCallMarker) === true) {
      draft.held += text;
      return;
    }
    const whole = (draft.held ?? "") + text;
    const at = whole.indexOf(textCallMarker);
    const end = at >= 0 ? at : whole.length - heldBack(whole, [textCallMarker]);
    this.#grow(draft, "text", whole.slice(0, end));
    if (end < whole.length) draft.held = whole.slice(end);
    else delete draft.held;
  }

  #grow(draft: Draft, kind: "text" | "thinking", text: string): void {
    if (text === "") return;
    if (kind === "thinking") this.#thought = true;
    draft.text += text;
    this.#parts.onDelta?.({ kind, text });
  }

  /** The thinking that precedes a text. */
  #thoughtBefore(text: Draft): Draft {
    const at = this.#drafts.indexOf(text);
    const before = this.#drafts[at - 1];
    if (before?.type === "reasoning" && before.key === text.key) return before;
    const thought: Draft = { type: "reasoning", key: text.key, text: "", providerOptions: undefined };
    this.#drafts.splice(at, 0, thought);
    return thought;
  }
}

type Metadata = SharedV4ProviderMetadata | undefined;

/** Merges metadata: a service may send it in several pieces, such as a signature after a thought. */
function note(draft: Draft, metadata: Metadata): void {
  if (metadata === undefined) return;
  const merged = { ...draft.providerOptions };
  for (const [provider, values] of Object.entries(metadata)) merged[provider] = { ...merged[provider], ...values };
  draft.providerOptions = merged;
}

function toText({ type, text, providerOptions }: Draft): TurnPart | undefined {
  const kind = type === "reasoning" ? "reasoning" : "text";
  if (providerOptions !== undefined) return { type: kind, text, providerOptions };
  return text.trim() === "" ? undefined : { type: kind, text };
}

function toCall({ id = "", name = "", text, complete, providerOptions }: Draft, isWhole: boolean): TurnPart {
  const input = text.trim() === "" && isWhole ? "{}" : text;
  const broken = isWhole && complete === true ? (isRecord(parseJson(input)) ? undefined : "unparsable") : "cut";
  const call = { type: "tool-call" as const, id, name, input };
  if (broken === undefined && providerOptions === undefined) return call;
  return { ...call, ...(broken && { broken }), ...(providerOptions && { providerOptions }) };
}
