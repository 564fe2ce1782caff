import { type Issue, formatPath } from "../base/index.ts";
import { type ValueLocation, type Rule, maxSchemaIssues, ruleIssue } from "./rule.ts";
import { isRecord } from "./subschemas.ts";

/** A broken rule and its location; becomes an issue at the very end. */
export interface BrokenRule {
  readonly rule: Rule;
  readonly location: ValueLocation;
  /** The message of the schema's author, if it differs from the library's own. */
  readonly message?: string;
}

/** The value at a path, or undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let node = value;
  for (const key of path) {
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isRecord(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
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
