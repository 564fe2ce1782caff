import type { ToolDefinition } from "@langchain/core/language_models/base";
import type { SharedV4Warning } from "@ai-sdk/provider";
import type { ModelCall } from "../../model/index.ts";

/** The tools of a call, in the form that every chat model of LangChain takes. */
export function offeredTools({ tools = [] }: ModelCall): ToolDefinition[] {
  return tools.flatMap((tool): ToolDefinition[] => {
    if (tool.type !== "function") return [];
    const { name, description, inputSchema } = tool;
    const parameters = { ...inputSchema };
    return [{ type: "function", function: { name, ...(description !== undefined && { description }), parameters } }];
  });
}

/** Whether the model may, must or must not call tools, in LangChain's words. Nothing where it may. */
export function toolChoice({ toolChoice: choice }: ModelCall): { readonly tool_choice?: string } {
  switch (choice?.type) {
    case undefined:
    case "auto":
      return {};
    case "none":
      return { tool_choice: "none" };
    case "required":
      return { tool_choice: "any" };
    case "tool":
      return { tool_choice: choice.toolName };
    default:
      return choice satisfies never;
  }
}

const settings = [
  "temperature",
  "maxOutputTokens",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "reasoning",
] as const;

/** What of a call the model does not get to know. */
export function unheeded(call: ModelCall, areSettingsKnown: boolean): SharedV4Warning[] {
  const { tools = [], responseFormat } = call;
  const left = areSettingsKnown ? [] : settings.filter((name) => isSet(call[name]));
  const foreign = tools.flatMap((tool) => (tool.type === "provider" ? [`the tool ${tool.id}`] : []));
  const form = responseFormat?.type === "json" && !areSettingsKnown ? ["responseFormat"] : [];
  return [...left, ...foreign, ...form].map((feature) => ({
    type: "unsupported",
    feature,
    details: "A chat model of LangChain is told this only by the option callOptions of fromLangChainModel.",
  }));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== "provider-default";
}
