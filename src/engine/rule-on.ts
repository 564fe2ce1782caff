import type { AnyTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";
import type { Core } from "./core.ts";
import type { Permission, PermissionSubject, Ruling } from "./permissions.ts";

/** What the rules say about a call. What text from outside could have led to is asked about when it may do harm. */
export function ruleOn(call: Call, tool: AnyTool): Ruling {
  const { always, rule } = call.core.permissions;
  const ruling = always(call.context.callerType ?? "direct") ?? rule(subjectOf(call, tool));
  if (call.context.tainted !== true || !isDoubtful(ruling)) return ruling;
  return subjectOf(call, tool).destructive ? { permission: "ask" } : ruling;
}

/** Allowed, but not by a rule that says `trusted`. */
function isDoubtful({ permission, trusted }: Ruling): boolean {
  return permission === "allow" && trusted !== true;
}

/** Who has approved a call beforehand that the rules want to ask about: nobody where text from outside had a say in it. */
export function preapproverOf(call: Call, tool: AnyTool): string | undefined {
  if (call.context.tainted === true) return undefined;
  return approverBefore(call.core, subjectOf(call, tool), call.context);
}

/** What would be decided about a call within the one that has this context. */
export function permissionFor(core: Core, subject: PermissionSubject, context: CallContext): Permission {
  const ruling = core.permissions.rule(subject);
  const { permission } = ruling;
  if (context.tainted === true) return subject.destructive && isDoubtful(ruling) ? "ask" : permission;
  return permission === "ask" && approverBefore(core, subject, context) !== undefined ? "allow" : permission;
}

/** Written by users, too: whatever is no name has approved nothing. */
function approverBefore({ preapproved }: Core, subject: PermissionSubject, context: CallContext): string | undefined {
  const by: unknown = preapproved?.(subject, context);
  return typeof by === "string" ? by : undefined;
}

function subjectOf({ context, source, effect, args }: Call, tool: AnyTool): PermissionSubject {
  const { callerType = "direct" } = context;
  const destructive = typeof tool.destructive === "function" ? tool.destructive(args) : tool.destructive;
  return { tool: tool.name, aliases: tool.aliases, source, callerType, effect, destructive };
}
