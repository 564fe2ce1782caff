import type { JSONPathQuery, jsonpath } from "json-p3";
import { loadPackage, isFailureError } from "../base/index.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, spendTicks, spendText } from "./evaluation-frame.ts";
import { isEqual } from "./is-equal.ts";
import { type Missing, missing } from "./scope.ts";
import { type Pattern, compilePattern, isRecord } from "../schema/index.ts";

/** One selection: the whole document, and the remaining budget. */
export interface SelectRun {
  readonly document: unknown;
  readonly frame: EvaluationFrame;
  readonly span: SourceSpan;
}

/** The nodes that a query selects from a value. */
export type Query = (from: unknown, run: SelectRun) => unknown[];

/** True if a filter holds for this node. */
export type Test = (current: unknown, run: SelectRun) => boolean;

/** A value inside a filter; missing corresponds to Nothing in the standard. */
type Value = (current: unknown, run: SelectRun) => unknown;

type CompileQuery = (query: JSONPathQuery) => Query;

type FilterExpression = jsonpath.expressions.FilterExpression;

/** Compiles a filter expression to a test. */
export function compileTest(expression: FilterExpression, compileQuery: CompileQuery): Test {
  const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } =
    loadPackage("json-p3").jsonpath.expressions;
  if (expression instanceof LogicalExpression) return compileTest(expression.expression, compileQuery);
  if (expression instanceof PrefixExpression) {
    const test = compileTest(expression.right, compileQuery);
    return (current, run) => !test(current, run);
  }
  if (expression instanceof InfixExpression) {
    if (!expression.logical) return compileComparison(expression, compileQuery);
    const left = compileTest(expression.left, compileQuery);
    const right = compileTest(expression.right, compileQuery);
    if (expression.operator === "&&") return (current, run) => left(current, run) && right(current, run);
    return (current, run) => left(current, run) || right(current, run);
  }
  if (expression instanceof FilterQuery) {
    const nodes = compileNodes(expression, compileQuery);
    return (current, run) => nodes(current, run).length > 0;
  }
  if (expression instanceof FunctionExtension) return compileMatch(expression, compileQuery);
  throw unknownExpression();
}

/** `@…` starts from the node under test, `$…` from the document. */
function compileNodes(query: jsonpath.expressions.FilterQuery, compileQuery: CompileQuery): Query {
  const find = compileQuery(query.path);
  const { RootQuery } = loadPackage("json-p3").jsonpath.expressions;
  return query instanceof RootQuery ? (_current, run) => find(run.document, run) : find;
}

function compileComparison(
  { left, operator, right }: jsonpath.expressions.InfixExpression,
  compileQuery: CompileQuery,
): Test {
  const first = compileValue(left, compileQuery);
  const second = compileValue(right, compileQuery);
  const holds = comparisons.get(operator) ?? areEqual;
  return (current, run) => holds(first(current, run), second(current, run), run);
}

type Comparison = (a: unknown, b: unknown, run: SelectRun) => boolean;

const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["!=", (a, b, run) => !areEqual(a, b, run)],
  ["<", (a, b, run) => isLess(a, b, run)],
  [">", (a, b, run) => isLess(b, a, run)],
  ["<=", (a, b, run) => isLess(a, b, run) || areEqual(a, b, run)],
  [">=", (a, b, run) => isLess(b, a, run) || areEqual(a, b, run)],
]);

function areEqual(a: unknown, b: unknown, { frame, span }: SelectRun): boolean {
  if (a === missing || b === missing) return a === b;
  return isEqual(a, b, { frame, span });
}

function isLess(a: unknown, b: unknown, { frame, span }: SelectRun): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a !== "string" || typeof b !== "string") return false;
  spendText(frame, Math.min(a.length, b.length), span);
  return compareTexts(a, b) < 0;
}

function compileValue(expression: FilterExpression, compileQuery: CompileQuery): Value {
  const { BooleanLiteral, FilterQuery, FunctionExtension, NullLiteral, NumberLiteral, StringLiteral } =
    loadPackage("json-p3").jsonpath.expressions;
  if (expression instanceof NullLiteral) return () => null;
  if (
    expression instanceof BooleanLiteral ||
    expression instanceof NumberLiteral ||
    expression instanceof StringLiteral
  ) {
    const { value } = expression;
    return () => value;
  }
  if (expression instanceof FilterQuery) return onlyValue(compileNodes(expression, compileQuery));
  if (expression instanceof FunctionExtension) return compileFunction(expression, compileQuery);
  throw unknownExpression();
}

/** The value of the one node that a query finds. */
function onlyValue(nodes: Query): Value {
  return (current, run) => {
    const found = nodes(current, run);
    return found.length === 1 ? found[0] : missing;
  };
}

/** `length()`, `count()` and `value()`; the package has checked their arguments. */
function compileFunction({ name, args }: jsonpath.expressions.FunctionExtension, compileQuery: CompileQuery): Value {
  const { FilterQuery } = loadPackage("json-p3").jsonpath.expressions;
  const [argument] = args;
  if (argument === undefined) throw unknownExpression();
  if (name === "length") {
    const value = compileValue(argument, compileQuery);
    return (current, run) => lengthOf(value(current, run), run);
  }
  if (!(argument instanceof FilterQuery)) throw unknownExpression();
  const nodes = compileNodes(argument, compileQuery);
  if (name === "count") return (current, run) => nodes(current, run).length;
  if (name === "value") return onlyValue(nodes);
  throw unknownExpression();
}

