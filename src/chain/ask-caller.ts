import { approvalQuestion, approvalVerdict } from "../engine/index.ts";
import type { Question, QuestionAnswer } from "../tool/index.ts";
import type { AskPerson } from "./host/run-approvals.ts";

/**
 * Asks whoever called the chain as a tool. Only a plain yes is one: nobody comes back to such a run to decide later.
 *
 * @param instead How a run is made that can wait.
 */
export function askCaller(elicit: (question: Question) => Promise<QuestionAnswer>, instead: string): AskPerson {
  return async (approval) => {
    const question = approvalQuestion(approval);
    if (question === undefined) return { approved: false, note: `its arguments are too long to be shown; ${instead}` };
    const verdict = approvalVerdict(await elicit(question));
    if (verdict === undefined) return { approved: false, note: `the question was dismissed; ${instead}` };
    return { approved: verdict, ...(!verdict && { note: "declined by the caller" }) };
  };
}
