import type { AnyTool } from "../../tool/index.ts";
import { readTerms } from "./read-terms.ts";
import type { TermBag } from "./term-index.ts";
import { type ToolField, toolFields } from "./tool-fields.ts";

/** Characters of scripts without spaces say little one by one. */
const characterWeight = 0.5;

/** The terms of one text count for no more than so many together: each of very many tells little about what a tool is for. */
const mostOfField = 48;

/** All terms of a tool's definition. */
export function toolBag(tool: AnyTool): TermBag {
  const bag = new Map<string, number>();
  for (const field of toolFields(tool)) addField(bag, field);
  return bag;
}

function addField(bag: Map<string, number>, { text, weight }: ToolField): void {
  const counts = new Map<string, number>();
  let total = 0;
  readTerms(text, (term, kind) => {
    const count = kind === "character" ? characterWeight : 1;
    counts.set(term, (counts.get(term) ?? 0) + count);
    total += count;
  });
  const share = weight * Math.min(1, mostOfField / total);
  for (const [term, count] of counts) bag.set(term, (bag.get(term) ?? 0) + count * share);
}

/** A name as it is compared: `webSearch`, `web_search` and `Web search` are one. */
export function foldName(name: string): string {
  return name
    .slice(0, 200)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_\-./]+/g, "");
}
