import type { ModelCall } from "./model.ts";
import type { modelTable } from "./model-table.ts";
import type { TextReader } from "./text-reader.ts";

/** Description of an offered tool, as passed to a model family. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/** Settings of a model request besides the call itself. */
export interface FamilyOptions {
  /** Amount of thinking before the model responds. Default: decided by the service. */
  readonly thinking?: Thinking | undefined;
  /** The client that sends the call. */
  readonly client?: ModelClient | undefined;
  readonly modelId: string;
}

/** `off`, an effort level, or a token budget. */
export type Thinking = "off" | "low" | "medium" | "high" | number;

/** The namespace of options for the client of the OpenAI protocol. */
export const compatibleOptions = "windlass";

/** The clients that a model can be opened with. */
export type ModelClient = (typeof modelTable.provider.choices)[number];

/** A tool call as it came over the wire: anything may be missing. */
export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/**
 * The particulars of one family of models. {@link baseFamily} has none; derive another from it with `{ ...baseFamily,
 * name, includes, … }` and register it with `registerModelFamily`.
 */
export interface ModelFamily {
  readonly name: string;
  /** True if the model with this id, at this provider, belongs to the family. */
  includes(modelId: string, provider: string): boolean;
  /** The system prompt with the instructions about tool use that this family needs. */
  systemPrompt(base: string, tools: readonly OfferedTool[]): string;
  /** The user's message, with a reminder if the family tends to respond without using its tools. */
  userMessage(text: string, needsTools: boolean): string;
  /** The call as this family needs it: with thinking requested, without incompatible settings. */
  prepare(call: ModelCall, habits: FamilyOptions): ModelCall;
  /**
   * Separates text from thinking and leaked markup, chunk by chunk; `thought` is true if thinking arrived separately.
   */
  textReader(thought: boolean, modelId: string): TextReader;
  /** Its models may write tool calls as text; calls of offered tools at the end of a text are then made. */
  readonly writesTextCalls?: boolean;
  /** True if the model with this id takes images. Default: false. */
  takesImages?(modelId: string): boolean;
  /** A tool call with the quirks of this family repaired. */
  repairCall(call: RawToolCall): RawToolCall;
  /**
   * The thinking that its services accept back: that of its `own` models, only its own `signed` thinking, or `any`,
   * which they also require with every call.
   */
  readonly thoughts: "own" | "signed" | "any";
}
