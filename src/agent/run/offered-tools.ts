import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { estimateTokens } from "../../text/index.ts";
import { type AnyTool, type WireNames, type WireProvider, createWireNames, toOpenAITools } from "../../tool/index.ts";

const nothing = {};

/**
 * The tools offered to a model, in the order in which they were offered: later ones are appended, so that the prompt
 * prefix stays the same.
 */
export class OfferedTools {
  readonly #provider: WireProvider;
  readonly #tools = new Map<string, AnyTool>();
  #wireNamesMade: WireNames | undefined;
  #names: readonly string[] | undefined;
  #definitions: LanguageModelV4FunctionTool[] | undefined;
  #tokens: number | undefined;
  /** The registry when tools were last chosen from it: tools that are registered later are offered too. */
  seen: { readonly version: number; readonly names: ReadonlySet<string> } | undefined;

  /** @param family Model family: services differ in the names that they allow. */
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

  get names(): readonly string[] {
    return (this.#names ??= [...this.#tools.keys()]);
  }

  /**
   * Restores the order of an earlier execution of the run; tools that were not offered then follow.
   *
   * @param find The tool of a name; undefined if there is none any more.
   */
  restore(names: readonly string[], find: (name: string) => AnyTool | undefined): void {
    const known = this.names;
    if (names === known || names.every((name, index) => known[index] === name)) return;
    const present = new Map(this.#tools);
    this.#tools.clear();
    for (const name of names) {
      const tool = present.get(name) ?? find(name);
      // A tool may have another name now than it had then.
      if (tool !== undefined) this.#tools.set(tool.name, tool.formOf ?? tool);
    }
    for (const [name, tool] of present) this.#tools.set(name, tool);
    this.#renew();
  }

  /** Offers one more tool, starting with the next model request. */
  add(tool: AnyTool): void {
    if (this.#tools.get(tool.name) === tool) return;
    this.#tools.set(tool.name, tool);
    this.#renew();
  }

  #renew(): void {
    this.#names = undefined;
    this.#wireNamesMade = undefined;
    this.#definitions = undefined;
    this.#tokens = undefined;
  }

  /** Definitions in the form of the model's service. */
  get definitions(): LanguageModelV4FunctionTool[] {
    this.#definitions ??= toOpenAITools(this.tools, { names: this.#wireNames }).map(({ function: definition }) => ({
      type: "function",
      name: definition.name,
      description: definition.description,
      inputSchema: definition.parameters as LanguageModelV4FunctionTool["inputSchema"],
    }));
    return this.#definitions;
  }

  /** Their estimated tokens in a request. */
  get tokens(): number {
    this.#tokens ??= estimateTokens(JSON.stringify(this.definitions));
    return this.#tokens;
  }

  /** The tool's own name. A name that was never offered is returned unchanged. */
  nameOf(wireName: string): string {
    return this.#wireNames.fromWire(wireName) ?? wireName;
  }

  /** True if a tool with this name, or with this wire name, is offered. */
  knows(name: string): boolean {
    return this.#tools.has(name) || this.#wireNames.fromWire(name) !== undefined;
  }

  /** The names sent to the model. */
  get wireNames(): string[] {
    return this.definitions.map(({ name }) => name);
  }

  /** True if parameters of this tool have other names on the wire. */
  renames(wireName: string): boolean {
    // Renaming creates a new object.
    return this.argumentsOf(wireName, nothing) !== nothing;
  }

  /** The arguments of a call under the tool's own parameter names; the same object if no name differs. */
  argumentsOf(wireName: string, args: unknown): unknown {
    return this.#wireNames.argumentsFromWire(wireName, args);
  }

  get #wireNames(): WireNames {
    this.#wireNamesMade ??= createWireNames(this.tools, this.#provider);
    return this.#wireNamesMade;
  }
}
