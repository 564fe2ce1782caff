import type { ElicitResult, ElicitRequest } from "../../../tool/index.ts";
import type { GetPromptResult, Prompt, ReadResourceResult, Resource, ResourceTemplateType } from "./sdk.ts";

/** Resources that clients can read, beside the tools. */
export interface McpResourceProvider {
  list(signal: AbortSignal): Promise<readonly Resource[]> | readonly Resource[];
  /** Addresses with parameters that the client fills in. */
  templates?(signal: AbortSignal): Promise<readonly ResourceTemplateType[]> | readonly ResourceTemplateType[];
  /** Undefined if there is no resource at this address. */
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult["contents"] | undefined>;
  /** Returns completions of the argument. */
  complete?(template: string, argument: CompletionRequest): Promise<readonly string[]> | readonly string[];
  /** Reports changes: of one address, or, without one, of the list. Returns a function that unsubscribes. */
  watch?(changed: (uri?: string) => void): () => void;
}

/** Prompts that a client can offer to its user. */
export interface McpPromptProvider {
  list(signal: AbortSignal): Promise<readonly Prompt[]> | readonly Prompt[];
  /** Returns undefined if there is no such prompt. May elicit missing arguments from the user. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    request: PromptRequestOptions,
  ): Promise<GetPromptResult | undefined>;
  complete?(prompt: string, argument: CompletionRequest): Promise<readonly string[]> | readonly string[];
  watch?(changed: () => void): () => void;
}

/** Options of a request for a prompt. */
export interface PromptRequestOptions {
  readonly signal: AbortSignal;
  readonly elicit: (elicitation: ElicitRequest, key?: string) => Promise<ElicitResult>;
}

/** A partially typed argument. */
export interface CompletionRequest {
  readonly name: string;
  readonly value: string;
}
