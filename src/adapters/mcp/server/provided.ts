import type { QuestionAnswer, Question } from "../../../tool/index.ts";
import type { GetPromptResult, Prompt, ReadResourceResult, Resource, ResourceTemplateType } from "./sdk.ts";

/** Something that can be read, beside the tools. */
export interface ProvidedResources {
  list(signal: AbortSignal): Promise<readonly Resource[]> | readonly Resource[];
  /** Addresses with a part that the client fills in. */
  templates?(signal: AbortSignal): Promise<readonly ResourceTemplateType[]> | readonly ResourceTemplateType[];
  /** Undefined where there is nothing at this address. */
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult["contents"] | undefined>;
  /** What could be filled in. */
  complete?(template: string, argument: Completing): Promise<readonly string[]> | readonly string[];
  /** Tells of changes: of one address, or, without one, of the list. Returns the function that ends it. */
  watch?(changed: (uri?: string) => void): () => void;
}

/** Prompts that a client can offer to its person. */
export interface ProvidedPrompts {
  list(signal: AbortSignal): Promise<readonly Prompt[]> | readonly Prompt[];
  /** Undefined where there is no such prompt. It may ask the person for what it needs. */
  get(name: string, args: Readonly<Record<string, string>>, asking: PromptAsking): Promise<GetPromptResult | undefined>;
  complete?(prompt: string, argument: Completing): Promise<readonly string[]> | readonly string[];
  watch?(changed: () => void): () => void;
}

/** What goes with a request for a prompt. */
export interface PromptAsking {
  readonly signal: AbortSignal;
  readonly elicit: (question: Question, key?: string) => Promise<QuestionAnswer>;
}

/** An argument of which a part is typed. */
export interface Completing {
  readonly name: string;
  readonly value: string;
}
