import type { Failure } from "../base/index.ts";
import { deniedFailure } from "./call-failures.ts";
import { type PermissionRules, type PermissionSubject, type Permissions, defaultPermissions } from "./permissions.ts";

/** Returns the failure if the rules deny something. */
export type FindDenial = (subject: PermissionSubject) => Failure | undefined;

/**
 * Returns the denials of the rules for something that runs without being a call itself, such as a chain. `ask` does not
 * deny. Undefined if the rules deny nothing at all, so that no check is needed.
 */
export function createDenials(rules: PermissionRules = {}, { decide }: Permissions): FindDenial | undefined {
  const { deny, allow } = { ...defaultPermissions, ...rules };
  if (deny.length === 0 && allow.includes("*")) return undefined;
  return (subject) => {
    const ruling = decide(subject);
    return ruling.permission === "deny" ? deniedFailure(subject.tool, ruling) : undefined;
  };
}
