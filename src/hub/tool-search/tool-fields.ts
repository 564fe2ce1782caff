import type { AnyTool } from "../../tool/index.ts";
import { cutText, sentenceEnds, stripUnsafe } from "../../text/index.ts";
import { type JsonSchema, isRecord, resolveRef } from "../../schema/index.ts";

/** A text of a tool's definition, and the weight of its words. */
export interface ToolField {
  readonly text: string;
  readonly weight: number;
}

/** Characters of a description that are shown in a list of tools; some more are indexed. */
export const maxListedDescription = 240;
const maxTailLength = 1200;
/** Only this much of any other text is indexed: a longer description is not a better one. */
const maxOtherLength = 600;

/**
 * The searchable texts of a tool. Names weigh most, and descriptions of parameters least. Text that a search result
 * does not show weighs little: else a tool with a very long description would match everything.
 */
export function toolFields(tool: AnyTool): ToolField[] {
  const { name, displayName, description, category, tags, aliases, capabilities } = tool;
  const slash = name.indexOf("/");
  const parameters = toolParameters(tool.input.json);
  const summary = firstSentence(description, maxListedDescription);
  const rest = description.slice(0, maxListedDescription + maxTailLength);
  const fields: ToolField[] = [
    { text: name.slice(slash + 1), weight: 2.5 },
    { text: name.slice(0, Math.max(0, slash)), weight: 1.5 },
    { text: displayName === name ? "" : displayName.slice(0, maxTitleLength), weight: 2.5 },
    { text: aliases.join(" "), weight: 1.5 },
    { text: [...tags, ...capabilities].join("\n"), weight: 1.5 },
    { text: category, weight: 0.5 },
    { text: summary, weight: descriptionWeight },
    { text: rest, weight: restWeight },
    { text: parameters.map((parameter) => parameter.name).join("\n"), weight: 0.7 },
    { text: parameters.map((parameter) => parameter.description).join("\n"), weight: 0.7 },
  ];
  return fields
    .filter(({ text }) => text !== "")
    .map(({ text, weight }) => ({ text: text.slice(0, text === rest ? undefined : maxOtherLength), weight }));
}

const maxTitleLength = 80;
/** The rest repeats the listed part. */
const restWeight = 0.4;
const descriptionWeight = 2.5 - restWeight;

/** Maximum length of a text that is scanned for the end of its first sentence. */
const maxScannedChars = 2000;

/** The first sentence of a description on one line, up to a maximum length. Descriptions may be untrusted. */
export function firstSentence(description: string, maxLength: number): string {
  const text = stripUnsafe(description.slice(0, maxScannedChars)).replaceAll(/\s+/g, " ").trim();
  const [end = text.length] = sentenceEnds(text);
  return cutText(text.slice(0, end), maxLength).text;
}

/** A parameter of a tool, from its schema. */
export interface ToolParameter {
  readonly name: string;
  readonly description: string;
  /** `string`, `integer`, …; empty if the schema does not define it. */
  readonly type: string;
  readonly required: boolean;
}

/** Untrusted schemas may be nested deeply; deeper parameters, and those beyond the maximum, do not help the search. */
const maxDepth = 4;
const maxParameters = 200;

/** The parameters of a tool, in the order of its schema, including those behind references and in unions. */
export function toolParameters(json: JsonSchema): ToolParameter[] {
  const found = new Map<string, ToolParameter>();
  const read = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || depth > maxDepth) return;
    const { properties, required, $ref, allOf, anyOf, oneOf } = schema;
    const needed = new Set(Array.isArray(required) ? required : []);
    for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
      if (found.has(name) || found.size >= maxParameters) continue;
      found.set(name, { name, required: needed.has(name), ...about(json, property) });
    }
    if (typeof $ref === "string") read(resolveRef(json, $ref), depth + 1);
    for (const member of [allOf, anyOf, oneOf].flat()) read(member, depth + 1);
  };
  read(json, 0);
  return [...found.values()];
}

function about(root: JsonSchema, property: unknown): Pick<ToolParameter, "description" | "type"> {
  const own = isRecord(property) ? property : {};
  const target = typeof own["$ref"] === "string" ? resolveRef(root, own["$ref"]) : undefined;
  const { description, type } = { ...(isRecord(target) ? target : {}), ...own };
  return {
    description: typeof description === "string" ? description : "",
    type: Array.isArray(type) ? type.map(String).join(" or ") : typeof type === "string" ? type : "",
  };
}
