import type { AnyTool } from "../../tool/index.ts";
import { readTerms } from "./read-terms.ts";
import type { TermBag } from "./term-index.ts";
import { toolFields } from "./tool-fields.ts";

/** Characters of scripts without spaces say little one by one. */
const characterWeight = 0.5;

/** All terms of a tool's definition. */
export function toolBag(tool: AnyTool): TermBag {
  const bag = new Map<string, number>();
  for (const { text, weight } of toolFields(tool)) {
    readTerms(text, (term, kind) => {
      bag.set(term, (bag.get(term) ?? 0) + weight * (kind === "character" ? characterWeight : 1));
    });
  }
  return bag;
}

/** A name as it is compared: `webSearch`, `web_search` and `Web search` are one. */
export function foldName(name: string): string {
  return name
    .slice(0, 200)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s_\-./]+/g, "");
}
