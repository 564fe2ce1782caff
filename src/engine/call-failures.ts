import { type Failure, type Issue, exceedsKeys, failure, inputLimits, plainJsonSize } from "../base/index.ts";
import { declaredJsonSize } from "../schema/index.ts";
import { showUnsafe, suggestEnding } from "../text/index.ts";
import type { AnyTool } from "../tool/index.ts";
import type { ApprovalAnswer } from "./approver.ts";
import type { RefusedApproval } from "./request-approval.ts";
import { type CallContext, checkTimeouts } from "./call-context.ts";
import type { EngineCore, Resolver } from "./engine-core.ts";
import { thrownMessage } from "./handler-failure.ts";
import type { PermissionDecision } from "./permissions.ts";

/** Shared by calls without issues. */
export const noIssues: readonly Issue[] = [];

/** Failure of a call whose target is an unknown name, or not a tool at all. */
export function targetNotFoundFailure(target: unknown, resolver: Resolver): Failure {
  return typeof target === "string" ? toolNotFoundFailure(target, resolver) : notATool(target);
}

/** A call whose tool was found. */
interface FoundCall {
  readonly core: Pick<EngineCore, "unavailable">;
  readonly context: CallContext;
  rawArgs: unknown;
  argsChars: number | undefined;
  hasDeclaredArgs: boolean;
}

/** Returns why a call is refused before its arguments are validated, if it is. */
export function refuseCall(call: FoundCall, tool: AnyTool): Failure | undefined {
  if (tool.broken !== undefined) return tool.broken;
  const unavailable = call.core.unavailable(tool);
  if (unavailable !== undefined) return failure("not_available", unavailable, { retry: "never" });
  const refusal = refuseSize(call, tool);
  return refusal === undefined ? checkTimeouts(call.context) : refusal;
}

/** Measures the arguments, and refuses those with too many keys. */
function refuseSize(call: FoundCall, tool: AnyTool): Failure | undefined {
  const declared = declaredJsonSize(tool.input, call.rawArgs, maxCharsOfKeys);
  call.hasDeclaredArgs = declared >= 0;
  const chars = call.hasDeclaredArgs ? declared : plainJsonSize(call.rawArgs, maxCharsOfKeys);
  if (chars >= 0 && chars !== Infinity) call.argsChars = chars;
  else if (exceedsKeys(call.rawArgs, inputLimits.argumentObjectKeys)) return refuseKeys(call);
  return undefined;
}

/** Failure of a call in which a schema, an effect function, an approver or a store threw. */
export function internalFailure(name: string, error: unknown): Failure {
  return failure("execution_error", `${name}: ${thrownMessage(error)}`, { reason: "internal", retry: "never" });
}

/** Arguments with fewer characters of JSON cannot have too many keys: a key takes four, without its name. */
const maxCharsOfKeys = 4 * inputLimits.argumentObjectKeys;

function refuseKeys(call: FoundCall): Failure {
  // For the record: to write such arguments as JSON takes as long as to validate them.
  call.rawArgs = { $truncated: true, preview: `more than ${inputLimits.argumentObjectKeys} keys` };
  return tooManyKeysFailure();
}

function tooManyKeysFailure(): Failure {
  const message = `the arguments have more than ${inputLimits.argumentObjectKeys} keys; send fewer`;
  return failure("validation_error", message, {
    issues: [{ path: [], code: "args_too_large", message }],
    reason: "args_too_large",
    retry: "never",
  });
}

/** Failure for an unknown tool name, with the closest name as a suggestion. */
function toolNotFoundFailure(name: string, resolver: Resolver): Failure {
  const error = resolver.fileError?.(name);
  if (error !== undefined) {
    return failure("tool_not_found", brokenFileMessage(name, error.file), {
      reason: "broken_file",
      forModel: `There is no tool named "${name}". Use one of the tools you were given.`,
    });
  }
  const why = resolver.whyMissing?.(name);
  const shown = showUnsafe(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);
  const hint = suggestEnding(name, why === undefined ? resolver.names() : withoutStandIns(name, resolver.names()));
  const message = `there is no tool named "${shown}"${why === undefined ? "" : `; ${why}`}${hint}`;
  return failure("tool_not_found", message, {
    forModel: `There is no tool named "${shown}"${hint || "."} Use one of the tools you were given.`,
  });
}

/** Message for a tool that is missing because of an error of its file. */
export function brokenFileMessage(name: string, file: string): string {
  return `${name} is in ${file}, which has errors`;
}

/**
 * Drops suggestions of tools from other sources with the same name: if it is known why a tool is missing, those were
 * not meant.
 */
function withoutStandIns(name: string, names: Iterable<string>): string[] {
  return [...names].filter((each) => !each.endsWith(`/${name}`));
}

/** A model may produce a name of any length. */
const maxNameLength = 100;

/** Failure of a call whose target is neither a name nor a tool. */
function notATool(target: unknown): Failure {
  const kind = target === null ? "null" : typeof target;
  return failure("tool_not_found", `call() takes the name of a tool, or a tool made by defineTool(); got ${kind}`, {
    reason: "not_a_tool",
  });
}

/** Failure for invalid arguments, with all issues at once. */
export function invalidArgumentsFailure(tool: string, issues: readonly Issue[]): Failure {
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
export function deniedFailure(tool: string, { rule }: PermissionDecision): Failure {
  const why = rule === undefined ? "no rule allows it" : `the rule "${rule}" denies it`;
  return failure("permission_denied", `${tool} may not be called here: ${why}`, { reason: "rule" });
}

/** Failure of a call that was rejected, or whose approval is pending. */
export function notApprovedFailure(
  tool: string,
  answer: Exclude<ApprovalAnswer, { kind: "approved" }> | RefusedApproval,
): Failure {
  if (answer.kind === "refused") return answer.failure;
  if (answer.kind === "rejected") {
    const note = answer.note === undefined ? "" : `: ${answer.note}`;
    if (answer.wasRequested === false) {
      return failure("permission_denied", `no approver is available for this call of ${tool}${note}`, {
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

/** Failure for composites that call each other without end. */
export function nestingTooDeepFailure(tool: string, maxDepth: number): Failure {
  return failure("rejected", `${tool} was called more than ${maxDepth} calls deep`, {
    reason: "nesting_too_deep",
    retry: "never",
  });
}
