import type { AnyTool } from "../../tool/index.ts";
import { firstSentence } from "./first-sentence.ts";
import { toolParameters } from "./tool-parameters.ts";

/** A text of a tool's definition, and how much its words tell about what the tool is for. */
export interface ToolField {
  readonly text: string;
  readonly weight: number;
}

/** Of a description so much is told to those who look for a tool, and so much more is looked at. */
export const longestTold = 240;
const longestRest = 1200;
/** More of any other text than this is not looked at: many words are no better description than few. */
const longestOther = 600;

/**
 * What a tool can be found by. Names tell most, and what parameters are for tells least. What somebody who finds the tool
 * is not shown counts little: else whoever writes the most words would be found for all of them.
 */
export function toolFields(tool: AnyTool): ToolField[] {
  const { name, displayName, description, category, tags, aliases, capabilities } = tool;
  const slash = name.indexOf("/");
  const parameters = toolParameters(tool.input.json);
  const told = firstSentence(description, longestTold);
  const rest = description.slice(0, longestTold + longestRest);
  const fields: ToolField[] = [
    { text: name.slice(slash + 1), weight: 2.5 },
    { text: name.slice(0, Math.max(0, slash)), weight: 1.5 },
    { text: displayName === name ? "" : displayName.slice(0, longestTitle), weight: 2.5 },
    { text: aliases.join(" "), weight: 1.5 },
    { text: [...tags, ...capabilities].join("\n"), weight: 1.5 },
    { text: category, weight: 0.5 },
    { text: told, weight: toldWeight },
    { text: rest, weight: restWeight },
    { text: parameters.map((parameter) => parameter.name).join("\n"), weight: 0.7 },
    { text: parameters.map((parameter) => parameter.description).join("\n"), weight: 0.7 },
  ];
  return fields
    .filter(({ text }) => text !== "")
    .map(({ text, weight }) => ({ text: text.slice(0, text === rest ? undefined : longestOther), weight }));
}

const longestTitle = 80;
/** The rest holds what is told once more. */
const restWeight = 0.4;
const toldWeight = 2.5 - restWeight;
