import { cutText } from "../../text/index.ts";
import type { Skill } from "./skill.ts";

/** Fields that a catalogue needs. */
export type CatalogueEntry = Pick<Skill, "name" | "description" | "hidden">;

/** A description that is cut shorter says nothing any more. */
const shortestDescription = 60;

/**
 * Lists the skills for a prompt, one per line, by name, within a budget of characters. If they do not fit, the longest
 * descriptions are cut first, at the ends of sentences; then only the names are listed, and then as many of them as
 * fit. The same skills give the same text, so that prompts stay cacheable.
 *
 * @example
 * ```ts
 * skillCatalogue(folder.skills()); // "- pdf: Reads and fills PDF files.\n- report: Writes the weekly report."
 * ```
 */
export function skillCatalogue(
  skills: readonly CatalogueEntry[],
  budget: number = skillTable.catalogueChars.default,
): string {
  const entries = skills
    .filter(({ hidden }) => !hidden)
    .map(({ name, description }) => ({ name, description: description.replace(/\s+/gu, " ").trim() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const cutTo = (maxLength: number): string =>
    entries.map(({ name, description }) => `- ${name}: ${cutText(description, maxLength).text}`).join("\n");
  const fits = (maxLength: number): boolean => cutTo(maxLength).length <= budget;

  let [low, high] = [
    shortestDescription,
    Math.max(shortestDescription, ...entries.map((entry) => entry.description.length)),
  ];
  if (fits(high)) return cutTo(high);
  if (!fits(low)) return names(entries, budget);
  // Binary search for the longest cut that fits: `low` always does, `high` never.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return cutTo(low);
}

function names(entries: readonly { readonly name: string }[], budget: number): string {
  const all = entries.map(({ name }) => name);
  const whole = all.join(", ");
  if (whole.length <= budget) return whole;
  let length = 0;
  let shown = 0;
  for (const [at, name] of all.entries()) {
    length += name.length + 2;
    if (length + more(all.length - at - 1).length > budget) break;
    shown = at + 1;
  }
  const text = [...all.slice(0, shown), more(all.length - shown)].join(", ");
  return text.length <= budget ? text : "";
}

function more(count: number): string {
  return `and ${count} more: call skill without a name, or find_tools`;
}

/** Settings of `skills:` in `windlass.yaml`. */
export const skillTable = {
  directory: {
    type: "text",
    format: "folder",
    contents: { name: "skills", use: "loaded" },
    default: "skills",
    about: "Folder that skills are loaded from.",
  },
  code: {
    type: "flag",
    defaultText: "not loaded, with a warning per file; false: not loaded, no warning",
    about: "Load code and YAML tools from skill folders; this runs their code.",
  },
  trustAllowedTools: {
    type: "flag",
    needsTrust: true,
    default: false,
    about: "Call the allowed-tools of an active skill without approval; deny rules still apply.",
  },
  catalogueChars: {
    type: "count",
    default: 4_000,
    about: "Maximum characters of the list of skills in the system prompt.",
  },
  instructionChars: {
    type: "count",
    default: 20_000,
    about: "Maximum characters of skill instructions returned at once.",
  },
} as const;
