import type { Problem } from "../../text/index.ts";

/**
 * Tells of a file beside a skill that holds tools and was not loaded. A skill is from elsewhere: its code runs only where
 * the workspace says so, and where it says nothing, somebody has to hear of it.
 */
export function unloadedCode(file: string): Problem {
  const message = "the file holds tools and is not loaded: code beside skills runs only where the workspace says so";
  const hint = "read it, then write skills: { code: true } in windlass.yaml, or code: false to hear no more of it";
  return { severity: "warning", code: "code_not_loaded", message, hint, file, line: 1, column: 1 };
}
