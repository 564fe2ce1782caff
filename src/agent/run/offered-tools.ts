import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { estimateTokens } from "../../text/index.ts";
import { type AnyTool, type WireNames, type WireProvider, createWireNames, toOpenAITools } from "../../tool/index.ts";

const nothing = {};

/** The tools that a model is told of, in the order in which it was: what comes later is behind, so that prompts stay alike. */
export class OfferedTools {
  readonly #provider: WireProvider;
  readonly #tools = new Map<string, AnyTool>();
  #names: WireNames | undefined;
  #definitions: LanguageModelV4FunctionTool[] | undefined;
  #tokens: number | undefined;

  /** @param family Of the model: services differ in the names that they allow. */
  constructor(tools: Iterable<AnyTool>, family: string) {
    this.#provider = family === "gemini" ? "gemini" : family === "claude" ? "anthropic" : "openai";
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  get size(): number {
    return this.#tools.size;
  }

  get tools(): readonly AnyTool[] {
    return [...this.#tools.values()];
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Offers one more, from the next question on. */
  add(tool: AnyTool): void {
    if (this.#tools.get(tool.name) === tool) return;
    this.#tools.set(tool.name, tool);
    this.#names = undefined;
    this.#definitions = undefined;
    this.#tokens = undefined;
  }

  /** As the model's service takes them. */
  get definitions(): LanguageModelV4FunctionTool[] {
    this.#definitions ??= toOpenAITools(this.tools, { names: this.#wireNames }).map(({ function: definition }) => ({
      type: "function",
      name: definition.name,
      description: definition.description,
      inputSchema: definition.parameters as LanguageModelV4FunctionTool["inputSchema"],
    }));
    return this.#definitions;
  }

  /** What they take in a request, by estimate. */
  get tokens(): number {
    this.#tokens ??= estimateTokens(JSON.stringify(this.definitions));
    return this.#tokens;
  }

  /** The tool's own name. One that was never offered is left as it is. */
  nameOf(wireName: string): string {
    return this.#wireNames.fromWire(wireName) ?? wireName;
  }

  /** Is a tool offered that has this name, or is sent under it? */
  knows(name: string): boolean {
    return this.#tools.has(name) || this.#wireNames.fromWire(name) !== undefined;
  }

  /** The names that the model was told. */
  get toldNames(): string[] {
    return this.definitions.map(({ name }) => name);
  }

  /** Are parameters of this tool sent under other names? */
  renames(wireName: string): boolean {
    // What is renamed is an object of its own.
    return this.argumentsOf(wireName, nothing) !== nothing;
  }

  /** The arguments of a call, by the tool's own parameters; the same object where they have the same names. */
  argumentsOf(wireName: string, args: unknown): unknown {
    return this.#wireNames.argumentsFromWire(wireName, args);
  }

  get #wireNames(): WireNames {
    this.#names ??= createWireNames(this.tools, this.#provider);
    return this.#names;
  }
}
