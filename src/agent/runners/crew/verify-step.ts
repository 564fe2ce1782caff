import type { Verification } from "../../verify/verification.ts";
import { verifyResult } from "../../verify/verify-result.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { Crew } from "./crew.ts";
import type { CrewStepState } from "./crew-step.ts";

/** Checks the result of a step, also against those of all completed steps, and whether it is a date or a time. */
export function verifyStep(
  { works }: Pick<Crew, "works">,
  work: CrewStepState,
  text: string,
  expectsTime = false,
): Verification {
  const earlier = works.flatMap((other) => {
    if (other === work || other.outcome === undefined) return [];
    return [{ id: other.step.id, text: other.outcome.text, isBasis: work.bases.includes(other) }];
  });
  return verifyResult(text, { earlier, ...(expectsTime && { expects: "time" as const }) });
}

/** Notifies the user of problems in the result of a step, or in the answer, that is used nevertheless. */
export function noteUnverified(run: AgentRun, step: string | undefined, { verified, issues }: Verification): void {
  if (verified) return;
  const params = { ...(step !== undefined && { step }), issues: issues.map(({ message }) => message) };
  run.notice({ code: "result_unverified", params });
}

/** Formats issues on one line. */
export function formatVerificationIssues(issues: Verification["issues"]): string {
  return issues.map(({ message }) => message).join("; ");
}
