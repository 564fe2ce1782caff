import { type Issue, formatPath } from "../base/index.ts";
import { type Place, type Rule, mostIssues, ruleIssue } from "./rule.ts";
import { isRecord } from "./subschemas.ts";

/** A rule and the place where it was broken; becomes an issue at the very end. */
export interface Broken {
  readonly rule: Rule;
  readonly place: Place;
  /** The words of the schema's author, where they differ from the library's own. */
  readonly message?: string;
}

/** The value at a path, or undefined where there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let node = value;
  for (const key of path) {
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isRecord(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
}

/** Issues in the order of the rules, each place and code once, at most 20. */
export function toIssues(broken: readonly Broken[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const { rule, place, message } of broken) {
    if (issues.size >= mostIssues) break;
    const issue = message === undefined ? ruleIssue(rule, place) : quoted(rule.code, place.path, message);
    const key = `${issue.code} ${JSON.stringify(issue.path)}${issue.code === "custom" ? issue.message : ""}`;
    if (!issues.has(key)) issues.set(key, issue);
  }
  return [...issues.values()];
}

/** Some libraries begin their messages with the path, some leave it to the reader. */
function quoted(code: string, path: Place["path"], message: string): Issue {
  const name = formatPath(path);
  return { path, code, message: name === "" || message.startsWith(`${name} `) ? message : `${name}: ${message}` };
}
