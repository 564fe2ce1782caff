import { userInfo } from "node:os";

/** Name of the current user, if the system knows it. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
