import { orElse } from "../../base/index.ts";
import { userInfo } from "node:os";

/** Name of the current user, if the system knows it. */
export function userName(): string | undefined {
  return orElse(() => userInfo().username, undefined);
}
