import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { isLangChainTool } from "@langchain/core/utils/function_calling";
import type { LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from "@ai-sdk/provider";
import { FailureError } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { jsonSchemaOf } from "./langchain-schema.ts";

/**
 * Converts tools as LangChain binds them (its own, and the formats of OpenAI and Anthropic) to Windlass function tools.
 */
export function toFunctionTools(tools: readonly BindToolsInput[]): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const form = isLangChainTool(tool) ? { ...named(tool), schema: jsonSchemaOf(tool.schema) } : formOf(tool);
    if (form === undefined) {
      throw new FailureError("a tool that is neither a LangChain tool nor a function cannot be bound to this model", {
        code: "tool_invalid",
      });
    }
    const { schema, ...rest } = form;
    return { type: "function", ...rest, inputSchema: isRecord(schema) ? schema : { type: "object", properties: {} } };
  });
}

interface Form {
  readonly name: string;
  readonly description?: string;
  readonly schema: unknown;
}

function formOf(tool: unknown): Form | undefined {
  if (!isRecord(tool)) return undefined;
  const definition = isRecord(tool["function"]) ? tool["function"] : tool;
  const { name, parameters, input_schema: anthropic } = definition;
  if (typeof name !== "string" || name === "") return undefined;
  return { ...named({ name, description: definition["description"] }), schema: parameters ?? anthropic };
}

function named({ name, description }: { readonly name: string; readonly description?: unknown }): Omit<Form, "schema"> {
  return typeof description === "string" && description !== "" ? { name, description } : { name };
}

/** Converts LangChain's tool choice, in any of the forms that its models accept. */
export function toToolChoice(choice: unknown): LanguageModelV4ToolChoice | undefined {
  if (choice === undefined || choice === null || choice === "") return undefined;
  if (choice === "auto" || choice === "none") return { type: choice };
  if (choice === "any" || choice === "required") return { type: "required" };
  if (typeof choice === "string") return { type: "tool", toolName: choice };
  if (!isRecord(choice)) return undefined;
  const name = isRecord(choice["function"]) ? choice["function"]["name"] : choice["name"];
  return typeof name === "string" ? { type: "tool", toolName: name } : toToolChoice(choice["type"]);
}
