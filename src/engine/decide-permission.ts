import type { AnyTool, TargetKind } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { EngineCore } from "./engine-core.ts";
import type { Permission, PermissionSubject, PermissionDecision } from "./permissions.ts";
import { findUntrustedTarget, untrustedArgumentsOf } from "./untrusted-targets.ts";

/**
 * Applies the permission rules to a call. A destructive call that untrusted content may have caused needs approval, and
 * so does any call whose target is decided by untrusted content, unless a rule says `trusted`.
 */
export function decidePermission(call: Call, tool: AnyTool): PermissionDecision {
  const { always, decide, dependsOnPath } = call.core.permissions;
  const { callerType = "direct", callerPath, covered } = call.context;
  const same = callerPath === undefined || !dependsOnPath(callerPath) ? always(callerType) : undefined;
  const ruling = same ?? decide(subjectOf(call, tool));
  if (ruling.permission === "deny" || ruling.trusted === true) return ruling;
  if (untrustedTargetOf(call, tool) !== undefined) return { ...ruling, permission: "ask" };
  if (covered !== undefined && isCovered(ruling, tool, covered)) return { permission: "allow" };
  return ruling.permission === "allow" && isTaintedAndDestructive(call, tool) ? { permission: "ask" } : ruling;
}

function isTaintedAndDestructive(call: Call, tool: AnyTool): boolean {
  return call.context.tainted === true && subjectOf(call, tool).destructive;
}

/** The kind of target of the call that is decided by untrusted content, if any. */
export function untrustedTargetOf(call: Call, tool: AnyTool): TargetKind | undefined {
  const untrusted = tool.targets && untrustedArgumentsOf(call.context);
  if (untrusted === undefined) return undefined;
  const { rawArgs: args, effect, core } = call;
  const isDestructive = (): boolean => subjectOf(call, tool).destructive || isTrueFor(tool.entryDestructive, call.args);
  return findUntrustedTarget(tool, { args, effect, isDestructive, isTrustedHost: core.isTrustedHost }, untrusted);
}

/** True if the call is allowed, but not by a rule that says `trusted`. */
function isDoubtful({ permission, trusted }: PermissionDecision): boolean {
  return permission === "allow" && trusted !== true;
}

/** True if a person approved the call together with one that contains it. A rule of `ask` that names the tool still applies. */
function isCovered(
  { permission, namesTool }: PermissionDecision,
  { name }: AnyTool,
  covered: readonly string[],
): boolean {
  return permission === "ask" && namesTool !== true && covered.includes(name);
}

/** The tools whose calls an approval of this call covers, besides those that were covered before. */
export function coveredTools({ coveredCalls }: AnyTool, { covered = [] }: CallContext): readonly string[] | undefined {
  const calls = coveredCalls?.() ?? [];
  return calls.length === 0 ? undefined : [...new Set([...covered, ...calls.map(({ tool }) => tool)])];
}

/** Returns the name of the person who preapproved a call that needs approval. Undefined for a tainted call. */
export function findPreapproval(call: Call, tool: AnyTool): string | undefined {
  if (call.context.tainted === true || untrustedTargetOf(call, tool) !== undefined) return undefined;
  return approverBefore(call.core, subjectOf(call, tool), call.context);
}

/** Returns the permission of a nested call of the call that has this context. */
export function nestedPermission(core: EngineCore, subject: PermissionSubject, context: CallContext): Permission {
  const ruling = core.permissions.decide(subject);
  const { permission } = ruling;
  if (context.tainted === true) return subject.destructive && isDoubtful(ruling) ? "ask" : permission;
  return permission === "ask" && approverBefore(core, subject, context) !== undefined ? "allow" : permission;
}

/** The preapproval check is user code: anything but a name counts as no approval. */
function approverBefore(
  { findPreapproval }: EngineCore,
  subject: PermissionSubject,
  context: CallContext,
): string | undefined {
  const by: unknown = findPreapproval?.(subject, context);
  return typeof by === "string" ? by : undefined;
}

function subjectOf({ context, source, effect, args, isIndirect }: Call, tool: AnyTool): PermissionSubject {
  const { callerType = "direct", callerPath } = context;
  const { name, aliases, handlerNames, sends } = tool;
  const destructive = isTrueFor(tool.destructive, args);
  const callers = { callerType, callerPath, indirect: isIndirect };
  return { tool: name, aliases, handlerNames, source, ...callers, effect, destructive, sends };
}

function isTrueFor(rule: AnyTool["entryDestructive"], args: unknown): boolean {
  return typeof rule === "function" ? rule(args) : rule === true;
}
