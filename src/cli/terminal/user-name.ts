import { userInfo } from "node:os";

/** Who is at the keyboard; not every system knows. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
