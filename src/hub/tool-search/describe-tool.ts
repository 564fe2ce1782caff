import { cutText, stripUnsafe } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import { type ToolParameter, toolParameters } from "./tool-fields.ts";

const maxSummaryLength = 400;
const maxListed = 16;

/** The parameters of a tool on one line: `query: string, limit?: integer`. Those that are needed come first. */
export function parameterSummary(tool: AnyTool): string {
  const all = toolParameters(tool.input.json);
  const ordered = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  const shown = ordered.slice(0, maxListed).map(oneParameter);
  const more = ordered.length - shown.length;
  return cutText(stripUnsafe([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ")), maxSummaryLength, {
    at: "word",
  }).text;
}

function oneParameter({ name, type, required }: ToolParameter): string {
  return `${quotedName(name)}${required ? "" : "?"}${type === "" ? "" : `: ${type}`}`;
}

/** A name that could be read as a sentence is quoted, and cut. */
function quotedName(name: string): string {
  const clean = stripUnsafe(name).replaceAll(/\s+/g, " ");
  if (plainName.test(clean)) return clean;
  return JSON.stringify(clean.length > maxNameLength ? `${clean.slice(0, maxNameLength).toWellFormed()}…` : clean);
}

const maxNameLength = 40;
const plainName = /^[\p{L}\p{N}_$.-]{1,64}$/u;
