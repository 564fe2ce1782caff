import type { AnyTool } from "../../tool/index.ts";
import { toolParameters } from "./tool-parameters.ts";

/** A text of a tool's definition, and how much its words tell about what the tool is for. */
export interface ToolField {
  readonly text: string;
  readonly weight: number;
}

/** More of a text than this is not looked at: a description of megabytes is no description. */
const longestText = 4000;

/** What a tool can be found by. Names tell most, and what parameters are for tells least. */
export function toolFields(tool: AnyTool): ToolField[] {
  const { name, displayName, description, category, tags, aliases, capabilities } = tool;
  const slash = name.indexOf("/");
  const parameters = toolParameters(tool.input.json);
  const fields: ToolField[] = [
    { text: name.slice(slash + 1), weight: 2.5 },
    { text: name.slice(0, Math.max(0, slash)), weight: 1.5 },
    { text: displayName === name ? "" : displayName, weight: 2.5 },
    { text: aliases.join(" "), weight: 1.5 },
    { text: [...tags, ...capabilities].join("\n"), weight: 1.5 },
    { text: category, weight: 0.5 },
    { text: description, weight: 2.5 },
    { text: parameters.map((parameter) => parameter.name).join("\n"), weight: 0.7 },
    { text: parameters.map((parameter) => parameter.description).join("\n"), weight: 0.7 },
  ];
  return fields
    .filter(({ text }) => text !== "")
    .map(({ text, weight }) => ({ text: text.slice(0, longestText), weight }));
}
