import { type Failure, type Issue, failure } from "../base/index.ts";
import { showUnsafe, suggest } from "../text/index.ts";
import type { Answer } from "./approver.ts";
import type { Resolver } from "./core.ts";
import type { Ruling } from "./permissions.ts";

/** Nothing can be called by this name, or the target is no tool at all. */
export function notFound(target: unknown, resolver: Resolver): Failure {
  return typeof target === "string" ? toolNotFound(target, resolver) : notATool(target);
}

/** No tool has this name; the closest one is suggested. */
function toolNotFound(name: string, resolver: Resolver): Failure {
  const why = resolver.whyMissing?.(name);
  const close = suggest(name, why === undefined ? resolver.names() : withoutStandIns(name, resolver.names()));
  const shown = showUnsafe(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
  const hint = close === undefined ? "" : `; did you mean "${close}"?`;
  const message = `there is no tool named "${shown}"${why === undefined ? "" : `; ${why}`}${hint}`;
  return failure("tool_not_found", message, {
    forModel: `There is no tool named "${shown}"${hint || "."} Use one of the tools you were given.`,
  });
}

/** Where it is known why a tool is missing, one of the same name that somebody else offers is not what was meant. */
function withoutStandIns(name: string, names: Iterable<string>): string[] {
  return [...names].filter((each) => !each.endsWith(`/${name}`));
}

/** A name may be anything that a model made up. */
const longestName = 100;

/** What was called is neither a name nor a tool. */
function notATool(target: unknown): Failure {
  const kind = target === null ? "null" : typeof target;
  return failure("tool_not_found", `call() takes the name of a tool, or a tool made by defineTool(); got ${kind}`, {
    reason: "not_a_tool",
  });
}

/** What a schema found, and the parameters that nobody knows: the schema may have named some of those already. */
export function allIssues(found: readonly Issue[], unknown: readonly Issue[]): readonly Issue[] {
  if (unknown.length === 0) return found;
  const named = new Set(unknown.map(({ path }) => JSON.stringify(path)));
  return [...found.filter(({ code, path }) => code !== "unknown" || !named.has(JSON.stringify(path))), ...unknown];
}

/** The arguments do not fit, all reasons at once. */
export function invalidArguments(tool: string, issues: readonly Issue[]): Failure {
  const list = issues
    .map(({ message, suggestion }) =>
      suggestion === undefined || message.includes(suggestion) ? message : `${message}, did you mean "${suggestion}"?`,
    )
    .join("; ");
  return failure("validation_error", `${tool}: ${list}`, {
    issues,
    forModel: `The arguments of ${tool} are not valid: ${list}. Correct them and call again.`,
  });
}

/** The rules say no. */
export function denied(tool: string, { rule }: Ruling): Failure {
  const why = rule === undefined ? "no rule allows it" : `the rule "${rule}" denies it`;
  return failure("permission_denied", `${tool} may not be called here: ${why}`, { reason: "rule" });
}

/** A person said no, or nobody said anything yet. */
export function notApproved(tool: string, answer: Exclude<Answer, { kind: "approved" }>): Failure {
  if (answer.kind === "rejected") {
    const note = answer.note === undefined ? "" : `: ${answer.note}`;
    if (answer.asked === false) {
      return failure("permission_denied", `nobody was asked about this call of ${tool}${note}`, {
        reason: "not_asked",
      });
    }
    return failure("permission_denied", `a person rejected this call of ${tool}${note}`, { reason: "rejected" });
  }
  return failure("approval_required", `${tool} waits for approval ${answer.id}; after that, make the same call again`, {
    approvalId: answer.id,
    forModel: `A person has to approve this call of ${tool} first. Do not repeat it until then.`,
  });
}

/** Composites that call each other without end. */
export function nestedTooDeep(tool: string, deepest: number): Failure {
  return failure("rejected", `${tool} was called more than ${deepest} calls deep`, {
    reason: "nesting_too_deep",
    retry: "never",
  });
}
