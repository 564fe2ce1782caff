import { fail } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { type FillParts, fillInput, inputIssues } from "./fill-input.ts";
import { type Arguments, expressionOf, ruledInput } from "./ruled-input.ts";

/** A failure with this reason has nothing to do with the tool: no other tool would have more to go by. */
export const nothingToCalculate = "nothing_to_calculate";

/**
 * The arguments of a step's call: what the planner gave where that fits, what a rule finds for tools of calculation,
 * search, time and history, else what the model fills in. A calculation without a calculation fails at once.
 */
export function* prepareInput(run: AgentRun, parts: FillParts): Flow<Arguments> {
  const { target, given, description } = parts;
  const { tool, kind } = target;
  const source = { description, given, results: parts.results.map(({ text }) => text) };
  if (kind === "calculate" && expressionOf(source) === undefined) {
    throw fail(`there is nothing to calculate in ${JSON.stringify(description.slice(0, 80).toWellFormed())}`, {
      code: "validation_error",
      reason: nothingToCalculate,
    });
  }
  // With results to build on, the planner could not know yet.
  if (given !== undefined && source.results.length === 0 && fits(given)) return given;
  const ruled = ruledInput(kind, tool.input.json, source);
  if (ruled !== undefined && fits(ruled)) return ruled;
  if (takesNothing()) return {};
  return yield* fillInput(run, parts);

  function fits(args: Arguments): boolean {
    return inputIssues(tool, args).length === 0;
  }

  function takesNothing(): boolean {
    const { properties } = tool.input.json;
    return isRecord(properties) && Object.keys(properties).length === 0 && fits({});
  }
}
