import type { Failure } from "../base/index.ts";
import { denied } from "./call-failures.ts";
import { type PermissionRules, type PermissionSubject, type Permissions, defaultPermissions } from "./permissions.ts";

/** Why the rules refuse something, if they do. */
export type Denies = (subject: PermissionSubject) => Failure | undefined;

/**
 * What the rules refuse, for what runs without being a call of its own, such as a chain: `ask` refuses nothing.
 * Undefined where they refuse nothing at all, so that nobody has to ask.
 */
export function denials(rules: PermissionRules = {}, { rule }: Permissions): Denies | undefined {
  const { deny, allow } = { ...defaultPermissions, ...rules };
  if (deny.length === 0 && allow.includes("*")) return undefined;
  return (subject) => {
    const ruling = rule(subject);
    return ruling.permission === "deny" ? denied(subject.tool, ruling) : undefined;
  };
}
