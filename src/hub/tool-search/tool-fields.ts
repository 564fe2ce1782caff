import type { AnyTool } from "../../tool/index.ts";
import { firstSentence } from "./first-sentence.ts";
import { toolParameters } from "./tool-parameters.ts";

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
