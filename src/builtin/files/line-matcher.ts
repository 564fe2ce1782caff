import { isFailureError, loadPackage } from "../../base/index.ts";
import { compilePattern } from "../../schema/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";

/** Offset and length of the first match, in UTF-16 units. */
export interface LineMatch {
  readonly at: number;
  readonly length: number;
}

/** Finds something in a line, in time linear in its length. */
export interface LineMatcher {
  /** True if a text of many lines may contain a match. Much faster than line by line. */
  mayHold(text: string): boolean;
  find(line: string): LineMatch | undefined;
}

/** A text or pattern to search for. */
export interface LineQuery {
  readonly query: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** Creates a matcher for plain text, or for a pattern; patterns that need backtracking are refused. */
export function lineMatcher({ query, regex, ignoreCase }: LineQuery): LineMatcher {
  if (!regex && !ignoreCase) return plainMatcher(query);
  const { RE2JS } = loadPackage("re2js");
  if (regex) checkPattern(query);
  const source = regex ? RE2JS.translateRegExp(query) : RE2JS.quote(query);
  const pattern = RE2JS.compile(source, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  return {
    // A pattern for an empty line or for the ends of a text can match a line and not the whole text.
    mayHold: (text) => /[$^]|\\[AzZbB]/.test(source) || pattern.test(text),
    find: (line) => {
      const matcher = pattern.matcher(line);
      return matcher.find() ? { at: matcher.start(), length: matcher.end() - matcher.start() } : undefined;
    },
  };
}

function plainMatcher(query: string): LineMatcher {
  return {
    mayHold: (text) => text.includes(query),
    find: (line) => {
      const at = line.indexOf(query);
      return at === -1 ? undefined : { at, length: query.length };
    },
  };
}

function checkPattern(query: string): void {
  try {
    compilePattern(query);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw fileToolFailure("bad_pattern", error.message);
  }
}
