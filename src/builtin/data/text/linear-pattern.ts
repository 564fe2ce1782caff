import type * as Re2Js from "re2js";
import { type Clock, isFailureError, loadPackage } from "../../../base/index.ts";
import { compilePattern } from "../../../schema/index.ts";
import { quoteText } from "../../../text/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { dataLimits } from "../data-limits.ts";

/** One match in a text, in UTF-16 units. */
export interface PatternMatch {
  readonly at: number;
  readonly end: number;
  /** Returns a group by number or name: its text, empty if it did not participate, `undefined` if it does not exist. */
  readonly group: (which: number | string) => string | undefined;
  /** Number of groups of the pattern. */
  readonly groups: number;
}

/** A pattern and its options. */
export interface PatternQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/**
 * Iterates over all matches of a pattern. A single search takes time linear in the text, but many of them may read the
 * same text repeatedly; so the whole has a deadline.
 */
export function* findAll(query: PatternQuery, text: string, clock: Clock): Generator<PatternMatch, void, undefined> {
  const regex = compile(query);
  checkSteps(regex.programSize(), text.length);
  const matcher = regex.matcher(text);
  const groups = matcher.groupCount();
  const until = clock.elapsed() + dataLimits.matchMs;
  while (matcher.find()) {
    yield { at: matcher.start(), end: matcher.end(), groups, group: (which) => groupOf(matcher, which) };
    if (clock.elapsed() > until) {
      throw dataFailure("too_costly", "the pattern takes too long on this text; make it simpler, or the text shorter", {
        parameter: "pattern",
      });
    }
  }
}

/**
 * Refuses a search that would take too long: nothing stops it once it has begun, and large repetitions multiply its
 * steps.
 */
function checkSteps(size: number, length: number): void {
  const maxLength = Math.floor(dataLimits.matchSteps / size);
  if (length <= maxLength) return;
  const max = `write smaller repetitions, or send at most ${maxLength} characters`;
  const message = `the pattern takes too many steps for ${length} characters of text; ${max}`;
  throw dataFailure("too_costly", message, { parameter: "pattern" });
}

function groupOf(matcher: Re2Js.Matcher, which: number | string): string | undefined {
  if (typeof which === "number") return which > matcher.groupCount() ? undefined : (matcher.group(which) ?? "");
  const named = matcher.getNamedGroups();
  return Object.hasOwn(named, which) ? (named[which] ?? "") : undefined;
}

function compile({ pattern, ignoreCase }: PatternQuery): Re2Js.RE2JS {
  try {
    // Reports unsupported syntax in plain words, and keeps patterns small.
    compilePattern(pattern);
    const { RE2JS } = loadPackage("re2js");
    const source = pattern.replaceAll(/\\([pP])\{(?:Script|sc)=(\w+)\}/g, String.raw`\$1{$2}`);
    return RE2JS.compile(RE2JS.translateRegExp(source), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    const message = isFailureError(error) ? why : `the pattern ${quoteText(pattern)} cannot be used: ${why}`;
    throw dataFailure("bad_pattern", message, { parameter: "pattern", cause: error });
  }
}
