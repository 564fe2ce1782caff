import type { Verification } from "../../verify/verification.ts";
import { verifyResult } from "../../verify/verify-result.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { Crew } from "./crew.ts";
import type { StepWork } from "./step-work.ts";

/** Checks the result of a step, also against those of all steps that are done. */
export function verifyStep({ works }: Pick<Crew, "works">, work: StepWork, result: CheckedResult): Verification {
  const { text, expectsTime = false } = result;
  const earlier = works.flatMap((other) => {
    if (other === work || other.outcome === undefined) return [];
    return [{ id: other.step.id, text: other.outcome.text, isBasis: work.bases.includes(other) }];
  });
  return verifyResult(text, { earlier, ...(expectsTime && { expects: "time" as const }) });
}

interface CheckedResult {
  readonly text: string;
  /** It has to be a date or a time. */
  readonly expectsTime?: boolean;
}

/** Tells people what is wrong with a result that is used all the same. */
export function noteUnverified(run: AgentRun, who: string, { verified, issues }: Verification): void {
  if (!verified) run.note(`${who} is not verified: ${wrongWith(issues)}`);
}

/** What is wrong, in one line. */
export function wrongWith(issues: Verification["issues"]): string {
  return issues.map(({ message }) => message).join("; ");
}
