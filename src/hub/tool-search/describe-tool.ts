import { cutText, stripUnsafe } from "../../text/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import { type ToolParameter, toolParameters } from "./tool-parameters.ts";

const longestSummary = 400;
const mostShown = 16;

/** The parameters of a tool on one line: `query: string, limit?: integer`. Those that are needed come first. */
export function parameterSummary(tool: AnyTool): string {
  const all = toolParameters(tool.input.json);
  const ordered = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  const shown = ordered.slice(0, mostShown).map(oneParameter);
  const more = ordered.length - shown.length;
  return cutText(stripUnsafe([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ")), longestSummary, {
    at: "word",
  }).text;
}

function oneParameter({ name, type, required }: ToolParameter): string {
  return `${shownName(name)}${required ? "" : "?"}${type === "" ? "" : `: ${type}`}`;
}

/** A name that could be read as a sentence is quoted, and cut. */
function shownName(name: string): string {
  const clean = stripUnsafe(name).replaceAll(/\s+/g, " ");
  if (plainName.test(clean)) return clean;
  return JSON.stringify(clean.length > longestName ? `${clean.slice(0, longestName).toWellFormed()}…` : clean);
}

const longestName = 40;
const plainName = /^[\p{L}\p{N}_$.-]{1,64}$/u;

/** The effect in one word; `varies` where the arguments decide. */
export function effectWord({ effect }: AnyTool): Effect | "varies" {
  return typeof effect === "function" ? "varies" : effect;
}
