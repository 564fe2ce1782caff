import { type BrokenRule, explainUnion } from "./broken-rule.ts";
import { valueAt } from "./subschemas.ts";
import type { ValueLocation, Rule } from "./rule.ts";
import type { StandardIssue } from "./standard-schema.ts";

/** A Zod issue, with the fields of its `code`. */
type ZodIssue = StandardIssue & Readonly<Record<string, unknown>>;

/** Translates a Zod issue; `at` is the location of the schema that reported it. */
export function toBrokenRule(issue: ZodIssue, at: ValueLocation): readonly BrokenRule[] {
  const inner = issuePath(issue);
  const location: ValueLocation = { path: [...at.path, ...inner], value: valueAt(at.value, inner) };
  if (issue["code"] === "unrecognized_keys") return list(issue["keys"]).map((key) => unknownKey(String(key), location));
  if (issue["code"] === "invalid_union") return union(issue, location);
  const rule = ruleOf(issue, location);
  // A message that is not Zod's own was written by the tool's author; a missing value needs no custom message.
  const ours = defaultZodMessage.test(issue.message) || rule.code === "custom" || rule.code === "required";
  return [ours ? { rule, location } : { rule, location, message: issue.message }];
}

const defaultZodMessage = /^(?:Invalid |Too big: |Too small: |Unrecognized key)/;

/** The path of a Standard Schema issue, whose parts may be keys or objects with a key. */
export function issuePath(issue: StandardIssue): (string | number)[] {
  // Some libraries return a list of a custom class.
  return Array.from(issue.path ?? [], (part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "symbol" ? String(key) : key;
  });
}

function unknownKey(key: string, location: ValueLocation): BrokenRule {
  return { rule: { code: "unknown", known: [] }, location: { path: [...location.path, key], value: undefined } };
}

function union(issue: ZodIssue, location: ValueLocation): readonly BrokenRule[] {
  const options = list(issue["options"]);
  if (options.length > 0) {
    const rule: Rule = location.value === undefined ? { code: "required" } : { code: "enum", allowed: options };
    return [{ rule, location }];
  }
  if (issue["inclusive"] === false) {
    return [
      { rule: { code: "union", message: "matches more than one of several mutually exclusive forms" }, location },
    ];
  }
  if (location.value === undefined && location.path.length > 0) return [{ rule: { code: "required" }, location }];
  const forms = list(issue["errors"]).map((form) =>
    list(form).flatMap((inner) => toBrokenRule(inner as ZodIssue, location)),
  );
  return explainUnion(forms, location);
}

function ruleOf(issue: ZodIssue, location: ValueLocation): Rule {
  switch (issue["code"]) {
    case "invalid_type":
      return typeRule(String(issue["expected"]), location);
    case "invalid_value":
      return location.value === undefined && location.path.length > 0
        ? { code: "required" }
        : { code: "enum", allowed: list(issue["values"]) };
    case "too_small":
      return boundRule("min", String(issue["origin"]), { limit: issue["minimum"], inclusive: issue["inclusive"] });
    case "too_big":
      return boundRule("max", String(issue["origin"]), { limit: issue["maximum"], inclusive: issue["inclusive"] });
    case "not_multiple_of":
      return { code: "multiple_of", divisor: issue["divisor"] };
    case "invalid_format":
      return formatRule(issue);
    case "invalid_key":
      return { code: "custom", message: "is not an allowed key" };
    default:
      return { code: "custom", message: customMessage(issue.message) };
  }
}

function typeRule(expected: string, location: ValueLocation): Rule {
  if (location.value === undefined && location.path.length > 0) return { code: "required" };
  return expected === "never"
    ? { code: "custom", message: "is not allowed here" }
    : { code: "type", expected: [expected] };
}

function boundRule(
  bound: "min" | "max",
  origin: string,
  { limit, inclusive }: { limit: unknown; inclusive: unknown },
): Rule {
  if (origin === "string") return { code: `${bound}_length`, limit };
  if (origin === "array" || origin === "set" || origin === "tuple") return { code: `${bound}_items`, limit };
  if (origin === "object" || origin === "record" || origin === "map") return { code: `${bound}_properties`, limit };
  const shown = origin === "date" ? new Date(Number(limit)) : limit;
  return { code: bound, limit: shown, exclusive: inclusive === false };
}

/** Zod's names of formats that differ from those of JSON Schema. */
const formatNames: ReadonlyMap<string, string> = new Map([
  ["datetime", "date-time"],
  ["guid", "uuid"],
]);

function formatRule(issue: ZodIssue): Rule {
  const format = String(issue["format"]);
  if ((format === "regex" || format === "template_literal") && typeof issue["pattern"] === "string") {
    return { code: "pattern", pattern: issue["pattern"].replace(/^\/(.*)\/[a-z]*$/s, "$1") };
  }
  if (format === "starts_with")
    return { code: "custom", message: `must start with ${JSON.stringify(issue["prefix"])}` };
  if (format === "ends_with") return { code: "custom", message: `must end with ${JSON.stringify(issue["suffix"])}` };
  if (format === "includes") return { code: "custom", message: `must include ${JSON.stringify(issue["includes"])}` };
  return { code: "format", format: formatNames.get(format) ?? format };
}

function customMessage(message: string): string {
  return message === "Invalid input" ? "is not valid" : `is not valid: ${message}`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
