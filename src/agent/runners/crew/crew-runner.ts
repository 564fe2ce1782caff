import { fail } from "../../../base/index.ts";
import { runPlan } from "../../flow/flow.ts";
import type { Runner } from "../../runner.ts";
import { noteCommands } from "../commands/meant-commands.ts";
import { userMessage } from "../user-message.ts";
import { coordinate } from "./coordinate.ts";
import { Crew } from "./crew.ts";
import { readCrewOptions } from "./crew-options.ts";
import { makePlan } from "./plan/make-plan.ts";
import { toChain } from "./to-chain.ts";

/**
 * A planner breaks the question into steps, which are done as a chain, each by its tool, by another one of the same
 * capability or by thinking; their results are verified, and put together to the answer.
 */
export const crewRunner: Runner = {
  name: "crew",
  *run(run, question) {
    noteCommands(run, question.text);
    const options = readCrewOptions(run);
    run.messages = [...question.history, userMessage(question, question.text)];
    const steps = yield* makePlan(run, question, options);
    const crew = new Crew(run, question, steps);
    const plan = toChain(steps, run.spec.maxParallel);
    yield* runPlan({ key: "crew", plan, input: {}, onEvent: undefined, own: crew.tools });
    if (run.isCancelled) throw fail("the run was cancelled", { code: "cancelled" });
    return yield* coordinate(crew, options);
  },
};