function lengthOf(value: unknown, { frame, span }: SelectRun): number | Missing {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string") {
    spendText(frame, value.length, span);
    let characters = 0;
    // Counts code points, not UTF-16 units.
    for (let at = 0; at < value.length; at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters++;
    return characters;
  }
  if (!isRecord(value)) return missing;
  const { length } = Object.keys(value);
  spendTicks(frame, length, span);
  return length;
}

/** `match()` and `search()`. A pattern literal is compiled with the path, and refused with it. */
function compileMatch({ name, args }: jsonpath.expressions.FunctionExtension, compileQuery: CompileQuery): Test {
  const [subject, pattern] = args;
  if (subject === undefined || pattern === undefined || (name !== "match" && name !== "search"))
    throw unknownExpression();
  const text = compileValue(subject, compileQuery);
  const { StringLiteral } = loadPackage("json-p3").jsonpath.expressions;
  if (pattern instanceof StringLiteral) {
    const test = compileTextTest(pattern.value, name);
    return (current, run) => testText(test, text(current, run), run);
  }
  const source = compileValue(pattern, compileQuery);
  const tests = new Map<string, TextTest | undefined>();
  return (current, run) => {
    const found = source(current, run);
    if (typeof found !== "string") return false;
    if (!tests.has(found)) {
      // Patterns from the document are untrusted: each one costs ticks, and few are cached.
      spendTicks(run.frame, patternTicks, run.span);
      if (tests.size >= maxCachedPatterns) tests.clear();
      tests.set(found, compileTextTest(found, name));
    }
    return testText(tests.get(found), text(current, run), run);
  };
}

const patternTicks = 10_000;
const maxCachedPatterns = 16;

function unknownExpression(): ExpressionError {
  const message = "the JSONPath has an expression that is not in the standard";
  return new ExpressionError("select_refused", message, { at: 0, end: 0 });
}

/** Orders texts by code points; `<` orders them by UTF-16 units, which puts 😀 before ﬁ. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

/** Surrogates rank after every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** A pattern of `match()` or `search()`, which tests texts in linear time. */
type TextTest = Pattern;

/**
 * Compiles an I-Regexp (RFC 9485): `match` tests the whole text, `search` any part of it. Undefined for an invalid
 * pattern, which by the standard matches nothing. Throws `select_refused` for a pattern that is too large.
 */
function compileTextTest(pattern: string, name: "match" | "search"): TextTest | undefined {
  const translated = translate(pattern);
  if (translated === undefined) return undefined;
  try {
    return compilePattern(name === "match" ? `^(?:${translated})$` : translated);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw new ExpressionError("select_refused", error.message, { at: 0, end: 0, hint: "write a smaller pattern" });
  }
}

/** Steps of the matcher per tick. */
const stepsPerTick = 4;

/** True if the text matches; false for a value that is not text. */
function testText(test: TextTest | undefined, text: unknown, { frame, span }: SelectRun): boolean {
  if (test === undefined || typeof text !== "string") return false;
  spendTicks(frame, 1 + Math.ceil((text.length * test.stepsPerCharacter) / stepsPerTick), span);
  return test.test(text);
}

const escape = String.raw`\\[()*+\-.?[\\\]^nrt{|}]`;
const category = String.raw`\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}`;
const member = String.raw`(?:[^-[\\\]]|${escape})`;
const characterClass = String.raw`\[\^?(?:-|${member}-${member}|${member}|${category})(?:${member}-${member}|${member}|${category})*-?\]`;
const quantifier = String.raw`[*+?]|\{\d+(?:,\d*)?\}`;

/** One piece of a pattern. `^` and `$` are literal characters in the grammar, and the ends of the text in practice. */
const piece = new RegExp(
  String.raw`(?<dot>\.)|(?<atom>[^()*+.?[\\\]{|}\p{Cs}]|${escape}|${category}|${characterClass})|(?<open>\()|(?<close>\))|(?<bar>\|)|(?<times>${quantifier})`,
  "uy",
);

/** The pattern as the matcher writes it, or undefined if it is not an I-Regexp. */
function translate(pattern: string): string | undefined {
  let translated = "";
  let depth = 0;
  /** Something that a quantifier may follow comes right before. */
  let repeatable = false;
  for (let at = 0; at < pattern.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const groups = piece.exec(pattern)?.groups;
    if (groups === undefined) return undefined;
    const text = pattern.slice(at, piece.lastIndex);
    if (groups["times"] !== undefined && !repeatable) return undefined;
    if (groups["open"] !== undefined) depth++;
    if (groups["close"] !== undefined && --depth < 0) return undefined;
    repeatable = (groups["dot"] ?? groups["atom"] ?? groups["close"]) !== undefined;
    translated += written(groups, text);
  }
  return depth === 0 ? translated : undefined;
}

function written(groups: Readonly<Record<string, string | undefined>>, text: string): string {
  // The matcher's dot fits a carriage return, this one does not.
  if (groups["dot"] !== undefined) return String.raw`[^\n\r]`;
  return groups["open"] === undefined ? text : "(?:";
}
