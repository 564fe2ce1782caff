import { type Failure, type Issue, formatPath } from "../base/index.ts";
import { unknownKeys, withoutUnknownKeys } from "../schema/index.ts";
import type { AnyTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import { invalidArgumentsFailure, noIssues } from "./call-failures.ts";
import { emitInvalid } from "./finish-call.ts";

/** A caller may send a key of any length. */
const maxPathLength = 100;

/**
 * Adds the undeclared parameters that are refused to the issues of a validation: all of them in strict mode, those that
 * the context names, and in a chain those that its author wrote. Removes the others from the arguments.
 */
export function checkUndeclared(call: Call, tool: AnyTool, found: readonly Issue[] = noIssues): readonly Issue[] {
  // During an asynchronous validation the caller may have changed them.
  if (call.hasDeclaredArgs && call.readyAt === call.startedAt) return found;
  const { strictValidation = call.core.strict } = call.context;
  const issues = strictValidation === false ? found : mergeIssues(found, refusedKeys(call, tool, strictValidation));
  if (issues.length > 0) return issues;
  const declared = withoutUnknownKeys(tool.input, call.rawArgs);
  if (declared === call.rawArgs) return issues;
  const unknown = unknownKeys(tool.input.json, call.rawArgs);
  const isStep = call.context.callerType === "workflow_node" && !call.nested && strictValidation === false;
  const refused = isStep ? unknown.filter(({ path }) => path.length === 1) : noIssues;
  if (refused.length === 0) ignore(call, declared, unknown);
  return refused;
}

function refusedKeys(
  { core, rawArgs }: Call,
  { input }: AnyTool,
  strict: true | ReadonlySet<string>,
): readonly Issue[] {
  const unknown = unknownKeys(input.json, rawArgs);
  if (core.strict || strict === true) return unknown;
  // A tool that gets undeclared parameters may know one that resembles no other.
  const isRefused = ({ suggestion }: Issue): boolean => suggestion !== undefined || input.keepsUndeclared !== true;
  return unknown.filter((issue) => issue.path.length === 1 && strict.has(String(issue.path[0])) && isRefused(issue));
}

/**
 * Merges the issues of a schema with the unknown parameters, without duplicates: the schema may have reported some of
 * those already.
 */
function mergeIssues(found: readonly Issue[], unknown: readonly Issue[]): readonly Issue[] {
  if (unknown.length === 0) return found;
  const named = new Set(unknown.map(({ path }) => JSON.stringify(path)));
  return [...found.filter(({ code, path }) => code !== "unknown" || !named.has(JSON.stringify(path))), ...unknown];
}

/** Emits the issues of the arguments and returns the failure of the call. */
export function refuseArguments(call: Call, issues: readonly Issue[]): Failure {
  emitInvalid(call, issues);
  return invalidArgumentsFailure(call.name, issues);
}

/**
 * Removes undeclared parameters from the arguments of a call: they never reach a handler, and approvals and records
 * show the arguments that it gets.
 */
export function removeUndeclared(call: Call, tool: AnyTool): void {
  const declared = withoutUnknownKeys(tool.input, call.rawArgs);
  if (declared !== call.rawArgs) ignore(call, declared, unknownKeys(tool.input.json, call.rawArgs));
}

function ignore(call: Call, declared: unknown, unknown: readonly Issue[]): void {
  const paths = unknown.map(({ path }) => formatPath(path).slice(0, maxPathLength));
  call.ignored = [...(call.ignored ?? []), ...paths];
  call.rawArgs = declared;
}
