import type { ModelCall } from "../model.ts";
import type { TextReader } from "./text-reader.ts";

/** What a family is told of a tool that is offered. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/** How a model is to be asked, besides the call itself. */
export interface FamilyHabits {
  /** How much it is to think before it answers; the service decides where absent. */
  readonly thinking?: Thinking | undefined;
  /** Which client carries the call. */
  readonly client?: ModelClient | undefined;
  readonly modelId: string;
}

/** `off`, an effort in words, or a budget of tokens. */
export type Thinking = "off" | "low" | "medium" | "high" | number;

/** The namespace of options for the client of the OpenAI protocol. */
export const compatibleOptions = "windlass";

/** The clients that a model can be opened with. */
export type ModelClient = "openai-compatible" | "anthropic" | "google";

/** A tool call as it came over the wire: anything may be missing. */
export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/**
 * What is particular about models of one family. {@link baseFamily} is one that has no particulars; another is made of
 * it with `{ ...baseFamily, name, includes, … }` and made known with `registerFamily`.
 */
export interface ModelFamily {
  readonly name: string;
  /** Is a model of this name, at this provider, one of the family? */
  includes(modelId: string, provider: string): boolean;
  /** The system prompt with what this family has to be told about using tools. */
  systemPrompt(base: string, tools: readonly OfferedTool[]): string;
  /** The user's message, with a reminder where the family tends to answer without its tools. */
  userMessage(text: string, needsTools: boolean): string;
  /** The call as this family takes it: thinking asked for, settings dropped that do not go with it. */
  prepare(call: ModelCall, habits: FamilyHabits): ModelCall;
  /** How text is told from thinking and from leaked markup, piece by piece; `thought` where thinking came apart from it. */
  textReader(thought: boolean): TextReader;
  /** A tool call with its quirks mended. */
  repairCall(call: RawToolCall): RawToolCall;
  /**
   * Whose thoughts its services take back: those of its `own` models, only its own that are `signed`, or `any`, which
   * they also want with every call that was made.
   */
  readonly thoughts: "own" | "signed" | "any";
}
