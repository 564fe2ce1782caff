import { type Name, type Passage, readCode } from "./read-code.ts";
import { type WordRule, identifierRules, textRules } from "./word-rules.ts";

/** A banned word in a file, or in its name. */
export interface Finding {
  readonly rule: WordRule;
  /** 0 for the name of the file. */
  readonly line: number;
  /** The word with some of the surrounding text. */
  readonly excerpt: string;
  /** Offset of the word in the excerpt. */
  readonly at: number;
}

/** Finds every banned word in a TypeScript file or a Markdown document, and in its path; of other files, in the path. */
export function findWords(file: string, source: string): Finding[] {
  const { names, passages } = file.endsWith(".md")
    ? readDocument(source)
    : file.endsWith(".ts")
      ? readCode(file, source)
      : { names: [], passages: [] };
  const lineOf = (at: number): number => source.slice(0, at).split("\n").length;
  const inPath = file.split("/").flatMap((part) => nameFindings(part, 0));
  const inNames = names.flatMap(({ start, name }) => nameFindings(name, lineOf(start)));
  const inTexts = passages.flatMap((passage) => textFindings(passage, lineOf));
  return [...inPath, ...inNames, ...inTexts].toSorted((a, b) => a.line - b.line);
}

function nameFindings(name: string, line: number): Finding[] {
  return identifierRules.flatMap((rule) => (isBanned(name, rule) ? [{ rule, line, excerpt: name, at: 0 }] : []));
}

function isBanned(name: string, { pattern, except }: WordRule): boolean {
  if (except?.test(name) === true) return false;
  return name.split(/[-_.#]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).some((part) => pattern.test(part));
}

// A sentence may span several lines.
const patterns = textRules.map((rule) => {
  const source = rule.pattern.source.replaceAll(" ", String.raw`\s+`);
  const isOfBeginning = source.startsWith("^");
  return { rule, isOfBeginning, pattern: new RegExp(source, `${rule.pattern.flags}${isOfBeginning ? "" : "g"}`) };
});

function textFindings({ start, text, kind }: Passage, lineOf: (at: number) => number): Finding[] {
  return patterns.flatMap(({ rule, isOfBeginning, pattern }) => {
    if (isOfBeginning && kind !== "comment") return [];
    const matches = isOfBeginning
      ? [pattern.exec(text)].filter((match) => match !== null)
      : [...text.matchAll(pattern)];
    return matches.map(({ index }) => {
      const at = index + (/^\s*/.exec(text.slice(index))?.[0].length ?? 0);
      const before = toOneLine(text.slice(Math.max(0, at - 30), at)).trimStart();
      return {
        rule,
        line: lineOf(start + at),
        excerpt: before + toOneLine(text.slice(at, at + 50)).trimEnd(),
        at: before.length,
      };
    });
  });
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Reads running text without code: fences, `code`, links and addresses are blanked, so that offsets are unchanged. */
function readDocument(source: string): { names: Name[]; passages: Passage[] } {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  const text = source
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank);
  // A sentence may span several lines, a table row or a heading may not.
  const joined = text.replaceAll(/(?<![|\n])\n(?![|\n#*-])/g, " ");
  return { names: [], passages: [{ start: 0, text: joined, kind: "document" }] };
}
