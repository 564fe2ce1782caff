import type { JsonSchema } from "../../schema/index.ts";
import { toolKinds } from "./tool-kind.ts";

const text = { type: "string", minLength: 1 };
const anything = { description: "A value with ${…} in it." };

/** The format of a file of `capabilities/` as JSON Schema, for editors and for the reader of the file. */
export const contractFileSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass capability",
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { ...text, description: "The capability, such as search; tools are called by it as capability:search." },
    description: { ...text, description: "Its purpose, for people and models." },
    aliases: { type: "array", items: text, description: "Other names of the same capability." },
    kind: {
      enum: [...toolKinds],
      description:
        "How several tools are used: calculate and time take the first that succeeds, search and extract put the " +
        "results together, other tries one after another.",
    },
    input: { description: "JSON Schema of the input, an object." },
    output: { description: "JSON Schema of the output that callers get, regardless of the tool that runs." },
    non_empty: { ...text, description: "A JSONPath into the output; a result that has nothing there does not count." },
    merge: {
      type: "object",
      required: ["list", "key"],
      additionalProperties: false,
      properties: {
        list: { ...text, description: "The key of the output that has a list." },
        key: { ...text, description: "The key of an item by which two are the same, such as url." },
        max_items: { ...text, description: "The argument with the requested number of items." },
      },
      description: "How the results of several tools become one list.",
    },
    tools: {
      type: "object",
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: { arguments: { type: "object", description: "Arguments for the tool." }, result: anything },
      },
      description: "How tools serve it, by name (with * for any part) or as source:mcps.",
    },
  },
};
