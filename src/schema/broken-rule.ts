import { type Issue, formatPath } from "../base/index.ts";
import { type ValueLocation, type Rule, maxSchemaIssues, ruleIssue, listValues, typeWithArticle } from "./rule.ts";
import { showValue } from "./show-value.ts";

/** A broken rule and its location; becomes an issue at the very end. */
export interface BrokenRule {
  readonly rule: Rule;
  readonly location: ValueLocation;
  /** The message of the schema's author, if it differs from the library's own. */
  readonly message?: string;
}

/** Issues in the order of the rules, each location and code once, at most 20. */
export function toIssues(broken: readonly BrokenRule[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const { rule, location, message } of broken) {
    if (issues.size >= maxSchemaIssues) break;
    const issue = message === undefined ? ruleIssue(rule, location) : quoted(rule.code, location.path, message);
    const key = `${issue.code} ${JSON.stringify(issue.path)}${issue.code === "custom" ? issue.message : ""}`;
    if (!issues.has(key)) issues.set(key, issue);
  }
  return [...issues.values()];
}

/** Some libraries begin their messages with the path, others omit it. */
function quoted(code: string, path: ValueLocation["path"], message: string): Issue {
  const name = formatPath(path);
  return { path, code, message: name === "" || message.startsWith(`${name} `) ? message : `${name}: ${message}` };
}

/**
 * Explains why a value matches none of several forms: lists the forms if the value resembles none of them, else the
 * issues of the nearest form.
 */
export function explainUnion(
  forms: readonly (readonly BrokenRule[])[],
  location: ValueLocation,
): readonly BrokenRule[] {
  const near = forms.filter((form) => !isWholly(form, location));
  if (near.length === 0) return [notAnyOf(forms.flat(), location)];
  const key = sharedDiscriminator(near, location);
  return key === undefined ? nearestForm(near, location) : [key];
}

/** True if the value itself is wrong, not something inside it. */
function isWholly(form: readonly BrokenRule[], location: ValueLocation): boolean {
  return form.length > 0 && form.every((broken) => broken.location.path.length <= location.path.length);
}

function notAnyOf(all: readonly BrokenRule[], location: ValueLocation): BrokenRule {
  const types = unique(all.flatMap(({ rule }) => (rule.code === "type" ? rule.expected : [])));
  const values = unique(all.flatMap(({ rule }) => (rule.code === "enum" ? rule.allowed : [])));
  const others = all.filter(({ rule }) => rule.code !== "type" && rule.code !== "enum");
  if (others.length > 0 && types.length + values.length === 0) return others[0] ?? fitsNothing(location);
  // A value of the right type that breaks another rule is closer than one of the wrong type.
  if (others[0] !== undefined) return others[0];
  if (values.length === 0) return { rule: { code: "type", expected: types }, location };
  if (types.length === 0) return { rule: { code: "enum", allowed: values }, location };
  const forms = [...types.map((type) => typeWithArticle(type)), `one of ${listValues(values)}`].join(" or ");
  return { rule: { code: "union", message: `must be ${forms}, got ${showValue(location.value)}` }, location };
}

function fitsNothing(location: ValueLocation): BrokenRule {
  return {
    rule: { code: "union", message: `has none of the allowed forms, got ${showValue(location.value)}` },
    location,
  };
}

/** All forms disagree on the same key, such as `kind`: lists the kinds. */
function sharedDiscriminator(
  forms: readonly (readonly BrokenRule[])[],
  location: ValueLocation,
): BrokenRule | undefined {
  const depth = location.path.length + 1;
  const keys = forms.map((form) =>
    form.find(
      ({ rule, location }) => rule.code === "enum" && location.path.length === depth && location.value !== undefined,
    ),
  );
  const first = keys[0];
  if (first === undefined || !keys.every((key) => key?.location.path.at(-1) === first.location.path.at(-1)))
    return undefined;
  const allowed = unique(keys.flatMap((key) => (key?.rule.code === "enum" ? key.rule.allowed : [])));
  return { rule: { code: "enum", allowed }, location: first.location };
}

function nearestForm(forms: readonly (readonly BrokenRule[])[], location: ValueLocation): readonly BrokenRule[] {
  let best: readonly BrokenRule[] = [fitsNothing(location)];
  let lowest = Infinity;
  for (const form of forms) {
    if (form.length === 0) continue;
    const score = distance(form, location);
    if (score < lowest) {
      lowest = score;
      best = form;
    }
  }
  return best;
}

/** A wrong type or a wrong constant weighs more than a missing or a malformed value. */
function distance(form: readonly BrokenRule[], location: ValueLocation): number {
  let score = 0;
  for (const { rule, location: at } of form) {
    const direct = at.path.length === location.path.length + 1;
    if (rule.code === "enum" && direct) score += 100;
    else score += rule.code === "type" ? 3 : 2;
  }
  return score;
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
