import type { Runner } from "../../runner.ts";
import { answerPlanned } from "./answer-planned.ts";

/** The model plans the calls once, and answers with what they gave; `@vault`, `@websearch` and `@memory` add theirs. */
export const plannedRunner: Runner = {
  name: "planned",
  run: (run, question) => answerPlanned(run, question),
};
