import { cliCommand } from "../../../base/index.ts";
import type { Problem } from "../../../text/index.ts";
import type { Finding } from "./finding.ts";

/** Converts a problem of a file to a finding. */
export function problemFinding(about: string, problem: Problem): Finding {
  const message = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
  const status = problem.severity === "error" ? "fail" : "warn";
  return { about, status, message, todo: problem.hint ?? `find the position with: ${cliCommand("validate")}` };
}
