import { type Issue, formatPath } from "../base/index.ts";
import { suggest } from "../text/index.ts";
import { showValue } from "./show-value.ts";

/** A rule that a value broke, in the vocabulary that every schema dialect is translated into. */
export type Rule =
  | { readonly code: "type"; readonly expected: readonly string[] }
  | { readonly code: "required" }
  | UnknownRule
  | { readonly code: "pattern"; readonly pattern: string }
  | { readonly code: "enum"; readonly allowed: readonly unknown[] }
  | BoundRule
  | { readonly code: SizeCode; readonly limit: unknown }
  | { readonly code: "multiple_of"; readonly divisor: unknown }
  | { readonly code: "unique_items" }
  | { readonly code: "format"; readonly format: string }
  | { readonly code: "union" | "custom"; readonly message: string };

interface UnknownRule {
  readonly code: "unknown";
  readonly known: readonly string[];
  /** The known keys that the value does not have yet: candidates for a misspelled one. */
  readonly free?: readonly string[];
}

interface BoundRule {
  readonly code: "min" | "max";
  readonly limit: unknown;
  readonly exclusive?: boolean;
}

type SizeCode = "min_length" | "max_length" | "min_items" | "max_items" | "min_properties" | "max_properties";

/** The location of a broken rule, and the value that broke it. */
export interface ValueLocation {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Maximum number of issues in one result: readers fix the first ones first. */
export const maxSchemaIssues = 20;

/** A broken rule as an issue that a person or a model can act on. */
export function ruleIssue(rule: Rule, { path, value }: ValueLocation): Issue {
  const name = path.length === 0 ? "the value" : formatPath(path);
  if (rule.code === "unknown") return unknownIssue(rule, path);
  const suggestion = rule.code === "enum" ? nearest(value, rule.allowed) : undefined;
  const hint = suggestion === undefined ? "" : `; did you mean ${JSON.stringify(suggestion)}?`;
  return {
    path,
    code: rule.code,
    message: `${name} ${sentence(rule, value)}${hint}`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function sentence(rule: Exclude<Rule, { code: "unknown" }>, value: unknown): string {
  if ("message" in rule) return rule.message;
  if (rule.code === "min" || rule.code === "max") return boundSentence(rule, value);
  if ("limit" in rule) return sizeSentence(rule.code, rule.limit, value);
  switch (rule.code) {
    case "type":
      return `must be ${rule.expected.map(typeWithArticle).join(" or ")}, got ${showValue(value)}`;
    case "required":
      return "is required";
    case "pattern":
      return `must match the pattern ${rule.pattern}, got ${showValue(value)}`;
    case "enum":
      return enumSentence(rule.allowed, value);
    case "multiple_of":
      return `must be a multiple of ${String(rule.divisor)}, got ${showValue(value)}`;
    case "unique_items":
      return "must not contain the same item twice";
    case "format":
      return `must be ${formatName(rule.format)}, got ${showValue(value)}`;
    default:
      return rule satisfies never;
  }
}

function enumSentence(allowed: readonly unknown[], value: unknown): string {
  if (allowed.length === 1) return `must be ${showValue(allowed[0])}, got ${showValue(value)}`;
  return `must be one of ${listValues(allowed)}; got ${showValue(value)}`;
}

function boundSentence({ code, limit, exclusive = false }: BoundRule, value: unknown): string {
  const [open, closed] = code === "min" ? ["more than", "at least"] : ["less than", "at most"];
  const shown = typeof limit === "bigint" ? String(limit) : showValue(limit);
  return `must be ${exclusive ? open : closed} ${shown}, got ${showValue(value)}`;
}

const units: ReadonlyMap<string, string> = new Map([
  ["length", "character"],
  ["items", "item"],
  ["properties", "key"],
]);

function sizeSentence(code: SizeCode, limit: unknown, value: unknown): string {
  const [bound, measure = ""] = code.split("_");
  const unit = `${units.get(measure) ?? measure}${limit === 1 ? "" : "s"}`;
  return `must have ${bound === "min" ? "at least" : "at most"} ${String(limit)} ${unit}, has ${sizeOf(value)}`;
}

function sizeOf(value: unknown): number {
  // Characters as JSON Schema counts them: code points.
  if (typeof value === "string") return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function unknownIssue({ known, free = known }: UnknownRule, path: ValueLocation["path"]): Issue {
  const key = String(path.at(-1));
  const suggestion = suggest(key, free);
  const inside = path.length > 1 ? ` in ${formatPath(path.slice(0, -1))}` : "";
  const listed = known.length === 0 ? "" : `; known: ${listValues(known)}`;
  const remedy = suggestion === undefined ? listed : `; did you mean "${suggestion}"?`;
  return {
    path,
    code: "unknown",
    message: `unknown key ${showValue(key)}${inside}${remedy}`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function nearest(value: unknown, allowed: readonly unknown[]): string | undefined {
  if (typeof value !== "string") return undefined;
  return suggest(
    value,
    allowed.filter((item) => typeof item === "string"),
  );
}

/** Values as a list for a message, the first dozen of them. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 12).map((item) => (isPlainWord(item) ? item : showValue(item)));
  return shown.join(", ") + (values.length > shown.length ? `, … (${values.length} in all)` : "");
}

function isPlainWord(value: unknown): value is string {
  return (
    typeof value === "string" && /^[\p{L}\p{N}_./-]{1,40}$/u.test(value) && !/^(?:\d|null$|true$|false$)/.test(value)
  );
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["array", "an array"],
  ["bigint", "an integer written as a string"],
  ["boolean", "true or false"],
  ["date", "a date-time such as 2026-01-31T10:00:00Z"],
  ["int", "an integer"],
  ["integer", "an integer"],
  ["null", "null"],
  ["number", "a number"],
  ["object", "an object"],
  ["record", "an object"],
  ["string", "a string"],
  ["tuple", "an array"],
]);

/** A type as a message names it: `an array`. */
export function typeWithArticle(type: string): string {
  return typeNames.get(type) ?? type;
}

const formatNames: ReadonlyMap<string, string> = new Map([
  ["date-time", "a date-time such as 2026-01-31T10:00:00Z"],
  ["date", "a date such as 2026-01-31"],
  ["time", "a time such as 10:00:00Z"],
  ["email", "an email address"],
  ["uri", "a URL"],
  ["url", "a URL"],
  ["hostname", "a host name"],
  ["ipv4", "an IPv4 address"],
  ["ipv6", "an IPv6 address"],
  ["uuid", "a UUID"],
]);

function formatName(format: string): string {
  return formatNames.get(format) ?? `in the format ${format}`;
}
