import type { AgentTextTable } from "../../texts/agent-text-table.ts";
import { widestTerms } from "../notes/salient-terms.ts";

const maxListed = 5;

/** Formats the search terms for the user. */
export function formatTerms(terms: readonly string[], { quoted, comma }: AgentTextTable): string {
  return widestTerms(terms).slice(0, maxListed).map(quoted).join(comma);
}
