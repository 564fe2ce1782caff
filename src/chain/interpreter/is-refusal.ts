import type { Failure } from "../../base/index.ts";

/** A person rejected it, or did not decide in time. */
export function isRefusal({ code, reason }: Failure): boolean {
  return code === "permission_denied" && (reason === "rejected" || reason === "expired");
}
