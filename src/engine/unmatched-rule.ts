import { suggest } from "../text/index.ts";
import { isSlip } from "./is-slip.ts";
import { selectorIn, selectorWords } from "./permissions.ts";

/** What a rule can be about. */
export interface RuleSubjects {
  /** The names of the tools, aliases among them. Asked only where a rule is about names. */
  readonly tools: () => ReadonlySet<string>;
  /** Where tools come from. */
  readonly sources: () => ReadonlySet<string>;
}

/** Where the tools of a workspace come from. */
export const usualSources: readonly string[] = ["tools", "skills", "mcps", "chains", "hub"];

/** A rule that is about nothing that there is. */
export interface UnmatchedRule {
  /** The name of a tool or of a source in it. */
  readonly name: string;
  readonly message: string;
  /** What it most likely was to be about. */
  readonly near: string | undefined;
  /** What is misspelt: a word of the rules, or a source. None where it may be the name of something that comes later. */
  readonly misspelt: "word" | "source" | undefined;
}

/** Tells of a rule that is about a tool or a source that there is not. What has a `*` may be for tools that come later. */
export function unmatchedRule(rule: string, { tools, sources }: RuleSubjects): UnmatchedRule | undefined {
  const { kind, value } = selectorIn(rule);
  switch (kind) {
    case "tool":
      return tools().has(value) ? undefined : unknownTool(value, tools());
    case "source":
      return sources().has(value) ? undefined : unknownSource(value, sources());
    case "other":
      return undefined;
    default:
      return kind satisfies never;
  }
}

function unknownTool(name: string, known: ReadonlySet<string>): UnmatchedRule {
  // No tool has a blank in its name: what follows it was to be the end of a rule.
  const rules = /\s/.test(name) ? [...known].map((tool) => `${tool} trusted`) : [];
  const near = suggest(name, [...known, ...selectorWords, ...rules]);
  const isWord = near !== undefined && selectorWords.includes(near) && isSlip(name, near);
  return { name, message: `there is no tool "${name}"`, near, misspelt: isWord ? "word" : undefined };
}

function unknownSource(source: string, known: ReadonlySet<string>): UnmatchedRule {
  const near = suggest(source, known);
  const found = { name: source, message: `no tool comes from "${source}"` };
  if (near === undefined) return { ...found, near, misspelt: undefined };
  return { ...found, near: `source:${near}`, misspelt: isSlip(source, near) ? "source" : undefined };
}
