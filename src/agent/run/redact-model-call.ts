import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { ModelCall } from "../../model/index.ts";
import { type SubSchema, mapSubSchemas } from "../../schema/index.ts";
import type { Redactor } from "../../secrets/index.ts";

type Part = Exclude<LanguageModelV4Message["content"], string>[number];
type Tool = NonNullable<ModelCall["tools"]>[number];

/**
 * A model request without known secrets, in any of its messages. Only texts change: services depend on roles, types,
 * ids and names, and require signed parts unchanged.
 */
export function redactModelCall(call: ModelCall, redactor: Redactor): ModelCall {
  if (!redactor.knowsAny()) return call;
  const cover = new ModelCallRedaction(redactor);
  const { tools, responseFormat } = call;
  return {
    ...call,
    prompt: call.prompt.map((message) => cover.message(message)),
    ...(tools !== undefined && { tools: tools.map((tool) => cover.tool(tool)) }),
    ...(responseFormat?.type === "json" && { responseFormat: cover.described(responseFormat, "schema") }),
  };
}

/** Schema keywords that hold text or examples for readers. All other keywords validate values. */
const texts: readonly string[] = ["title", "description", "$comment", "default", "example", "examples"];

class ModelCallRedaction {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  message(message: LanguageModelV4Message): LanguageModelV4Message {
    if (message.role === "system") return { ...message, content: this.#text(message.content) };
    // The kind of each part stays the same, so the parts still match the role.
    return { ...message, content: message.content.map((part) => this.#part(part)) } as LanguageModelV4Message;
  }

  #part(part: Part): Part {
    switch (part.type) {
      case "text":
        return { ...part, text: this.#text(part.text) };
      case "reasoning":
        // A signed part must stay unchanged; its signer already knows the text.
        return part.providerOptions === undefined ? { ...part, text: this.#text(part.text) } : part;
      case "file":
        return this.#file(part);
      case "tool-call":
        return { ...part, input: this.#redactor.knownTexts(part.input) };
      case "tool-result":
        return { ...part, output: this.#output(part.output) };
      case "tool-approval-response":
        return part.reason === undefined ? part : { ...part, reason: this.#text(part.reason) };
      default:
        return part;
    }
  }

  #file<T extends Pick<LanguageModelV4FilePart, "data">>(part: T): T {
    const { data } = part;
    return data.type === "text" ? { ...part, data: { ...data, text: this.#text(data.text) } } : part;
  }

  #output(output: LanguageModelV4ToolResultOutput): LanguageModelV4ToolResultOutput {
    switch (output.type) {
      case "text":
      case "error-text":
        return { ...output, value: this.#text(output.value) };
      case "json":
      case "error-json":
        // Data of the same shape; its keys come from the tool as well.
        return { ...output, value: this.#redactor.known(output.value) as typeof output.value };
      case "execution-denied":
        return output.reason === undefined ? output : { ...output, reason: this.#text(output.reason) };
      case "content":
        return {
          ...output,
          value: output.value.map((item) => {
            if (item.type === "text") return { ...item, text: this.#text(item.text) };
            return item.type === "file" ? this.#file(item) : item;
          }),
        };
    }
  }

  tool(tool: Tool): Tool {
    if (tool.type !== "function") return tool;
    const { inputExamples } = tool;
    // Examples keep their shape, with redacted texts.
    const examples = this.#redactor.knownTexts(inputExamples) as LanguageModelV4FunctionTool["inputExamples"];
    const described = this.described(tool, "inputSchema");
    return examples === undefined ? described : { ...described, inputExamples: examples };
  }

  /** Redacts the description and the schema under this key. */
  described<T extends { readonly description?: string }>(definition: T, schema: keyof T): T {
    const { description } = definition;
    return {
      ...definition,
      ...(description !== undefined && { description: this.#text(description) }),
      ...(definition[schema] !== undefined && { [schema]: this.#schema(definition[schema] as SubSchema) }),
    };
  }

  #schema(schema: SubSchema): SubSchema {
    if (typeof schema === "boolean") return schema;
    const safe = mapSubSchemas(schema, (inner) => this.#schema(inner));
    for (const name of texts) if (Object.hasOwn(safe, name)) safe[name] = this.#redactor.knownTexts(safe[name]);
    return safe;
  }

  #text(text: string): string {
    return String(this.#redactor.known(text));
  }
}
