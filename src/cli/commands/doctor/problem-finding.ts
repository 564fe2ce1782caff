import type { Problem } from "../text/index.ts";
import type { Finding } from "./finding.ts";

/** A problem with a file as something that was found. */
export function problemFinding(about: string, problem: Problem): Finding {
  const message = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
  const status = problem.severity === "error" ? "fail" : "warn";
  return { about, status, message, todo: problem.hint ?? "windlass validate shows the place" };
}
